/* Versions: the order of Semantic Versioning 2.0.0 section 11, and versions as they occur. */
#include "base/schema.h"
#include "base/version.h"
#include "test.h"

/* Ascending; the middle ones are the example of section 11.4. */
static const char *const ascending[] = {
    "0.0.0-0",
    "0",
    "0.9",
    "1.0.0-0",
    "1.0.0-1",
    "1.0.0-2",
    "1.0.0-10",
    "1.0.0--",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.0.1",
    "1.0.1",
    "1.2",
    "1.10",
    "2",
    "2.0.0.0.1",
    "119.0.6045.105",
    "119.0.6045.106",
    "20261128",
    "18446744073709551616",
    "18446744073709551617",
    "100000000000000000000000000000000000000",
};

TEST(every_pair_has_its_order)
{
    for (size_t i = 0; i < COUNT_OF(ascending); i++)
        for (size_t j = 0; j < COUNT_OF(ascending); j++) {
            int order = version_compare(ascending[i], ascending[j]);

            CHECK(version_is_valid(ascending[i]));
            CHECK_INT((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

TEST(what_is_equal)
{
    static const char *const pairs[][2] = {
        {"1", "1.0.0"},           {"v1.2.3", "1.2.3"},    {"V1.2.3", "1.2.3"}, {"1.02.3", "1.2.3"},
        {"1.2.3+a", "1.2.3+b.7"}, {"1.2-rc", "1.2.0-rc"}, {"1.2.0.0", "1.2"},
    };

    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        CHECK_INT(version_compare(pairs[i][0], pairs[i][1]), 0);
}

TEST(what_is_no_version)
{
    static const char *const texts[] = {
        "",
        "v",
        "latest",
        "1.",
        ".1",
        "1..2",
        "1.2.x",
        "1.2 ",
        " 1.2",
        "1.2-",
        "1.2+",
        "1.2-a.",
        "1.2-ä",
        "-1",
        "1,2",
        "1.2+a+b",
        "vv1",
        "1.2-+a",
        "\xd9\xa1.\xd9\xa2",
    };

    CHECK(!version_is_valid(NULL));
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        CHECK(!version_is_valid(texts[i]));
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(every_pair_has_its_order),
        CASE(what_is_equal),
        CASE(what_is_no_version),
    };

    return test_run_all(cases, sizeof cases / sizeof cases[0]);
}
