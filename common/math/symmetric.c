/* Cholesky's root and Jacobi's rotations. */
#include "math/symmetric.h"

#include <math.h>
#include <string.h>

enum { SWEEPS_MAX = 60 };

size_t symmetric_root(size_t n, const double *matrix, double tolerance, double *root, bool *kept)
{
    size_t rank = 0;

    memset(root, 0, n * n * sizeof *root);
    for (size_t j = 0; j < n; j++) {
        double rest = matrix[j * n + j];

        for (size_t k = 0; k < j; k++)
            rest -= root[j * n + k] * root[j * n + k];
        kept[j] = rest > tolerance * matrix[j * n + j];
        if (!kept[j]) {
            memset(root + j * n, 0, n * sizeof *root);
            continue;
        }
        rank++;
        root[j * n + j] = sqrt(rest);
        for (size_t i = j + 1; i < n; i++) {
            double sum = matrix[i * n + j];

            for (size_t k = 0; k < j; k++)
                sum -= root[i * n + k] * root[j * n + k];
            root[i * n + j] = sum / root[j * n + j];
        }
    }
    return rank;
}

void symmetric_root_inverse(size_t n, const double *root, const bool *kept, double *inverse)
{
    memset(inverse, 0, n * n * sizeof *inverse);
    for (size_t j = 0; j < n; j++) {
        if (!kept[j])
            continue;
        inverse[j * n + j] = 1 / root[j * n + j];
        for (size_t i = j + 1; i < n; i++) {
            double sum = 0;

            if (!kept[i])
                continue;
            for (size_t k = j; k < i; k++)
                sum -= root[i * n + k] * inverse[k * n + j];
            inverse[i * n + j] = sum / root[i * n + i];
        }
    }
}

/* Rotates rows or columns p and q: `step` is the distance of neighbours in them. */
static void rotate(size_t n, double *first, double *second, size_t step, double sine, double cosine)
{
    for (size_t k = 0; k < n; k++, first += step, second += step) {
        double one = *first, other = *second;

        *first = cosine * one - sine * other;
        *second = sine * one + cosine * other;
    }
}

/* Makes the element (p, q) zero; false when it is zero beside its diagonal already. */
static bool annihilate(size_t n, double *matrix, double *vectors, size_t p, size_t q)
{
    double off = matrix[p * n + q], one = matrix[p * n + p], other = matrix[q * n + q];
    double slope, tangent, cosine;

    if (fabs(off) <= 1e-18 * sqrt(fabs(one * other)) || fabs(off) < 1e-300)
        return false;
    slope = (other - one) / (2 * off);
    tangent = (slope < 0 ? -1 : 1) / (fabs(slope) + hypot(slope, 1));
    cosine = 1 / hypot(tangent, 1);
    rotate(n, matrix + p, matrix + q, n, tangent * cosine, cosine);
    rotate(n, matrix + p * n, matrix + q * n, 1, tangent * cosine, cosine);
    rotate(n, vectors + p, vectors + q, n, tangent * cosine, cosine);
    matrix[p * n + q] = matrix[q * n + p] = 0;
    return true;
}

void symmetric_eigen(size_t n, double *matrix, double *values, double *vectors)
{
    bool changed = true;

    memset(vectors, 0, n * n * sizeof *vectors);
    for (size_t i = 0; i < n; i++)
        vectors[i * n + i] = 1;
    for (int sweep = 0; changed && sweep < SWEEPS_MAX; sweep++) {
        changed = false;
        for (size_t p = 0; p + 1 < n; p++)
            for (size_t q = p + 1; q < n; q++)
                changed |= annihilate(n, matrix, vectors, p, q);
    }
    for (size_t i = 0; i < n; i++)
        values[i] = matrix[i * n + i];
}
