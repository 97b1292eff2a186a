/*
 * The unit-test kit: a test program includes this, writes functions with TEST(name) and ends with
 * TEST_MAIN(a, b, c). Failing checks print their place and the program goes on; the last line is
 * `N passed, N failed`.
 */
#ifndef ASSAY_TEST_H
#define ASSAY_TEST_H

#include <math.h>
#include <stdio.h>
#include <string.h>

static int test_failures_here;

#define TEST(name) static void test_##name(void)

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                         \
            test_failures_here++;                                                                  \
        }                                                                                          \
    } while (0)

#define CHECK_INT(actual, expected)                                                                \
    do {                                                                                           \
        long long actual_ = (long long)(actual), expected_ = (long long)(expected);                \
        if (actual_ != expected_) {                                                                \
            printf("%s:%d: %s is %lld, expected %lld\n", __FILE__, __LINE__, #actual, actual_,     \
                   expected_);                                                                     \
            test_failures_here++;                                                                  \
        }                                                                                          \
    } while (0)

#define CHECK_TEXT(actual, expected)                                                               \
    do {                                                                                           \
        const char *actual_ = (actual), *expected_ = (expected);                                   \
        if (!actual_ || strcmp(actual_, expected_) != 0) {                                         \
            printf("%s:%d: %s is \"%s\", expected \"%s\"\n", __FILE__, __LINE__, #actual,          \
                   actual_ ? actual_ : "(null)", expected_);                                       \
            test_failures_here++;                                                                  \
        }                                                                                          \
    } while (0)

/* |actual - expected| <= tolerance; NaN never passes. */
#define CHECK_NEAR(actual, expected, tolerance)                                                    \
    do {                                                                                           \
        double actual_ = (actual), expected_ = (expected);                                         \
        if (!(fabs(actual_ - expected_) <= (tolerance))) {                                         \
            printf("%s:%d: %s is %.17g, expected %.17g within %g\n", __FILE__, __LINE__, #actual,  \
                   actual_, expected_, (double)(tolerance));                                       \
            test_failures_here++;                                                                  \
        }                                                                                          \
    } while (0)

/* Relative error; expected must not be 0. */
#define CHECK_RELATIVE(actual, expected, tolerance)                                                \
    CHECK_NEAR((actual) / (double)(expected), 1.0, tolerance)

struct test_case {
    const char *name;
    void (*run)(void);
};

static inline int test_run_all(const struct test_case *cases, size_t count)
{
    int failed = 0;

    for (size_t i = 0; i < count; i++) {
        test_failures_here = 0;
        cases[i].run();
        if (test_failures_here) {
            failed++;
            printf("FAILED %s\n", cases[i].name);
        }
    }
    printf("%zu passed, %d failed\n", count - (size_t)failed, failed);
    return failed ? 1 : 0;
}

/* TEST_MAIN(CASE(adds), CASE(subtracts)) */
#define CASE(name)                                                                                 \
    {                                                                                              \
#name, test_##name                                                                         \
    }
#define TEST_MAIN(...)                                                                             \
    int main(void)                                                                                 \
    {                                                                                              \
        static const struct test_case cases[] = {__VA_ARGS__};                                     \
        return test_run_all(cases, sizeof cases / sizeof cases[0]);                                \
    }

#endif
