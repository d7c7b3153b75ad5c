// Lengths taken apart into factors, and the roots of one that a transform needs.
//
// n = p m: p-point sums of elements m apart, each times a root, and then p transforms of length m (or, from real
// numbers, the other way round). Factors are 8, 4 and 2 and then odd primes; a large prime is summed as it stands.
#include "interp/fft/fft.h"
#include <math.h>

#define PI_LONG   3.141592653589793238462643383279502884L
#define SQRT_HALF 0.707106781186547524400844362104849039L

typedef struct Root {
    double re, im;
} Root;

typedef struct FftPlan {
    int64_t n;
    int64_t factor[64];
    Root *own[64]; // exp(2 pi i k / p) for odd factors p
    Root *roots;   // exp(2 pi i k / n), k < n
    void *sums;    // room for the sums of one butterfly: twice the largest factor
    bool real;     // how many terms of a butterfly are added before they go into its sum differs
} FftPlan;

int64_t fft_smallest_factor(int64_t n) {
    for (int64_t p = 2; p * p <= n; p++)
        if (n % p == 0) return p;
    return n;
}

// exp(2 pi i x / n) by the cosine and sine of at most an eighth of a turn.
static Root eighth(int64_t x, int64_t n) {
    double angle = (double)(0.25L * PI_LONG / (long double)n);
    x *= 8;
    bool lower = x >= 4 * n;
    if (lower) x = 8 * n - x;
    bool left = x >= 2 * n;
    if (left) x -= 2 * n;
    double near = (double)x * angle, far = (double)(2 * n - x) * angle;
    Root r = x < n ? (Root){cos(near), sin(near)} : (Root){sin(far), cos(far)};
    if (left) r = (Root){-r.im, r.re};
    if (lower) r.im = -r.im;
    return r;
}

// A root is the product of one of the first 2^shift and of one that is a multiple of 2^shift.
static void fill_roots(FftPlan *plan) {
    int64_t n = plan->n, half = (n + 2) / 2, shift = 1;
    while ((INT64_C(1) << shift) * (INT64_C(1) << shift) < half) shift++;
    int64_t mask = (INT64_C(1) << shift) - 1;
    for (int64_t k = 0; k < n; k++) {
        int64_t at = 2 * k <= n ? k : n - k;
        Root a = eighth(at & mask, n), b = eighth(at & ~mask, n);
        if ((at & mask) == 0) a = (Root){1, 0};
        Root r = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
        if (at != k) r.im = -r.im;
        plan->roots[k] = r;
    }
}

static int64_t take_factors(FftPlan *plan, bool eights) {
    int64_t rest = plan->n, n = 0, largest = 1;
    for (int64_t p = eights ? 8 : 4; p >= 4; p /= 2)
        for (; rest % p == 0; rest /= p) plan->factor[n++] = p;
    if (rest % 2 == 0) { // a single 2 goes first
        plan->factor[n] = n ? plan->factor[0] : 2;
        plan->factor[0] = 2;
        n++, rest /= 2;
    }
    for (int64_t p; rest > 1; rest /= p) {
        p = fft_smallest_factor(rest);
        plan->factor[n++] = p;
    }
    for (int64_t i = 0; i < n; i++)
        if (plan->factor[i] > largest) largest = plan->factor[i];
    return largest;
}

// The roots of an odd factor. The code that this is to agree with has those of small factors as constants, which are
// exact, and takes the others from its table.
static Root *own_roots(Exec *e, const FftPlan *plan, int64_t p) {
    Root *own = exec_scratch_array(e, p, sizeof *own);
    for (int64_t k = 0; k < p; k++) {
        long double angle = 2 * PI_LONG * (long double)k / (long double)p;
        bool exact = p <= (plan->real ? 5 : 11);
        own[k] = exact ? (Root){(double)cosl(angle), (double)sinl(angle)} : plan->roots[k * (plan->n / p)];
    }
    return own;
}

// How many terms of a butterfly of p are added to one another before they are added to its sum, with `left` of them to go.
static int64_t terms_together(const FftPlan *plan, int64_t p, int64_t term, int64_t left) {
    if (term <= 2 || (!plan->real && p <= 11)) return 1;
    return plan->real && left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

#define REAL    float
#define COMPLEX ComplexFloat
#define NAME(x) x##_float
typedef struct ComplexFloat {
    float re, im;
} ComplexFloat;
#include "interp/fft/fft_lines.h"
#undef REAL
#undef COMPLEX
#undef NAME

#define REAL    double
#define COMPLEX Root
#define NAME(x) x##_double
#include "interp/fft/fft_lines.h"

void fft_lines(Exec *e, FftKind kind, bool single, int64_t outer, int64_t n, int64_t inner, double scale,
               const void *in, void *out) {
    bool real = kind == FFT_REAL || kind == FFT_REAL_INVERSE;
    FftPlan plan = {.n = n, .real = real};
    int64_t largest = take_factors(&plan, !real);
    plan.roots = exec_scratch_array(e, n, sizeof *plan.roots);
    plan.sums = exec_scratch_array(e, 2 * largest, sizeof(Root));
    fill_roots(&plan);
    for (int i = 0; i < 64 && plan.factor[i]; i++)
        if (plan.factor[i] % 2) plan.own[i] = own_roots(e, &plan, plan.factor[i]);
    void *work = exec_scratch_array(e, 4 * n + 4, sizeof(Root));
    if (single)
        all_lines_float(&plan, kind, outer, inner, scale, in, out, work);
    else
        all_lines_double(&plan, kind, outer, inner, scale, in, out, work);
}
