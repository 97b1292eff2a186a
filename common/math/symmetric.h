/*
 * Small dense symmetric matrices, as arrays of n * n doubles row by row: the triangular root and
 * the eigenvalues. For models of a dozen columns; nothing is allocated.
 */
#ifndef ASSAY_MATH_SYMMETRIC_H
#define ASSAY_MATH_SYMMETRIC_H

#include <stdbool.h>
#include <stddef.h>

enum { SYMMETRIC_MAX = 16 };

/* The lower triangular root: matrix = root * root'. A column whose rest after the columns before it
 * is at most `tolerance` of its own size is a combination of them: it is not `kept`, and its row
 * and column of the root are 0. The number of columns kept. */
size_t symmetric_root(size_t n, const double *matrix, double tolerance, double *root, bool *kept);

/* The inverse of a lower triangular root; rows and columns that are not kept stay 0. */
void symmetric_root_inverse(size_t n, const double *root, const bool *kept, double *inverse);

/* Eigenvalues and eigenvectors by Jacobi's rotations (Golub and Van Loan 2013, 8.5), which are
 * accurate for small values too. Column k of `vectors` belongs to values[k], in no order. `matrix`
 * is destroyed. n is at most SYMMETRIC_MAX. */
void symmetric_eigen(size_t n, double *matrix, double *values, double *vectors);

#endif
