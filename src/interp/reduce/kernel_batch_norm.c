// batch_norm_inference, _training and _grad. The tensor is seen as [outer][feature][inner]; statistics are over all but
// the feature. Everything is computed in f64 (small floats and f32) and rounded once.
#include "interp/elementwise/elementwise.h"
#include "interp/kernel.h"
#include <math.h>

typedef struct BatchNormKernel {
    int64_t outer, features, inner, count; // count: elements that share a feature
    double epsilon;
} BatchNormKernel;

static BatchNormKernel read_norm(Exec *e, OpId op, const Tensor *x) {
    int64_t d = op_attr_int(e->m, op, A_feature_index, 0);
    BatchNormKernel n = {.outer = 1, .inner = 1, .features = x->dims[d]};
    for (uint32_t i = 0; i < d; i++) n.outer *= x->dims[i];
    for (uint32_t i = (uint32_t)d + 1; i < x->rank; i++) n.inner *= x->dims[i];
    n.count = n.outer * n.inner;
    const Attr *a = attr_get(e->m, op_attr(e->m, op, A_epsilon));
    n.epsilon = (double)(float)a->f;
    return n;
}

static double *as_f64(Exec *e, const Tensor *x) {
    double *wide = exec_scratch_array(e, x->n, sizeof *wide);
    elements_convert((Elem)x->elem, EL_F64, x->data, wide, x->n);
    return wide;
}

static void put_f64(Exec *e, OpId op, uint32_t result, const double *from, uint32_t rank, const int64_t *dims) {
    Tensor *out = exec_out(e, op, result, rank, dims);
    elements_convert(EL_F64, (Elem)out->elem, from, out->data, out->n);
}

// The sum over all elements of each feature of a[i] * (b ? b[i] : 1).
static double *feature_sums(Exec *e, const BatchNormKernel *n, const double *a, const double *b) {
    double *sums = exec_scratch_array(e, n->features, sizeof *sums);
    for (int64_t f = 0; f < n->features; f++) sums[f] = 0;
    for (int64_t o = 0; o < n->outer; o++)
        for (int64_t f = 0; f < n->features; f++) {
            int64_t at = (o * n->features + f) * n->inner;
            for (int64_t i = at; i < at + n->inner; i++) sums[f] += b ? a[i] * b[i] : a[i];
        }
    return sums;
}

static void normalize(const BatchNormKernel *n, const double *x, const double *scale, const double *offset,
                      const double *mean, const double *variance, double *y) {
    for (int64_t o = 0; o < n->outer; o++)
        for (int64_t f = 0; f < n->features; f++) {
            int64_t at = (o * n->features + f) * n->inner;
            double deviation = sqrt(variance[f] + n->epsilon);
            for (int64_t i = at; i < at + n->inner; i++) y[i] = scale[f] * ((x[i] - mean[f]) / deviation) + offset[f];
        }
}

static void mean_and_variance(Exec *e, const BatchNormKernel *n, const double *x, double **mean, double **variance) {
    *mean = feature_sums(e, n, x, NULL);
    for (int64_t f = 0; f < n->features; f++) (*mean)[f] /= (double)n->count;
    double *centered = exec_scratch_array(e, n->count * n->features, sizeof *centered);
    for (int64_t o = 0; o < n->outer; o++)
        for (int64_t f = 0; f < n->features; f++) {
            int64_t at = (o * n->features + f) * n->inner;
            for (int64_t i = at; i < at + n->inner; i++) centered[i] = x[i] - (*mean)[f];
        }
    *variance = feature_sums(e, n, centered, centered);
    for (int64_t f = 0; f < n->features; f++) (*variance)[f] /= (double)n->count;
}

static void gradient(Exec *e, OpId op, const BatchNormKernel *n, const Tensor *t) {
    double *x = as_f64(e, t), *scale = as_f64(e, exec_in(e, op, 1)), *mean = as_f64(e, exec_in(e, op, 2));
    double *variance = as_f64(e, exec_in(e, op, 3)), *g = as_f64(e, exec_in(e, op, 4));
    double *centered = exec_scratch_array(e, t->n, sizeof *centered), *dx = exec_scratch_array(e, t->n, sizeof *dx);
    double *dscale = exec_scratch_array(e, n->features, sizeof *dscale);
    for (int64_t o = 0; o < n->outer; o++)
        for (int64_t f = 0; f < n->features; f++) {
            int64_t at = (o * n->features + f) * n->inner;
            for (int64_t i = at; i < at + n->inner; i++) centered[i] = x[i] - mean[f];
        }
    double *sum_g = feature_sums(e, n, g, NULL), *sum_gx = feature_sums(e, n, g, centered);
    for (int64_t o = 0; o < n->outer; o++)
        for (int64_t f = 0; f < n->features; f++) {
            int64_t at = (o * n->features + f) * n->inner;
            double v = variance[f] + n->epsilon, count = (double)n->count;
            for (int64_t i = at; i < at + n->inner; i++)
                dx[i] = scale[f] / sqrt(v) / count * (count * g[i] - sum_g[f] - centered[i] * (sum_gx[f] / v));
        }
    for (int64_t f = 0; f < n->features; f++) dscale[f] = sum_gx[f] / sqrt(variance[f] + n->epsilon);
    put_f64(e, op, 0, dx, t->rank, t->dims);
    put_f64(e, op, 1, dscale, 1, &n->features);
    put_f64(e, op, 2, sum_g, 1, &n->features);
}

bool kernel_batch_norm(Exec *e, OpId op) {
    Tensor *t = exec_in(e, op, 0);
    BatchNormKernel n = read_norm(e, op, t);
    for (uint32_t i = 1; i < op_get(e->m, op)->n_operands; i++) {
        const Tensor *p = exec_in(e, op, i);
        bool whole = op_kind(e->m, op) == OP_batch_norm_grad && i == 4;
        if (whole ? !tensor_same_shape(p, t) : p->n != n.features)
            return exec_error(e, op, NULL, "operand %u has %lld elements for %lld features", i, (long long)p->n,
                              (long long)n.features);
    }
    if (op_kind(e->m, op) == OP_batch_norm_grad) {
        gradient(e, op, &n, t);
        return true;
    }
    double *x = as_f64(e, t), *scale = as_f64(e, exec_in(e, op, 1)), *offset = as_f64(e, exec_in(e, op, 2)), *mean,
           *variance;
    double *y = exec_scratch_array(e, t->n, sizeof *y);
    if (op_kind(e->m, op) == OP_batch_norm_training) {
        mean_and_variance(e, &n, x, &mean, &variance);
        put_f64(e, op, 1, mean, 1, &n.features);
        put_f64(e, op, 2, variance, 1, &n.features);
    } else {
        mean = as_f64(e, exec_in(e, op, 3));
        variance = as_f64(e, exec_in(e, op, 4));
    }
    normalize(&n, x, scale, offset, mean, variance, y);
    put_f64(e, op, 0, y, t->rank, t->dims);
    return true;
}
