/* Decimal text of doubles: shortest form, correct rounding, strict reading. */
#include "base/number.h"
#include "test.h"

#include <float.h>
#include <stdlib.h>

TEST(shortest_form)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {5, "5.0"},
        {0, "0.0"},
        {-0.0, "0.0"},
        {1e-5, "1e-05"},
        {1e-4, "0.0001"},
        {1e15, "1000000000000000.0"},
        {1e16, "1e+16"},
        {0.1 + 0.2, "0.30000000000000004"},
        {2.5e-7, "2.5e-07"},
        {-1.5, "-1.5"},
        {0.1, "0.1"},
        {123456.789, "123456.789"},
        {5e-324, "5e-324"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {100, "100.0"},
        {1e22, "1e+22"},
        {9007199254740993.0, "9007199254740992.0"},
        {0.00012345, "0.00012345"},
        {-123e-300, "-1.23e-298"},
        {12345678901234567.0, "1.2345678901234568e+16"},
    };
    char text[NUMBER_TEXT_MAX];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t length = number_format(cases[i].value, text);

        CHECK_TEXT(text, cases[i].text);
        CHECK_INT(length, strlen(cases[i].text));
    }
}

TEST(every_form_reads_back)
{
    char text[NUMBER_TEXT_MAX];
    unsigned long long state = 88172645463325252ULL;

    for (int i = 0; i < 200000; i++) {
        double value, read;

        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        memcpy(&value, &state, sizeof value);
        if (!isfinite(value))
            continue;
        CHECK_INT(number_format(value, text), strlen(text));
        CHECK(number_parse(text, &read) && read == value);
    }
}

TEST(rounding_is_correct)
{
    CHECK(number_round(2.675, 2) == 2.67); /* the double is just below the tie */
    CHECK(number_round(0.125, 2) == 0.12); /* exact tie goes to even */
    CHECK(number_round(0.375, 2) == 0.38);
    CHECK(number_round(-0.00001, 4) == 0 && !signbit(number_round(-0.00001, 4)));
    CHECK(number_round(1e300, 4) == 1e300);
    CHECK(isnan(number_round(NAN, 2)));
}

TEST(only_whole_decimal_numbers_are_read)
{
    static const char *const bad[] = {"",      " ",   "nan", "inf", "-Infinity", "0x10",
                                      "1e400", "1 2", "1,5", "12a", "--1",       "1e",
                                      ".",     "e5",  "1_0", "+",   "1.5.",      "\xd9\xa1"};
    double value;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK(!number_parse(bad[i], &value));
    CHECK(number_parse(" 0.05 ", &value) && value == 0.05);
    CHECK(number_parse("-1e-3", &value) && value == -0.001);
    CHECK(number_parse("+7", &value) && value == 7);
}

TEST(integers)
{
    int64_t value;

    CHECK(integer_parse("9223372036854775807", &value) && value == INT64_MAX);
    CHECK(integer_parse("-42", &value) && value == -42);
    CHECK(!integer_parse("9223372036854775808", &value));
    CHECK(!integer_parse("1.0", &value));
    CHECK(!integer_parse("", &value));
}

TEST_MAIN(CASE(shortest_form), CASE(every_form_reads_back), CASE(rounding_is_correct),
          CASE(only_whole_decimal_numbers_are_read), CASE(integers))
