/* Nodes and weights of Gauss-Legendre quadrature. */
#include "math/quadrature.h"

#include <math.h>

/* P_n(x) and its derivative, by the three-term recurrence. */
static double legendre(int n, double x, double *derivative)
{
    double before = 1, here = x;

    for (int k = 2; k <= n; k++) {
        double next = x * here + (k - 1.0) / k * (x * here - before);

        before = here;
        here = next;
    }
    *derivative = n * (before - x * here) / ((1 - x) * (1 + x));
    return here;
}

/* Francesco Tricomi's estimate of the i-th largest zero, good to n^-4. */
static double zero_estimate(int n, int i)
{
    double size = n, correction = 1 - (size - 1) / (8 * size * size * size);

    return correction * cos(M_PI * (i + 0.75) / (size + 0.5));
}

bool gauss_legendre(int n, double a, double b, double *nodes, double *weights)
{
    if (n < 1 || n > QUADRATURE_NODES_MAX || !isfinite(a) || !isfinite(b))
        return false;

    double centre = a + (b - a) / 2, half = (b - a) / 2;

    for (int i = 0; i < (n + 1) / 2; i++) {
        double x = 2 * i + 1 == n ? 0 : zero_estimate(n, i), derivative;

        for (int round = 0; round < 8; round++) {
            double step = legendre(n, x, &derivative) / derivative;

            x -= step;
            /* Newton's next step would be step^2 x / (1 - x^2). */
            if (step * step < 1e-17 * ((1 - x) * (1 + x)))
                break;
        }
        legendre(n, x, &derivative);
        nodes[i] = centre - half * x;
        nodes[n - 1 - i] = centre + half * x;
        weights[i] = weights[n - 1 - i] = 2 * half / ((1 - x) * (1 + x) * derivative * derivative);
    }
    return true;
}
