// Special functions of real arguments that libm lacks.
#ifndef PARTIR_INTERP_ELEMENTWISE_SPECIAL_H
#define PARTIR_INTERP_ELEMENTWISE_SPECIAL_H

double special_lgamma(double x);              // log |gamma(x)|
double special_digamma(double x);             // derivative of log gamma
double special_polygamma(double n, double x); // its n-th derivative
double special_zeta(double x, double q);      // Hurwitz zeta: sum of (k + q)^-x
double special_erf_inv(double x);
double special_bessel_i1e(double x); // exp(-|x|) times the modified Bessel function of order 1

#endif
