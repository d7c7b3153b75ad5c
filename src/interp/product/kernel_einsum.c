// einsum and unary_einsum by definition: for each index of the result, the sum over all labels that it lacks.
//
//     "ij,jk->ik"     labels i, j, k;   result[i, k] = sum over j of lhs[i, j] * rhs[j, k]
#include "interp/elementwise/elementwise.h"
#include "interp/kernel.h"
#include "interp/product/dot.h"

enum { MAX_EINSUM_LABELS = 52 + MAX_RANK, ELLIPSIS = 52 };

typedef struct Einsum {
    uint32_t n;                    // labels in use, those of the result first
    int64_t size[MAX_EINSUM_LABELS];      // by order of use
    int64_t stride[3][MAX_EINSUM_LABELS]; // of lhs, rhs, result; 0 where a label does not occur
    int16_t place[MAX_EINSUM_LABELS];     // by label: its order of use, or -1
    uint32_t n_out;
} Einsum;

// "ab...c" as one label for each of `rank` dimensions; labels of the ellipsis count from its end.
static bool read_labels(Span text, uint32_t rank, int *labels) {
    uint32_t n = 0, named = 0;
    for (size_t i = 0; i < text.n; i++) named += text.at[i] != '.' && text.at[i] != ' ';
    for (size_t i = 0; i < text.n; i++) {
        char c = text.at[i];
        if (c == ' ') continue;
        if (c == '.') {
            if (i + 2 >= text.n || text.at[i + 1] != '.' || text.at[i + 2] != '.' || named > rank) return false;
            for (uint32_t k = rank - named; k-- > 0;) labels[n++] = ELLIPSIS + (int)k;
            i += 2;
        } else {
            int label = c >= 'a' && c <= 'z' ? c - 'a' : c >= 'A' && c <= 'Z' ? c - 'A' + 26 : -1;
            if (label < 0 || n == rank) return false;
            labels[n++] = label;
        }
    }
    return n == rank;
}

static bool add_operand(Einsum *s, const int *labels, uint32_t rank, const int64_t *dims, int operand) {
    int64_t strides[MAX_RANK];
    shape_strides(rank, dims, strides);
    for (uint32_t i = 0; i < rank; i++) {
        int16_t *place = &s->place[labels[i]];
        if (*place < 0) {
            *place = (int16_t)s->n;
            s->size[s->n++] = dims[i];
        } else if (s->size[*place] != dims[i]) {
            return false;
        }
        s->stride[operand][*place] += strides[i];
    }
    return true;
}

static bool split_config(Span config, Span *lhs, Span *rhs, Span *out) {
    size_t comma = config.n, arrow = config.n;
    for (size_t i = 0; i < config.n; i++) {
        if (config.at[i] == ',') comma = i;
        if (config.at[i] == '-' && i + 1 < config.n && config.at[i + 1] == '>') arrow = i;
    }
    if (arrow == config.n || (comma != config.n && comma > arrow)) return false;
    *lhs = (Span){config.at, comma < arrow ? comma : arrow};
    *rhs = comma < arrow ? (Span){config.at + comma + 1, arrow - comma - 1} : (Span){"", 0};
    *out = (Span){config.at + arrow + 2, config.n - arrow - 2};
    return true;
}

#define SUM(name, T)                                                                                                   \
    static void name(const Einsum *s, const T *a, const T *b, T *c) {                                                  \
        int64_t index[MAX_EINSUM_LABELS] = {0};                                                                        \
        for (;;) {                                                                                                     \
            int64_t at[3] = {0, 0, 0};                                                                                 \
            for (uint32_t i = 0; i < s->n; i++)                                                                        \
                for (int k = 0; k < 3; k++) at[k] += index[i] * s->stride[k][i];                                       \
            c[at[2]] += b ? a[at[0]] * b[at[1]] : a[at[0]];                                                            \
            if (!shape_next(s->n, s->size, index)) return;                                                             \
        }                                                                                                              \
    }
SUM(sum_f32, float)
SUM(sum_f64, double)
SUM(sum_i32, uint32_t)
SUM(sum_i64, uint64_t)

bool kernel_einsum(Exec *e, OpId op) {
    bool unary = op_kind(e->m, op) == OP_unary_einsum;
    Tensor *lhs = exec_in(e, op, 0), *rhs = unary ? NULL : exec_in(e, op, 1);
    Span text[3], config = op_attr_text(e->m, op, A_einsum_config);
    int labels[3][MAX_RANK];
    Einsum s = {0};
    for (int i = 0; i < MAX_EINSUM_LABELS; i++) s.place[i] = -1;
    const Type *type = result_type(e->m, op, 0);
    if (!type_is_static(type)) return exec_error(e, op, NULL, "the result's shape is not static");
    bool good = split_config(config, &text[0], &text[1], &text[2]) && read_labels(text[2], type->rank, labels[2]) &&
                read_labels(text[0], lhs->rank, labels[0]) && (unary || read_labels(text[1], rhs->rank, labels[1])) &&
                add_operand(&s, labels[2], type->rank, type->dims, 2) &&
                add_operand(&s, labels[0], lhs->rank, lhs->dims, 0) &&
                (unary || add_operand(&s, labels[1], rhs->rank, rhs->dims, 1));
    if (!good) return exec_error(e, op, NULL, "\"%.*s\" does not fit the operands", (int)config.n, config.at);
    Tensor *out = exec_out(e, op, 0, type->rank, type->dims);
    Elem as = dot_compute((Elem)lhs->elem, (Elem)(rhs ? rhs : lhs)->elem, (Elem)out->elem);
    if (elem_class(as) == CLASS_COMPLEX) return exec_error(e, op, NULL, "complex operands are not supported");
    const void *a = dot_operand(e, lhs, as), *b = rhs ? dot_operand(e, rhs, as) : NULL;
    void *c = exec_scratch_array(e, out->n, elem_bytes(as));
    memset(c, 0, (size_t)out->n * elem_bytes(as));
    int64_t n = shape_elements(s.n, s.size);
    exec_work(e, op, n < 0 ? 1e30 : (double)n);
    if (n > 0) {
        switch (as) {
        case EL_F32: sum_f32(&s, a, b, c); break;
        case EL_F64: sum_f64(&s, a, b, c); break;
        case EL_I32: sum_i32(&s, a, b, c); break;
        default: sum_i64(&s, a, b, c); break;
        }
    }
    dot_store(as, (Elem)out->elem, c, out->data, out->n);
    return true;
}
