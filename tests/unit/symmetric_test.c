/* Roots and eigenvalues of small symmetric matrices: what they must multiply back to. */
#include "math/random.h"
#include "math/symmetric.h"
#include "test.h"

#include <math.h>

enum { LARGEST = SYMMETRIC_MAX, CELLS = LARGEST * LARGEST, CASES = 200 };

/* The products of random columns, the last of which is a sum of two others when asked. */
static size_t make_products(struct random *random, bool dependent, double *matrix)
{
    size_t n = 3 + random_u64(random) % (LARGEST - 2);
    double columns[2 * LARGEST][LARGEST];

    for (size_t row = 0; row < 2 * n; row++) {
        for (size_t i = 0; i < n; i++)
            columns[row][i] = random_normal(random);
        if (dependent)
            columns[row][n - 1] = columns[row][0] - 2 * columns[row][1];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            matrix[i * n + j] = 0;
            for (size_t row = 0; row < 2 * n; row++)
                matrix[i * n + j] += columns[row][i] * columns[row][j];
        }
    return n;
}

/* left * diagonal * right' (all ones without a diagonal), or its largest distance from `expected`.
 */
static double distance(size_t n, const double *left, const double *diagonal, const double *expected)
{
    double largest = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;

            for (size_t k = 0; k < n; k++)
                sum += left[i * n + k] * (diagonal ? diagonal[k] : 1) * left[j * n + k];
            largest = fmax(largest, fabs(sum - expected[i * n + j]));
        }
    return largest;
}

TEST(a_root_times_itself_is_the_matrix)
{
    struct random random = random_start(1, 2);
    double matrix[CELLS], root[CELLS], inverse[CELLS];
    bool kept[LARGEST];

    for (int i = 0; i < CASES; i++) {
        size_t n = make_products(&random, false, matrix);

        CHECK_INT(symmetric_root(n, matrix, 1e-12, root, kept), n);
        CHECK(distance(n, root, NULL, matrix) < 1e-12 * matrix[0] * (double)n * (double)n);
        symmetric_root_inverse(n, root, kept, inverse);
        for (size_t row = 0; row < n; row++) {
            double sum = 0;

            for (size_t k = 0; k < n; k++)
                sum += root[row * n + k] * inverse[k * n];
            CHECK(fabs(sum - (row == 0)) < 1e-9);
        }
    }
}

TEST(a_column_that_others_make_is_left_out)
{
    struct random random = random_start(3, 4);
    double matrix[CELLS], root[CELLS];
    bool kept[LARGEST];

    for (int i = 0; i < CASES; i++) {
        size_t n = make_products(&random, true, matrix);

        CHECK_INT(symmetric_root(n, matrix, 1e-12, root, kept), n - 1);
        CHECK(!kept[n - 1] && kept[0] && kept[1]);
        CHECK_NEAR(root[n * n - 1], 0, 0);
    }
}

TEST(eigenvalues_and_vectors_make_the_matrix)
{
    struct random random = random_start(5, 6);
    double matrix[CELLS], work[CELLS], values[LARGEST], vectors[CELLS], unit[CELLS];

    for (int i = 0; i < CASES; i++) {
        size_t n = make_products(&random, i % 2, matrix);

        for (size_t k = 0; k < n * n; k++) {
            work[k] = matrix[k];
            unit[k] = k % (n + 1) == 0;
        }
        symmetric_eigen(n, work, values, vectors);
        CHECK(distance(n, vectors, values, matrix) < 1e-12 * matrix[0] * (double)n * (double)n);
        CHECK(distance(n, vectors, NULL, unit) < 1e-13 * (double)n);
    }
}

TEST(a_diagonal_matrix_is_its_own_answer)
{
    double matrix[4] = {3, 0, 0, 1e-20}, values[2], vectors[4];

    symmetric_eigen(2, matrix, values, vectors);
    CHECK_NEAR(values[0], 3, 0);
    CHECK_NEAR(values[1], 1e-20, 0);
    CHECK_NEAR(vectors[0], 1, 0);
}

TEST_MAIN(CASE(a_root_times_itself_is_the_matrix), CASE(a_column_that_others_make_is_left_out),
          CASE(eigenvalues_and_vectors_make_the_matrix), CASE(a_diagonal_matrix_is_its_own_answer))
