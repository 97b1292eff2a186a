/*
 * Gauss-Legendre quadrature: the sum of weights[i] * f(nodes[i]) is the integral of f over [a, b],
 * exact for polynomials of degree 2n - 1.
 */
#ifndef ASSAY_MATH_QUADRATURE_H
#define ASSAY_MATH_QUADRATURE_H

#include <stdbool.h>

enum { QUADRATURE_NODES_MAX = 512 };

/* Fills `nodes` (ascending from a to b) and `weights`, n of each. Newton's method on the Legendre
 * polynomial from Tricomi's estimate of its zeros; nodes and weights are accurate to about 1e-15 of
 * b - a. False when n is outside 1..QUADRATURE_NODES_MAX or an end is not finite. */
bool gauss_legendre(int n, double a, double b, double *nodes, double *weights);

#endif
