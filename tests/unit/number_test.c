/* Decimal text of doubles: shortest form, correct rounding, strict reading. */
#include "base/number.h"
#include "test.h"

#include <float.h>
#include <math.h>
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

/* The definition, told by printf and strtod: 15 digits where they read back, else 16, else 17. */
static void check_digits(double value)
{
    char text[NUMBER_TEXT_MAX], wanted[40];
    double read;
    size_t digits = 0, wanted_digits = 0, end;

    for (int precision = 14; precision <= 16; precision++) {
        snprintf(wanted, sizeof wanted, "%.*e", precision, value);
        if (strtod(wanted, NULL) == value)
            break;
    }
    number_format(value, text);
    CHECK(number_parse(text, &read) && read == value);
    for (const char *p = wanted; *p != 'e'; p++)
        if (*p >= '0' && *p <= '9')
            wanted[wanted_digits++] = *p;
    for (; wanted_digits > 1 && wanted[wanted_digits - 1] == '0'; wanted_digits--)
        continue;
    end = strcspn(text, "e");
    for (size_t i = 0; i < end; i++)
        if (text[i] >= '0' && text[i] <= '9' && (digits || text[i] != '0'))
            text[digits++] = text[i];
    for (; digits > 1 && text[digits - 1] == '0'; digits--)
        continue;
    CHECK_INT(digits, wanted_digits);
    CHECK(memcmp(text, wanted, digits) == 0);
}

static void check_rounding(double value)
{
    char text[400];

    for (int decimals = 0; decimals <= 17; decimals++) {
        double wanted;

        snprintf(text, sizeof text, "%.*f", decimals, value);
        wanted = fabs(value) < 0x1p53 ? strtod(text, NULL) : value;
        CHECK(number_round(value, decimals) == wanted);
    }
}

TEST(figures_keep_three_digits)
{
    static const struct {
        double value;
        int decimals;
        double figure;
    } cases[] = {
        {0.000307, 6, 0.000307},
        {0.00030712345678, 6, 0.000307},
        {3.16507737838815e-05, 6, 3.16508e-05},
        {9.9999951e-05, 6, 0.0001}, /* a hundred units once it is rounded */
        {-9.94e-05, 6, -9.94e-05},
        {0.05, 3, 0.05},
        {0.0563249, 3, 0.0563249},
        {2.25e-18, 6, 2.25e-18},
        {1.23456789e-300, 4, 1.23457e-300},
        {5e-324, 4, 5e-324},
        {12345.678901, 2, 12345.68},
        {0.999996, 4, 1},
        {44.375, 2, 44.38}, /* a tie of the double itself goes to the even digit */
        {0.3984375, 6, 0.398438},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double figure = number_round_figure(cases[i].value, cases[i].decimals);

        CHECK(figure == cases[i].figure);
        CHECK(number_round_figure(figure, cases[i].decimals) == figure);
    }
    CHECK(number_round_figure(0, 4) == 0 && !signbit(number_round_figure(-0.0, 4)));
}

/* Where integers do the work and where printf does it, and on the borders between the two. */
TEST(digits_are_those_of_printf)
{
    unsigned long long state = 88172645463325252ULL;

    for (int i = 0; i < 30000; i++) {
        double value;

        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        value = ldexp((double)(state >> 11), (int)(state % 120) - 53 - 60);
        check_digits(value);
        value = (double)(state % 2000000001) / pow(10, (double)(state >> 40 & 15));
        check_digits(value);
        check_digits(nextafter(value, 0));
        if (i % 8 == 0) {
            check_rounding(value);
            check_rounding((double)(state % 2000001) / ldexp(1, (int)(state >> 40 & 31)));
        }
    }
    for (int exponent = -80; exponent < 80; exponent++) {
        double power = ldexp(1, exponent);

        check_digits(power);
        check_digits(nextafter(power, 0));
        check_digits(nextafter(power, INFINITY));
        check_rounding(power);
        check_rounding(-nextafter(power, 0));
    }
}

TEST(integers_in_full)
{
    char text[NUMBER_TEXT_MAX];

    CHECK_INT(integer_format(0, text), 1);
    CHECK_TEXT(text, "0");
    CHECK_INT(integer_format(INT64_MIN, text), 20);
    CHECK_TEXT(text, "-9223372036854775808");
    integer_format(INT64_MAX, text);
    CHECK_TEXT(text, "9223372036854775807");
    integer_format(-1050, text);
    CHECK_TEXT(text, "-1050");
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

TEST_MAIN(CASE(shortest_form), CASE(every_form_reads_back), CASE(digits_are_those_of_printf),
          CASE(figures_keep_three_digits), CASE(integers_in_full), CASE(rounding_is_correct),
          CASE(only_whole_decimal_numbers_are_read), CASE(integers))
