// fft: FFT, IFFT, RFFT and IRFFT over the last one to three dimensions, computed in complex128.
//
// A length is taken apart into its prime factors: n = p * m is p transforms of length m and then p-point sums. Real
// transforms are complex ones of which half is kept (RFFT) or made up by symmetry (IRFFT).
#include "interp/elementwise.h"
#include "interp/kernel.h"
#include <math.h>

typedef struct Complex128 {
    double re, im;
} Complex128;

static int64_t smallest_factor(int64_t n) {
    for (int64_t p = 2; p * p <= n; p++)
        if (n % p == 0) return p;
    return n;
}

// out[k] = sum over j of in[j * stride] * roots[j * k * step], step = (length of the roots) / n. `work` has room for n.
static void transform(int64_t n, const Complex128 *in, int64_t stride, Complex128 *out, Complex128 *work,
                      const Complex128 *roots, int64_t step) {
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    int64_t p = smallest_factor(n), m = n / p;
    for (int64_t r = 0; r < p; r++)
        transform(m, in + r * stride, stride * p, work + r * m, out + r * m, roots, step * p);
    for (int64_t k = 0; k < n; k++) {
        Complex128 sum = {0, 0};
        for (int64_t r = 0, at = 0; r < p; r++, at = at + k >= n ? at + k - n : at + k) {
            Complex128 w = roots[at * step], x = work[r * m + k % m];
            sum.re += x.re * w.re - x.im * w.im;
            sum.im += x.re * w.im + x.im * w.re;
        }
        out[k] = sum;
    }
}

// All lines along dimension `d`, in place.
static void transform_lines(Exec *e, Complex128 *data, uint32_t rank, const int64_t *dims, uint32_t d, bool inverse) {
    int64_t n = dims[d], inner = 1, outer = 1;
    for (uint32_t i = 0; i < d; i++) outer *= dims[i];
    for (uint32_t i = d + 1; i < rank; i++) inner *= dims[i];
    Complex128 *line = exec_scratch_array(e, n, sizeof *line), *out = exec_scratch_array(e, n, sizeof *out);
    Complex128 *work = exec_scratch_array(e, n, sizeof *work), *roots = exec_scratch_array(e, n, sizeof *roots);
    for (int64_t i = 0; i < n; i++) {
        double angle = (inverse ? 2 : -2) * 3.14159265358979323846 * (double)i / (double)n;
        roots[i] = (Complex128){cos(angle), sin(angle)};
    }
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            Complex128 *base = data + o * n * inner + i;
            for (int64_t k = 0; k < n; k++) line[k] = base[k * inner];
            transform(n, line, 1, out, work, roots, 1);
            double scale = inverse ? 1 / (double)n : 1;
            for (int64_t k = 0; k < n; k++) base[k * inner] = (Complex128){out[k].re * scale, out[k].im * scale};
        }
}

// From the kept half along the last dimension to all of it: x[n - k] = conjugate of x[k], with the other transformed
// dimensions reversed too; those have been transformed back already, so that only this dimension is left to mirror.
static Complex128 *mirrored(Exec *e, const Complex128 *half, int64_t lines, int64_t kept, int64_t n) {
    Complex128 *full = exec_scratch_array(e, lines * n, sizeof *full);
    for (int64_t l = 0; l < lines; l++)
        for (int64_t k = 0; k < n; k++) {
            int64_t from = k < kept ? k : n - k;
            Complex128 x = half[l * kept + from];
            if (k >= kept) x.im = -x.im;
            if (k == 0 || 2 * k == n) x.im = 0; // of a real signal
            full[l * n + k] = x;
        }
    return full;
}

bool kernel_fft(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0);
    Span kind = op_attr_text(e->m, op, A_fft_type);
    uint32_t n;
    const int64_t *length = op_attr_ints(e->m, op, A_fft_length, &n);
    bool inverse = span_is(kind, "IFFT") || span_is(kind, "IRFFT");
    int64_t dims[MAX_RANK], out_dims[MAX_RANK];
    if (n > x->rank) return exec_error(e, op, NULL, "%u dimensions to transform in rank %u", n, x->rank);
    for (uint32_t i = 0; i < x->rank; i++) dims[i] = out_dims[i] = x->dims[i];
    for (uint32_t i = 0; i < n; i++) {
        bool halved = i + 1 == n && span_is(kind, "IRFFT");
        if (x->dims[x->rank - n + i] != (halved ? length[i] / 2 + 1 : length[i]))
            return exec_error(e, op, NULL, "the operand does not have the length to transform");
    }
    if (n && span_is(kind, "RFFT")) out_dims[x->rank - 1] = length[n - 1] / 2 + 1;
    if (n && span_is(kind, "IRFFT")) out_dims[x->rank - 1] = length[n - 1];
    Tensor *out = exec_out(e, op, 0, x->rank, out_dims);
    if (out->n == 0 || x->n == 0) {
        memset(out->data, 0, tensor_bytes(out));
        return true;
    }
    for (uint32_t i = 0; i < n; i++)
        for (int64_t rest = length[i], p; rest > 1; rest /= p) {
            p = smallest_factor(rest);
            exec_work(e, op, (double)x->n * (double)p);
        }
    Complex128 *data = exec_scratch_array(e, x->n, sizeof *data);
    elements_convert((Elem)x->elem, EL_C128, x->data, data, x->n);
    uint32_t last = x->rank - 1;
    if (span_is(kind, "IRFFT")) {
        for (uint32_t i = 0; i + 1 < n; i++) transform_lines(e, data, x->rank, dims, x->rank - n + i, true);
        data = mirrored(e, data, x->n / dims[last], dims[last], length[n - 1]);
        transform_lines(e, data, x->rank, out_dims, last, true);
    } else {
        for (uint32_t i = n; i-- > 0;) transform_lines(e, data, x->rank, dims, x->rank - n + i, inverse);
        if (n && span_is(kind, "RFFT")) {
            int64_t kept = out_dims[last];
            for (int64_t l = 0; l < x->n / dims[last]; l++)
                memmove(data + l * kept, data + l * dims[last], (size_t)kept * sizeof *data);
        }
    }
    elements_convert(EL_C128, (Elem)out->elem, data, out->data, out->n);
    return true;
}
