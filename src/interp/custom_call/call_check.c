// The checks of StableHLO's own test programs: check.expect_eq, check.expect_almost_eq and check.expect_close as custom
// calls, and check.eq, which is expect_almost_eq with a result.
#include "interp/custom_call/custom_call.h"
#include "interp/kernel.h"
#include "interp/tensor/float.h"
#include "ir/float_format.h"
#include <math.h>

// Numbers agree within so many units in the last place, or within an absolute tolerance. Where the program gives no
// tolerance, either will do: 1e-3 is less than what large numbers can resolve.
typedef struct Limits {
    bool by_ulp, by_tolerance;
    double tolerance;
    uint64_t max_ulp;
} Limits;

// How many floats of the type lie between; UINT64_MAX if one is not finite and they are not the same.
static uint64_t ulp_difference(Elem e, double a, double b) {
    uint64_t x = float_from_double(e, fabs(a)), y = float_from_double(e, fabs(b));
    if (a != a && b != b) return 0;
    if (isinf(a) || isinf(b) || a != a || b != b) return a == b ? 0 : UINT64_MAX;
    return signbit(a) != signbit(b) ? x + y : x > y ? x - y : y - x;
}

static bool floats_agree(Elem e, double a, double b, const Limits *l) {
    if (a == b || (a != a && b != b)) return true;
    if (l->by_ulp && ulp_difference(e, a, b) <= l->max_ulp) return true;
    return l->by_tolerance && isfinite(a) && isfinite(b) && fabs(a - b) <= l->tolerance;
}

static bool elements_agree(const Tensor *a, const Tensor *b, int64_t i, const Limits *l) {
    Elem elem = (Elem)a->elem;
    size_t size = elem_bytes(elem);
    const char *p = a->data + (size_t)i * size, *q = b->data + (size_t)i * size;
    if (elem_class(elem) != CLASS_FLOAT && elem_class(elem) != CLASS_COMPLEX) return memcmp(p, q, size) == 0;
    Elem part = elem == EL_C64 ? EL_F32 : elem == EL_C128 ? EL_F64 : elem;
    for (size_t at = 0; at < size; at += elem_bytes(part)) {
        double x = elem_read_float(part, p + at), y = elem_read_float(part, q + at);
        if (!floats_agree(part, x, y, l)) return false;
    }
    return true;
}

static double number_attr(const Module *m, OpId op, const char *name, double absent) {
    AttrId attr = call_attr(m, op, name);
    if (attr == NO_ID) return absent;
    const Attr *a = attr_get(m, attr);
    return a->kind == ATTR_FLOAT ? a->f : a->kind == ATTR_INT ? (double)a->i : absent;
}

static void put_index(Buffer *b, const Tensor *t, int64_t i) {
    int64_t strides[MAX_RANK];
    shape_strides(t->rank, t->dims, strides);
    buf_char(b, '[');
    for (uint32_t d = 0; d < t->rank; d++) {
        if (d) buf_str(b, ", ");
        buf_int(b, i / strides[d] % t->dims[d]);
    }
    buf_char(b, ']');
}

static bool compare_expected(Exec *e, OpId op, Span target, const Tensor *actual, const Tensor *expected) {
    bool exact = span_is(target, "check.expect_eq"), close = span_is(target, "check.expect_close");
    Limits limits = {.max_ulp = (uint64_t)number_attr(e->m, op, "max_ulp_difference", 3),
                     .tolerance = number_attr(e->m, op, "tolerance", 1e-3)};
    limits.by_tolerance = !exact && !close;
    limits.by_ulp = close || (!exact && call_attr(e->m, op, "tolerance") == NO_ID);
    if (!tensor_same_shape(actual, expected) || actual->elem != expected->elem)
        return exec_error(e, op, NULL, "the operands differ in type");
    int64_t wrong = 0, first = 0;
    for (int64_t i = actual->n; i-- > 0;)
        if (!elements_agree(actual, expected, i, &limits)) {
            wrong++;
            first = i;
        }
    if (wrong == 0) {
        for (uint32_t i = 0; i < op_get(e->m, op)->n_results; i++)
            elem_write_int(EL_I1, exec_out(e, op, i, 0, NULL)->data, 1);
        return true;
    }
    Buffer text;
    buf_init(&text, &e->m->arena);
    put_index(&text, actual, first);
    buf_str(&text, " is ");
    tensor_put_element(&text, actual, first);
    buf_str(&text, ", expected ");
    tensor_put_element(&text, expected, first);
    return exec_error(e, op, NULL, "@%.*s fails for %lld of %lld elements: %s", (int)target.n, target.at,
                      (long long)wrong, (long long)actual->n, buf_cstr(&text));
}

bool call_check(Exec *e, OpId op, Span target) {
    if (op_get(e->m, op)->n_operands != 2) return exec_error(e, op, NULL, "two operands are needed");
    return compare_expected(e, op, target, exec_in(e, op, 0), exec_in(e, op, 1));
}

// check.expect_eq_const is check.expect_eq with an attribute for its second operand.
bool kernel_check(Exec *e, OpId op) {
    Span target = span_of(op_info[op_kind(e->m, op)].name), suffix = SPAN("_const");
    AttrId value = op_attr(e->m, op, A_value);
    if (value == NO_ID) return compare_expected(e, op, target, exec_in(e, op, 0), exec_in(e, op, 1));
    target.n -= suffix.n;
    const Type *t = type_get(e->m, attr_get(e->m, value)->type);
    Tensor *expected = exec_new(e, (Elem)t->elem, t->rank, t->dims);
    if (!attr_dense_decode(e->m, attr_get(e->m, value), expected->data, tensor_bytes(expected)))
        return exec_error(e, op, NULL, "the value does not fit its type");
    bool good = compare_expected(e, op, target, exec_in(e, op, 0), expected);
    tensor_release(&e->heap, expected);
    return good;
}
