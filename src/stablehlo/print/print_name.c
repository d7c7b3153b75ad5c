// Names of values, as MLIR chooses them: a number for a result, %argN for an argument, and a word where the op has one.
//
//     %c = stablehlo.constant dense<1> : tensor<i32>
//     %cst = stablehlo.constant dense<1.0> : tensor<f32>
//     %cst_0 = …                                              a second %cst takes the next free suffix
//     %0:2 = stablehlo.while(%iterArg = %c, %iterArg_1 = %cst) …
//
// A region goes on counting where the region around it ended, and gives its numbers back. In the generic form there are
// no words and no number is used twice: regions are then numbered last to first.
#include "stablehlo/print/print_state.h"

// Words that ops give to their results and arguments. Columns: id, and the text where it is no C name.
#define WORDS(W)                                                                                                       \
    W(c)                                                                                                               \
    W(cst)                                                                                                             \
    W(iterArg)                                                                                                         \
    W(output)                                                                                                          \
    W(output_state)                                                                                                    \
    W(batch_mean)                                                                                                      \
    W(batch_var)                                                                                                       \
    W(grad_operand)                                                                                                    \
    W(grad_scale)                                                                                                      \
    W(grad_offset)                                                                                                     \
    W(values)                                                                                                          \
    W(indices)                                                                                                         \
    W(input)                                                                                                           \
    W(carry)

typedef enum NameWord {
    WORD_NONE, // a number alone
    WORD_arg,
#define W(id) WORD_##id,
    WORDS(W)
#undef W
        WORD_COUNT
} NameWord;

static const Span word_text[WORD_COUNT] = {[WORD_arg] = {"arg", 3},
#define W(id) [WORD_##id] = {#id, sizeof(#id) - 1},
                                           WORDS(W)
#undef W
};
_Static_assert(WORD_COUNT <= 32, "the used words of a scope are bits of a uint32_t");

typedef struct NameScope {
    RegionId region;
    uint32_t next_number, next_argument, next_suffix;
    uint32_t used; // bit w: word w is taken, here or in a region around
} NameScope;

static void name_by_word(PrintedName *name, NameScope *s, NameWord w) {
    bool taken = s->used >> w & 1;
    s->used |= 1u << w;
    *name = (PrintedName){.word = (uint8_t)w, .has_number = taken, .number = taken ? s->next_suffix++ : 0};
}

static void name_results(PrintedName *names, NameScope *s, const NameWord *words, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) name_by_word(&names[i], s, words[i]);
}

// Words for the results of an op that has them; false for the many that are numbered.
static bool name_by_op(const Module *m, const Op *op, PrintedName *names, NameScope *s) {
    static const NameWord training[] = {WORD_output, WORD_batch_mean, WORD_batch_var};
    static const NameWord grad[] = {WORD_grad_operand, WORD_grad_scale, WORD_grad_offset};
    static const NameWord random[] = {WORD_output_state, WORD_output};
    static const NameWord top[] = {WORD_values, WORD_indices};
    if (op_info[op->kind].results != op->n_results) return false;
    switch (op->kind) {
    case OP_constant: {
        const Type *t = value_tensor(m, op->first_result);
        bool is_integer = elem_class((Elem)t->elem) <= CLASS_UINT && t->elem != EL_INDEX;
        name_by_word(names, s, is_integer ? WORD_c : WORD_cst);
        return true;
    }
    case OP_batch_norm_training: name_results(names, s, training, 3); return true;
    case OP_batch_norm_grad: name_results(names, s, grad, 3); return true;
    case OP_rng_bit_generator: name_results(names, s, random, 2); return true;
    case OP_chlo_top_k: name_results(names, s, top, 2); return true;
    default: return false;
    }
}

static NameWord argument_word(const Module *m, OpId parent, uint32_t index) {
    if (parent == NO_ID) return WORD_arg;
    switch (op_kind(m, parent)) {
    case OP_while: return WORD_iterArg;
    case OP_chlo_scan: return index < scan_inputs(m, parent) ? WORD_input : WORD_carry;
    default: return WORD_arg;
    }
}

static void name_region(const Module *m, PrintedName *names, NameScope *s, bool generic) {
    const Region *r = &m->regions.at[s->region];
    for (uint32_t i = 0; i < r->n_args; i++) {
        NameWord w = generic ? WORD_arg : argument_word(m, r->parent, i);
        PrintedName *name = &names[r->first_arg + i];
        if (w == WORD_arg)
            *name = (PrintedName){.word = WORD_arg, .has_number = true, .number = s->next_argument++};
        else
            name_by_word(name, s, w);
    }
    for (OpId id = r->first; id != NO_ID; id = m->ops.at[id].next) {
        const Op *op = &m->ops.at[id];
        if (!op->n_results || (!generic && name_by_op(m, op, &names[op->first_result], s))) continue;
        PrintedName name = {.has_number = true, .number = s->next_number++, .in_group = op->n_results > 1};
        for (uint32_t i = 0; i < op->n_results; i++) names[op->first_result + i] = name;
    }
}

const PrintedNames *value_names(const Module *m, unsigned flags, Arena *a) {
    bool generic = flags & PARTIR_PRINT_GENERIC;
    PrintedNames *result = arena_new(a, PrintedNames, 1);
    result->at = arena_zalloc(a, (m->values.n + 1) * sizeof *result->at);
    VEC(NameScope) open = {0};
    NameScope last = {0};
    vec_push(a, &open, last);
    while (open.n) {
        NameScope s = open.at[--open.n];
        if (generic) { // numbers run on over all regions
            RegionId region = s.region;
            s = last;
            s.region = region;
        }
        name_region(m, result->at, &s, generic);
        last = s;
        for (OpId id = m->regions.at[s.region].first; id != NO_ID; id = m->ops.at[id].next)
            for (uint32_t i = 0; i < m->ops.at[id].n_regions; i++) {
                NameScope inner = s;
                inner.region = op_region(m, id, i);
                vec_push(a, &open, inner);
            }
    }
    return result;
}

static void put_name(Printer *p, PrintedName name) {
    char text[40];
    size_t n = 0;
    text[n++] = '%';
    if (name.word) {
        memcpy(text + n, word_text[name.word].at, word_text[name.word].n);
        n += word_text[name.word].n;
        if (name.word != WORD_arg && name.has_number) text[n++] = '_';
    }
    if (name.has_number) {
        char digits[10];
        size_t k = sizeof digits;
        uint32_t v = name.number;
        do digits[--k] = (char)('0' + v % 10);
        while (v /= 10);
        memcpy(text + n, digits + k, sizeof digits - k);
        n += sizeof digits - k;
    }
    put(p, text, n);
}

void put_value(Printer *p, ValueId v) {
    PrintedName name = p->names->at[v];
    put_name(p, name);
    if (name.in_group) {
        PUT(p, "#");
        buf_uint(p->out, p->m->values.at[v].index);
    }
}

void put_values(Printer *p, const ValueId *v, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (i) PUT(p, ", ");
        put_value(p, v[i]);
    }
}

void put_results(Printer *p, OpId op) {
    uint32_t n = op_get(p->m, op)->n_results;
    if (!n) return;
    ValueId first = op_result(p->m, op, 0);
    if (p->names->at[first].in_group) {
        put_name(p, p->names->at[first]);
        PUT(p, ":");
        buf_uint(p->out, n);
    } else {
        for (uint32_t i = 0; i < n; i++) {
            if (i) PUT(p, ", ");
            put_name(p, p->names->at[first + i]);
        }
    }
    PUT(p, " = ");
}
