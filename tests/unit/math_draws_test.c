/* Draws in bulk: published words, the ziggurat's areas, distributions by Kolmogorov's distance, and
 * the squeeze against the test that it stands for. */
#include "math/draws.h"
#include "math/gamma.h"
#include "math/normal.h"
#include "test.h"

#include <stdlib.h>

enum { DRAWS = 100000 };

static double drawn[DRAWS];
static struct ziggurat ziggurat;

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* sqrt(n) times the largest distance between the empirical distribution and the true one; above
 * 1.95 once in a thousand samples. */
static double distance(double (*cdf)(double x, double shape), double shape)
{
    double largest = 0;

    qsort(drawn, DRAWS, sizeof *drawn, compare);
    for (int i = 0; i < DRAWS; i++) {
        double p = cdf(drawn[i], shape);

        largest = fmax(largest, fmax(p - (double)i / DRAWS, (i + 1.0) / DRAWS - p));
    }
    return largest * sqrt(DRAWS);
}

static double normal(double x, double shape)
{
    (void)shape;
    return normal_cdf(x);
}

static double uniform(double x, double shape)
{
    (void)shape;
    return x;
}

/* Vigna's splitmix64.c, seed 0 and seed 1234567. */
TEST(words_are_splitmix64)
{
    static const uint64_t from_0[] = {0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f};
    static const uint64_t from_1234567[] = {6457827717110365317U, 3203168211198807973U,
                                            9817491932198370423U};
    struct draws draws = {.place = 0}, others = {.place = 1234567};

    for (int i = 0; i < 3; i++) {
        CHECK(draws_word(&draws) == from_0[i]);
        CHECK(draws_word(&others) == from_1234567[i]);
    }
}

TEST(streams_differ_and_repeat)
{
    struct draws first, again, second, other_seed;
    int same = 0;

    draws_start(&first, &ziggurat, 1, 0);
    draws_start(&again, &ziggurat, 1, 0);
    draws_start(&second, &ziggurat, 1, 1);
    draws_start(&other_seed, &ziggurat, 0, 1);
    for (int i = 0; i < 1000; i++) {
        uint64_t word = draws_word(&first);

        CHECK(word == draws_word(&again));
        same += word == draws_word(&second) || word == draws_word(&other_seed);
    }
    CHECK_INT(same, 0);
}

/* Every layer has the same area; the top one closes at the top of the curve. */
TEST(layers_have_one_area)
{
    double area = ziggurat.edge[0] * ziggurat.density[1];

    for (int i = 1; i < ZIGGURAT_LAYERS; i++) {
        CHECK(ziggurat.edge[i + 1] < ziggurat.edge[i]);
        CHECK_RELATIVE(ziggurat.edge[i] * (ziggurat.density[i + 1] - ziggurat.density[i]), area,
                       1e-11);
    }
    CHECK(ziggurat.density[ZIGGURAT_LAYERS] == 1);
}

TEST(uniforms_fit)
{
    struct draws draws;

    draws_start(&draws, &ziggurat, 11, 0);
    for (int i = 0; i < DRAWS; i++) {
        drawn[i] = draws_uniform(&draws);
        CHECK(drawn[i] > 0 && drawn[i] < 1);
    }
    CHECK(distance(uniform, 0) < 1.95);
}

TEST(normals_fit)
{
    struct draws draws;
    uint64_t word;
    int beyond = 0;

    draws_start(&draws, &ziggurat, 12, 0);
    for (int i = 0; i < DRAWS; i++)
        drawn[i] = draws_normal(&draws, &word);
    CHECK(distance(normal, 0) < 1.95);
    for (int i = 0; i < 100 * DRAWS; i++)
        beyond += fabs(draws_normal(&draws, &word)) > 3.7;
    /* The tail beyond the bottom layer, counted: 5 standard deviations. */
    double expected = 200.0 * DRAWS * normal_survival(3.7);

    CHECK_NEAR(beyond, expected, 5 * sqrt(expected));
}

/* Neither acceptance nor size may depend on the bits that the gamma test takes. */
TEST(spare_bits_are_free)
{
    static double total[1 << DRAWS_SPARE_BITS];
    struct draws draws;
    double squares = 0, cells = 1 << DRAWS_SPARE_BITS;
    uint64_t word;

    draws_start(&draws, &ziggurat, 13, 0);
    for (int i = 0; i < 40 * DRAWS; i++) {
        double z = draws_normal(&draws, &word);

        total[draws_spare(word)] += z * z;
    }
    /* A cell sums about 977 squares: mean 977, variance 3 x 977. */
    for (int i = 0; i < cells; i++) {
        double mean = 40.0 * DRAWS / cells, excess = total[i] - mean;

        squares += excess * excess / (3 * mean);
    }
    CHECK_NEAR(squares / cells, 1, 5 * sqrt(2 / cells));
}

TEST(gammas_fit)
{
    static const double shapes[] = {1, 1.5, 2, 3, 5, 17, 100, 4000};
    struct draws draws;

    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        struct gamma_shape shape = gamma_shape_of(shapes[s]);

        draws_start(&draws, &ziggurat, 14, s);
        for (int i = 0; i < DRAWS; i++)
            drawn[i] = draws_gamma(&draws, &shape);
        CHECK(distance(gamma_cdf, shapes[s]) < 1.95);
    }
}

/* What the squeeze accepts, the full test accepts: exp(z^2 / 2 + d (1 - v + ln v)) is not below
 * 1 - squeeze z^4 wherever 1 + c z >= 1/2. */
TEST(squeeze_is_inside_the_test)
{
    for (double size = 1; size < 1e6; size *= 1.3) {
        struct gamma_shape shape = gamma_shape_of(size);

        for (double z = -9; z < 9; z += 0.01) {
            double root = 1 + shape.c * z, cube = root * root * root;
            double squeeze = shape.squeeze / (1 << DRAWS_SPARE_BITS) * z * z * z * z;

            if (root >= 0.5)
                CHECK(z * z / 2 + shape.d * (1 - cube + log(cube)) >=
                      log1p(-fmin(squeeze, 1 - 1e-16)) - 1e-9 * size);
        }
    }
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(words_are_splitmix64), CASE(streams_differ_and_repeat),
        CASE(layers_have_one_area), CASE(uniforms_fit),
        CASE(normals_fit),          CASE(spare_bits_are_free),
        CASE(gammas_fit),           CASE(squeeze_is_inside_the_test),
    };

    ziggurat_build(&ziggurat);
    return test_run_all(cases, sizeof cases / sizeof cases[0]);
}
