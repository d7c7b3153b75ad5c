// The transforms of one precision: fft.c includes this twice, with REAL, COMPLEX and NAME().
//
// In which order terms are added follows FFTPACK as NumPy, SciPy and XLA have it today, so that lengths of small factors
// come out as theirs do, to the last bit. All is written for exp(+2 pi i j k / n): the other sign is the same with real
// and imaginary parts exchanged.

static COMPLEX NAME(exchanged)(COMPLEX x) { return (COMPLEX){x.im, x.re}; }
static COMPLEX NAME(conjugate)(COMPLEX x) { return (COMPLEX){x.re, -x.im}; }
static COMPLEX NAME(plus)(COMPLEX x, COMPLEX y) { return (COMPLEX){x.re + y.re, x.im + y.im}; }
static COMPLEX NAME(minus)(COMPLEX x, COMPLEX y) { return (COMPLEX){x.re - y.re, x.im - y.im}; }
static COMPLEX NAME(scaled)(COMPLEX x, REAL s) { return (COMPLEX){s * x.re, s * x.im}; }
static COMPLEX NAME(quarter)(COMPLEX x) { return (COMPLEX){-x.im, x.re}; } // times i
static COMPLEX NAME(times_root)(COMPLEX x, Root root) {
    REAL re = (REAL)root.re, im = (REAL)root.im;
    return (COMPLEX){x.re * re - x.im * im, x.re * im + x.im * re};
}

// ---- Butterflies: z[l] = sum over j of z[j] exp(2 pi i j l / p) ----------------------------------------------------

static void NAME(butterfly4)(COMPLEX *z) {
    COMPLEX sum = NAME(plus)(z[0], z[2]), difference = NAME(minus)(z[0], z[2]);
    COMPLEX other = NAME(plus)(z[1], z[3]), turn = NAME(quarter)(NAME(minus)(z[1], z[3]));
    z[0] = NAME(plus)(sum, other), z[2] = NAME(minus)(sum, other);
    z[1] = NAME(plus)(difference, turn), z[3] = NAME(minus)(difference, turn);
}

static void NAME(butterfly8)(COMPLEX *z) {
    COMPLEX even[4] = {z[0], z[2], z[4], z[6]}, odd[4] = {z[1], z[3], z[5], z[7]};
    NAME(butterfly4)(even);
    NAME(butterfly4)(odd);
    REAL half = (REAL)SQRT_HALF;
    odd[1] = (COMPLEX){half * (odd[1].re - odd[1].im), half * (odd[1].im + odd[1].re)};
    odd[2] = NAME(quarter)(odd[2]);
    odd[3] = (COMPLEX){half * (-odd[3].re - odd[3].im), half * (odd[3].re - odd[3].im)};
    for (int k = 0; k < 4; k++) z[k] = NAME(plus)(even[k], odd[k]), z[k + 4] = NAME(minus)(even[k], odd[k]);
}

// Of an odd p: sums of z[j] and z[p - j] meet cosines, their differences sines, and z[l] and z[p - l] share both.
static void NAME(butterfly_odd)(const FftPlan *plan, int64_t level, COMPLEX *z) {
    int64_t p = plan->factor[level];
    COMPLEX *y = (COMPLEX *)plan->sums + p;
    y[0] = z[0];
    for (int64_t j = 1; j <= p / 2; j++) {
        COMPLEX sum = NAME(plus)(z[j], z[p - j]), difference = NAME(minus)(z[j], z[p - j]);
        z[j] = sum, z[p - j] = difference;
        y[0] = NAME(plus)(y[0], sum);
    }
    for (int64_t l = 1; l <= p / 2; l++) {
        COMPLEX even = z[0], odd = {0, 0};
        for (int64_t j = 1; j <= p / 2;) {
            COMPLEX cosines = {0, 0}, sines = {0, 0};
            for (int64_t end = j + terms_together(plan, p, j, p / 2 + 1 - j), first = j; j < end; j++) {
                Root w = plan->own[level][j * l % p];
                COMPLEX c = NAME(scaled)(z[j], (REAL)w.re), s = NAME(scaled)(z[p - j], (REAL)w.im);
                cosines = j == first ? c : NAME(plus)(cosines, c);
                sines = j == first ? s : NAME(plus)(sines, s);
            }
            even = NAME(plus)(even, cosines);
            odd = NAME(plus)(odd, sines);
        }
        y[l] = NAME(plus)(even, NAME(quarter)(odd));
        y[p - l] = NAME(minus)(even, NAME(quarter)(odd));
    }
    for (int64_t l = 0; l < p; l++) z[l] = y[l];
}

static void NAME(butterfly)(const FftPlan *plan, int64_t level, COMPLEX *z) {
    COMPLEX first = z[0];
    switch (plan->factor[level]) {
    case 2: z[0] = NAME(plus)(first, z[1]), z[1] = NAME(minus)(first, z[1]); break;
    case 4: NAME(butterfly4)(z); break;
    case 8: NAME(butterfly8)(z); break;
    default: NAME(butterfly_odd)(plan, level, z);
    }
}

// ---- Lines ----------------------------------------------------------------------------------------------------------

// From x (n, overwritten) to out[k * stride].
static void NAME(complex_line)(const FftPlan *plan, int64_t level, int64_t n, COMPLEX *x, COMPLEX *out,
                               int64_t stride) {
    if (n == 1) {
        out[0] = x[0];
        return;
    }
    int64_t p = plan->factor[level], m = n / p, step = plan->n / n;
    COMPLEX *z = plan->sums;
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < p; j++) z[j] = x[i + m * j];
        NAME(butterfly)(plan, level, z);
        for (int64_t l = 0; l < p; l++)
            x[i + m * l] = i && l ? NAME(times_root)(z[l], plan->roots[l * i * step]) : z[l];
    }
    for (int64_t l = 0; l < p; l++) NAME(complex_line)(plan, level + 1, m, x + m * l, out + l * stride, stride * p);
}

// From n real numbers x[j * stride] to out (n / 2 + 1) with exp(-…). `work` has room for 3 n.
static void NAME(real_line)(const FftPlan *plan, int64_t level, int64_t n, const REAL *x, int64_t stride, COMPLEX *out,
                            COMPLEX *work) {
    if (n == 1) {
        out[0] = (COMPLEX){x[0], 0};
        return;
    }
    int64_t p = plan->factor[level], m = n / p, step = plan->n / n, kept = m / 2 + 1;
    for (int64_t j = 0; j < p; j++)
        NAME(real_line)(plan, level + 1, m, x + j * stride, stride * p, work + j * kept, work + p * kept);
    COMPLEX *z = plan->sums;
    for (int64_t i = 0; i < kept; i++) {
        if (2 * i == m && p == 2) {
            out[i] = (COMPLEX){work[i].re, -work[kept + i].re};
            continue;
        }
        if (2 * i == m && p == 4) {
            REAL half = (REAL)SQRT_HALF, c0 = work[i].re, c1 = work[kept + i].re, c2 = work[2 * kept + i].re;
            REAL c3 = work[3 * kept + i].re, re = half * (c1 - c3), im = -half * (c1 + c3);
            out[i] = (COMPLEX){c0 + re, im - c2}, out[m + i] = (COMPLEX){c0 - re, im + c2};
            continue;
        }
        for (int64_t j = 0; j < p; j++) {
            z[j] = NAME(exchanged)(work[j * kept + i]);
            if (i && j) z[j] = NAME(times_root)(z[j], plan->roots[j * i * step]);
        }
        NAME(butterfly)(plan, level, z);
        for (int64_t l = 0; l < p; l++) {
            COMPLEX y = NAME(exchanged)(z[l]);
            int64_t k = i + l * m;
            if (2 * k <= n)
                out[k] = y;
            else if (i)
                out[n - k] = NAME(conjugate)(y);
        }
    }
}

// From x (n / 2 + 1) to n real numbers out[k * stride]. `work` has room for 3 n.
static void NAME(real_inverse_line)(const FftPlan *plan, int64_t level, int64_t n, const COMPLEX *x, REAL *out,
                                    int64_t stride, COMPLEX *work) {
    if (n == 1) {
        out[0] = x[0].re;
        return;
    }
    int64_t p = plan->factor[level], m = n / p, step = plan->n / n, kept = m / 2 + 1;
    COMPLEX *z = plan->sums;
    for (int64_t i = 0; i < kept; i++) {
        if (2 * i == m && p == 2) {
            work[i] = (COMPLEX){2 * x[i].re, 0}, work[kept + i] = (COMPLEX){-2 * x[i].im, 0};
            continue;
        }
        if (2 * i == m && p == 4) {
            REAL root = (REAL)(2 * SQRT_HALF), re = x[i].re - x[m + i].re, im = x[m + i].im + x[i].im;
            work[i] = (COMPLEX){2 * (x[i].re + x[m + i].re), 0};
            work[kept + i] = (COMPLEX){root * (re - im), 0};
            work[2 * kept + i] = (COMPLEX){2 * (x[m + i].im - x[i].im), 0};
            work[3 * kept + i] = (COMPLEX){-root * (re + im), 0};
            continue;
        }
        for (int64_t l = 0; l < p; l++) {
            int64_t k = i + l * m;
            z[l] = 2 * k <= n ? x[k] : NAME(conjugate)(x[n - k]);
        }
        if (i == 0) z[0].im = 0; // real, as is the middle of an even line
        if (i == 0 && p % 2 == 0) z[p / 2].im = 0;
        NAME(butterfly)(plan, level, z);
        for (int64_t j = 0; j < p; j++)
            work[j * kept + i] = i && j ? NAME(times_root)(z[j], plan->roots[j * i * step]) : z[j];
    }
    for (int64_t j = 0; j < p; j++)
        NAME(real_inverse_line)(plan, level + 1, m, work + j * kept, out + j * stride, stride * p, work + p * kept);
}

static void NAME(all_lines)(const FftPlan *plan, FftKind kind, int64_t outer, int64_t inner, double by, const void *in,
                            void *out, COMPLEX *work) {
    int64_t n = plan->n, half = n / 2 + 1, from = kind == FFT_REAL_INVERSE ? half : n, to = kind == FFT_REAL ? half : n;
    COMPLEX *line = work, *result = work + n;
    REAL scale = (REAL)by;
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            const COMPLEX *x = (const COMPLEX *)in + o * from * inner + i;
            COMPLEX *y = (COMPLEX *)out + o * to * inner + i;
            const REAL *real = (const REAL *)in + o * from * inner + i;
            REAL *real_out = (REAL *)out + o * to * inner + i;
            if (kind == FFT_REAL) {
                NAME(real_line)(plan, 0, n, real, inner, line, result);
                for (int64_t k = 0; k < half; k++) y[k * inner] = line[k];
            } else if (kind == FFT_REAL_INVERSE) {
                for (int64_t k = 0; k < half; k++) line[k] = x[k * inner];
                NAME(real_inverse_line)(plan, 0, n, line, real_out, inner, result);
                for (int64_t k = 0; k < n; k++) real_out[k * inner] *= scale;
            } else {
                bool forward = kind == FFT_FORWARD;
                for (int64_t k = 0; k < n; k++) line[k] = forward ? NAME(exchanged)(x[k * inner]) : x[k * inner];
                NAME(complex_line)(plan, 0, n, line, result, 1);
                for (int64_t k = 0; k < n; k++)
                    y[k * inner] = NAME(scaled)(forward ? NAME(exchanged)(result[k]) : result[k], scale);
            }
        }
}
