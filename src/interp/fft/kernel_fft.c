// fft: FFT, IFFT, RFFT and IRFFT over the last one to three dimensions, in the precision of the operand.
//
// A transform of several dimensions is one of each dimension in turn: RFFT begins with the last, of which it keeps half,
// and IRFFT ends with it.
#include "interp/fft/fft.h"
#include "interp/kernel.h"

bool kernel_fft(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0);
    Span kind = op_attr_text(e->m, op, A_fft_type);
    uint32_t n;
    const int64_t *length = op_attr_ints(e->m, op, A_fft_length, &n);
    bool inverse = span_is(kind, "IFFT") || span_is(kind, "IRFFT");
    int64_t out_dims[MAX_RANK];
    if (n == 0 || n > x->rank) return exec_error(e, op, NULL, "%u dimensions to transform in rank %u", n, x->rank);
    for (uint32_t i = 0; i < x->rank; i++) out_dims[i] = x->dims[i];
    for (uint32_t i = 0; i < n; i++) {
        bool halved = i + 1 == n && span_is(kind, "IRFFT");
        if (x->dims[x->rank - n + i] != (halved ? length[i] / 2 + 1 : length[i]))
            return exec_error(e, op, NULL, "the operand does not have the length to transform");
    }
    if (span_is(kind, "RFFT")) out_dims[x->rank - 1] = length[n - 1] / 2 + 1;
    if (span_is(kind, "IRFFT")) out_dims[x->rank - 1] = length[n - 1];
    Tensor *out = exec_out(e, op, 0, x->rank, out_dims);
    if (out->n == 0 || x->n == 0) {
        memset(out->data, 0, tensor_bytes(out));
        return true;
    }
    for (uint32_t i = 0; i < n; i++)
        for (int64_t rest = length[i], p; rest > 1; rest /= p) {
            p = fft_smallest_factor(rest);
            exec_work(e, op, (double)x->n * (double)p);
        }
    bool single = x->elem == EL_F32 || x->elem == EL_C64;
    bool to_real = span_is(kind, "IRFFT"), from_real = span_is(kind, "RFFT");
    double points = 1;
    for (uint32_t i = 0; i < n && inverse; i++) points *= (double)length[i];
    double scale = 1 / points;
    Tensor *spectrum = to_real ? x : out; // whose dimensions the complex transforms have
    void *data = out->data;
    if (to_real)
        data = memcpy(exec_scratch_array(e, x->n, tensor_bytes(x) / (size_t)x->n), x->data, tensor_bytes(x));
    else if (!from_real)
        memcpy(data, x->data, tensor_bytes(x));
    else
        fft_lines(e, FFT_REAL, single, x->n / length[n - 1], length[n - 1], 1, 1, x->data, data);
    // XLA's order: from the last dimension to the first, but beside a real one from the first on.
    bool halved = to_real || from_real;
    for (uint32_t i = halved ? 1 : 0; i < n; i++) {
        uint32_t d = halved ? x->rank - n + i - 1 : x->rank - 1 - i;
        int64_t outer = 1, inner = 1;
        for (uint32_t k = 0; k < d; k++) outer *= spectrum->dims[k];
        for (uint32_t k = d + 1; k < spectrum->rank; k++) inner *= spectrum->dims[k];
        fft_lines(e, inverse ? FFT_INVERSE : FFT_FORWARD, single, outer, spectrum->dims[d], inner, i == 0 ? scale : 1,
                  data, data);
    }
    if (to_real)
        fft_lines(e, FFT_REAL_INVERSE, single, out->n / length[n - 1], length[n - 1], 1, scale, data, out->data);
    return true;
}
