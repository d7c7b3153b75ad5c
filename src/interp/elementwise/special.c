// Special functions, by series whose terms need no tables of fitted coefficients.
#include "interp/elementwise/special.h"
#include <math.h>

static const double PI = 3.14159265358979323846;

double special_lgamma(double x) { return isinf(x) ? (double)INFINITY : lgamma(x); }

// Bernoulli numbers B_2k for k = 1..12, the coefficients of every expansion at infinity below.
static const double bernoulli[] = {1.0 / 6,       -1.0 / 30,       1.0 / 42,       -1.0 / 30,
                                   5.0 / 66,      -691.0 / 2730,   7.0 / 6,        -3617.0 / 510,
                                   43867.0 / 798, -174611.0 / 330, 854513.0 / 138, -236364091.0 / 2730};
enum { BERNOULLI = 12 };

// psi(x) = psi(x + 1) - 1/x up to x >= 10, there log x - 1/2x - sum B_2k / (2k x^2k); psi(1 - x) - psi(x) = pi / tan(pi
// x).
double special_digamma(double x) {
    if (x <= 0 && x == floor(x)) return (double)NAN;
    if (x < 0.5) return special_digamma(1 - x) - PI / tan(PI * (x - floor(x)));
    double sum = 0;
    for (; x < 10; x++) sum -= 1 / x;
    double square = 1 / (x * x), power = square, tail = 0;
    for (int k = 0; k < 8; k++, power *= square) tail += bernoulli[k] * power / (2 * k + 2);
    return isinf(x) ? x : sum + log(x) - 0.5 / x - tail;
}

// Euler-Maclaurin: the first N terms as they are, then the integral and its corrections at a = q + N.
double special_zeta(double x, double q) {
    if (x == 1) return (double)INFINITY;
    if (x < 1 || x != x || q != q) return (double)NAN;
    if (q <= 0) {
        if (q == floor(q)) return (double)INFINITY;
        if (x != floor(x)) return (double)NAN;
    }
    double sum = 0, a = q;
    for (int i = 0; i < 12 || (a <= 9 && i < 100000); i++, a++) {
        double term = pow(a, -x);
        sum += term;
        if (i > 12 && fabs(term) < fabs(sum) * 1e-17) return sum;
    }
    double term = pow(a, -x);
    sum += term * a / (x - 1) + 0.5 * term;
    double factor = x, k = 0;
    for (int i = 0; i < BERNOULLI; i++) {
        term /= a;
        double next = factor * term * bernoulli[i];
        double fact = 1;
        for (int j = 2; j <= 2 * i + 2; j++) fact *= j;
        next /= fact;
        sum += next;
        if (fabs(next) < fabs(sum) * 1e-17) break;
        k++;
        factor *= (x + k) * (x + k + 1);
        k++;
        term /= a;
    }
    return sum;
}

double special_polygamma(double n, double x) {
    if (n == 0) return special_digamma(x);
    if (n < 0 || n != floor(n)) return (double)NAN;
    double sign = fmod(n, 2) == 0 ? -1 : 1;
    return sign * exp(lgamma(n + 1)) * special_zeta(n + 1, x);
}

// Newton with the second derivative (Halley) from a rough start; near 1 on erfc, which keeps the digits.
double special_erf_inv(double x) {
    double a = fabs(x);
    if (!(a <= 1)) return (double)NAN;
    if (a == 1) return copysign((double)INFINITY, x);
    if (a < 1e-8) return x * (sqrt(PI) / 2);
    double w = -log1p(-a * a), t = 2 / (PI * 0.147) - w / 2; // Winitzki's approximation
    double y = sqrt(sqrt(t * t + w / 0.147) - t);
    for (int i = 0; i < 4; i++) {
        double error = a > 0.5 ? (1 - a) - erfc(y) : erf(y) - a;
        double slope = 2 / sqrt(PI) * exp(-y * y), step = error / slope;
        y -= step / (1 + y * step);
    }
    return copysign(y, x);
}

// The power series has positive terms alone; from 30 on the expansion at infinity reaches full precision.
double special_bessel_i1e(double x) {
    double a = fabs(x);
    if (isinf(x)) return copysign(0.0, x);
    if (a < 30) {
        double half = a / 2, term = half, sum = half;
        for (int k = 1; term > sum * 1e-17; k++) {
            term *= half * half / ((double)k * (k + 1));
            sum += term;
        }
        return copysign(sum * exp(-a), x);
    }
    double term = 1, sum = 1;
    for (int k = 1; k < 20; k++) {
        double odd = 2 * k - 1;
        double next = term * -(4 - odd * odd) / (8 * a * k);
        if (fabs(next) > fabs(term) || fabs(next) < 1e-18) break;
        term = next;
        sum += term;
    }
    return copysign(sum / sqrt(2 * PI * a), x);
}
