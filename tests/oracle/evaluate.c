/* The math kit on standard input and output, for math_test.py (support/lines.h). */
#include "base/number.h"
#include "math/beta.h"
#include "math/binomial.h"
#include "math/chi_square.h"
#include "math/fisher_f.h"
#include "math/gamma.h"
#include "math/hypergeometric.h"
#include "math/normal.h"
#include "math/poisson.h"
#include "math/quadrature.h"
#include "math/random.h"
#include "math/special.h"
#include "math/student.h"
#include "support/lines.h"

#include <math.h>
#include <stdint.h>

/* Words of the generator as two exact doubles: seed, stream, index. */
static uint64_t word_at(const double *a)
{
    struct random random = random_start((uint64_t)a[0], (uint64_t)a[1]);
    uint64_t word = random_u64(&random);

    for (int i = 0; i < (int)a[2]; i++)
        word = random_u64(&random);
    return word;
}

static double random_high_half(const double *a)
{
    return (double)(word_at(a) >> 32);
}

static double random_low_half(const double *a)
{
    return (double)(word_at(a) & 0xffffffff);
}

static double nodes[QUADRATURE_NODES_MAX], weights[QUADRATURE_NODES_MAX];

static double gauss_legendre_node(const double *a)
{
    return gauss_legendre((int)a[0], -1, 1, nodes, weights) ? nodes[(int)a[1]] : NAN;
}

static double gauss_legendre_weight(const double *a)
{
    return gauss_legendre((int)a[0], -1, 1, nodes, weights) ? weights[(int)a[1]] : NAN;
}

/* A function, how many numbers it takes, and how they spread over its parameters: D for a double, I
 * for an integer. */
#define D(i) a[i]
#define I(i) (int64_t) a[i]
#define FUNCTIONS(X)                                                                               \
    X(normal_density, 1, D(0))                                                                     \
    X(normal_cdf, 1, D(0))                                                                         \
    X(normal_survival, 1, D(0))                                                                    \
    X(normal_log_cdf, 1, D(0))                                                                     \
    X(normal_log_survival, 1, D(0))                                                                \
    X(normal_quantile, 1, D(0))                                                                    \
    X(normal_upper_quantile, 1, D(0))                                                              \
    X(student_density, 2, D(0), D(1))                                                              \
    X(student_cdf, 2, D(0), D(1))                                                                  \
    X(student_survival, 2, D(0), D(1))                                                             \
    X(student_quantile, 2, D(0), D(1))                                                             \
    X(student_upper_quantile, 2, D(0), D(1))                                                       \
    X(chi_square_density, 2, D(0), D(1))                                                           \
    X(chi_square_cdf, 2, D(0), D(1))                                                               \
    X(chi_square_survival, 2, D(0), D(1))                                                          \
    X(chi_square_quantile, 2, D(0), D(1))                                                          \
    X(chi_square_upper_quantile, 2, D(0), D(1))                                                    \
    X(fisher_f_density, 3, D(0), D(1), D(2))                                                       \
    X(fisher_f_cdf, 3, D(0), D(1), D(2))                                                           \
    X(fisher_f_survival, 3, D(0), D(1), D(2))                                                      \
    X(fisher_f_quantile, 3, D(0), D(1), D(2))                                                      \
    X(fisher_f_upper_quantile, 3, D(0), D(1), D(2))                                                \
    X(beta_density, 3, D(0), D(1), D(2))                                                           \
    X(beta_cdf, 3, D(0), D(1), D(2))                                                               \
    X(beta_survival, 3, D(0), D(1), D(2))                                                          \
    X(beta_quantile, 3, D(0), D(1), D(2))                                                          \
    X(beta_upper_quantile, 3, D(0), D(1), D(2))                                                    \
    X(gamma_density, 2, D(0), D(1))                                                                \
    X(gamma_cdf, 2, D(0), D(1))                                                                    \
    X(gamma_survival, 2, D(0), D(1))                                                               \
    X(gamma_quantile, 2, D(0), D(1))                                                               \
    X(gamma_upper_quantile, 2, D(0), D(1))                                                         \
    X(binomial_pmf, 3, I(0), I(1), D(2))                                                           \
    X(binomial_log_pmf, 3, I(0), I(1), D(2))                                                       \
    X(binomial_cdf, 3, I(0), I(1), D(2))                                                           \
    X(binomial_survival, 3, I(0), I(1), D(2))                                                      \
    X(binomial_quantile, 3, D(0), I(1), D(2))                                                      \
    X(poisson_pmf, 2, I(0), D(1))                                                                  \
    X(poisson_log_pmf, 2, I(0), D(1))                                                              \
    X(poisson_cdf, 2, I(0), D(1))                                                                  \
    X(poisson_survival, 2, I(0), D(1))                                                             \
    X(poisson_quantile, 2, D(0), D(1))                                                             \
    X(hypergeometric_pmf, 4, I(0), I(1), I(2), I(3))                                               \
    X(hypergeometric_log_pmf, 4, I(0), I(1), I(2), I(3))                                           \
    X(hypergeometric_cdf, 4, I(0), I(1), I(2), I(3))                                               \
    X(hypergeometric_survival, 4, I(0), I(1), I(2), I(3))                                          \
    X(hypergeometric_quantile, 4, D(0), I(1), I(2), I(3))                                          \
    X(log_gamma, 1, D(0))                                                                          \
    X(log_gamma_ratio, 2, D(0), D(1))                                                              \
    X(log_beta, 2, D(0), D(1))                                                                     \
    X(log_factorial, 1, I(0))                                                                      \
    X(log_choose, 2, I(0), I(1))                                                                   \
    X(log1p_minus, 1, D(0))                                                                        \
    X(expm1_minus, 1, D(0))                                                                        \
    X(stirling_error, 1, D(0))                                                                     \
    X(number_round, 2, D(0), (int)a[1])                                                            \
    X(random_high_half, 3, a)                                                                      \
    X(random_low_half, 3, a)                                                                       \
    X(gauss_legendre_node, 2, a)                                                                   \
    X(gauss_legendre_weight, 2, a)

#define ANSWER(function, arity, ...)                                                               \
    static void answer_##function(struct line *line)                                               \
    {                                                                                              \
        const double *a = line_take(line, arity).items;                                            \
                                                                                                   \
        PRINT_NUMBERS(function(__VA_ARGS__));                                                      \
    }
#define ROW(function, arity, ...) {#function, answer_##function},

FUNCTIONS(ANSWER)

static const struct line_method methods[] = {FUNCTIONS(ROW)};

LINES_MAIN(methods)
