/* Decimal text of doubles, by exact integer arithmetic where that is possible: a double is m x 2^e,
 * so scaled by 10^k it is m x 5^k x 2^(e+k), which fits 128 bits for values of usual size. Other
 * values use glibc's printf and strtod, which are correctly rounded too. The process never calls
 * setlocale, so the decimal separator is always a point. */
#include "base/number.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIGITS_MAX = 17,      /* distinguish every double from its neighbors */
    DIGITS_SURE = 15,     /* survive in every normal double */
    FRACTION_BITS = 52,   /* of a double, after the leading one */
    EXPONENT_BIAS = 1075, /* of m x 2^e with an integer m */
    FIVES_MAX = 27,       /* 5^27 < 2^63: times 53 bits they fit 128 */
    ROUND_DECIMALS_MAX = 17,
    FIGURE_LEAST_UNITS = 100, /* of the last decimal: three significant digits */
    FIGURE_DIGITS = 6         /* of a figure that has fewer units */
};

__extension__ typedef unsigned __int128 wide;

static const uint64_t powers_of_five[FIVES_MAX + 1] = {UINT64_C(1),
                                                       UINT64_C(5),
                                                       UINT64_C(25),
                                                       UINT64_C(125),
                                                       UINT64_C(625),
                                                       UINT64_C(3125),
                                                       UINT64_C(15625),
                                                       UINT64_C(78125),
                                                       UINT64_C(390625),
                                                       UINT64_C(1953125),
                                                       UINT64_C(9765625),
                                                       UINT64_C(48828125),
                                                       UINT64_C(244140625),
                                                       UINT64_C(1220703125),
                                                       UINT64_C(6103515625),
                                                       UINT64_C(30517578125),
                                                       UINT64_C(152587890625),
                                                       UINT64_C(762939453125),
                                                       UINT64_C(3814697265625),
                                                       UINT64_C(19073486328125),
                                                       UINT64_C(95367431640625),
                                                       UINT64_C(476837158203125),
                                                       UINT64_C(2384185791015625),
                                                       UINT64_C(11920928955078125),
                                                       UINT64_C(59604644775390625),
                                                       UINT64_C(298023223876953125),
                                                       UINT64_C(1490116119384765625),
                                                       UINT64_C(7450580596923828125)};
static const double powers_of_ten[ROUND_DECIMALS_MAX + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,
                                                             1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17};

/* |value| = m x 2^e with 2^52 <= m < 2^53; false for 0, subnormals, infinities and NaN. */
static bool take_apart(double value, uint64_t *m, int *e)
{
    uint64_t bits;
    int exponent;

    memcpy(&bits, &value, sizeof bits);
    exponent = (int)(bits >> FRACTION_BITS & 0x7ff);
    *m = (bits & ((UINT64_C(1) << FRACTION_BITS) - 1)) | UINT64_C(1) << FRACTION_BITS;
    *e = exponent - EXPONENT_BIAS;
    return exponent != 0 && exponent != 0x7ff;
}

/* A value scaled by 10^k to 17 digits before the point: numerator / 2^shift. */
struct scaled {
    wide numerator;
    int shift;
    int exponent; /* of the first digit: value = d.ddd x 10^exponent */
    uint64_t ulp; /* one step of m, in units of the numerator */
    uint64_t whole;
    wide rest;               /* after the point, over 2^shift */
    bool even, narrow_below; /* m, and that the next smaller double is only half a step away */
};

/* False when the value is too small or too large for this method. */
static bool scale_up(double value, struct scaled *scaled)
{
    static const uint64_t least = UINT64_C(10000000000000000); /* 10^16 */
    uint64_t m;
    int e, k, left;

    if (!take_apart(value, &m, &e))
        return false;
    scaled->exponent = (int)floor((e + FRACTION_BITS) * 0.30102999566398120);
    for (;; scaled->exponent++) { /* the estimate is right or one too low */
        k = DIGITS_MAX - 1 - scaled->exponent;
        if (k < 0 || k > FIVES_MAX)
            return false;
        scaled->shift = -(e + k);
        left = scaled->shift < 0 ? -scaled->shift : 0;
        scaled->shift += left;
        scaled->numerator = (wide)m * powers_of_five[k] << left;
        if (scaled->numerator >> scaled->shift < (wide)least * 10)
            break;
    }
    scaled->ulp = powers_of_five[k] << left;
    scaled->whole = (uint64_t)(scaled->numerator >> scaled->shift);
    scaled->rest = scaled->numerator - ((wide)scaled->whole << scaled->shift);
    scaled->even = m % 2 == 0;
    scaled->narrow_below = m == UINT64_C(1) << FRACTION_BITS;
    return scaled->whole >= least;
}

/* The 17 digits rounded to the nearest multiple of `unit` (1, 10 or 100), ties to even. */
static uint64_t round_to(const struct scaled *scaled, uint64_t unit)
{
    uint64_t count = scaled->whole / unit;
    wide above = ((wide)(scaled->whole % unit) << scaled->shift) + scaled->rest;
    wide twice = above * 2, one = (wide)unit << scaled->shift;

    if (twice > one || (twice == one && count % 2 == 1))
        count++;
    return count * unit;
}

/* Whether the digits read back to the value: they lie within half a step of it. */
static bool reads_back(const struct scaled *scaled, uint64_t digits)
{
    wide there = (wide)digits << scaled->shift;
    bool below = there < scaled->numerator;
    wide distance = below ? scaled->numerator - there : there - scaled->numerator;

    distance *= below && scaled->narrow_below ? 4 : 2;
    return distance < scaled->ulp || (distance == scaled->ulp && scaled->even);
}

/* The fewest digits, as many as 17, that read back to the value: 15 rounded correctly where they
 * do, else 16, else 17. `exponent` is that of the first one. Returns their number; 0 = this method
 * does not apply. */
static size_t shortest_digits(double value, char digits[DIGITS_MAX + 1], int *exponent)
{
    static const uint64_t units[] = {100, 10, 1};
    struct scaled scaled;
    uint64_t number = 0;
    size_t count = DIGITS_MAX;

    if (!scale_up(value, &scaled))
        return 0;
    for (int i = 0; i < 3; i++) {
        number = round_to(&scaled, units[i]);
        if (reads_back(&scaled, number))
            break;
    }
    *exponent = scaled.exponent;
    if (number == UINT64_C(100000000000000000)) { /* 10^17: one digit more */
        number /= 10;
        ++*exponent;
    }
    for (; number % 10 == 0; number /= 10)
        count--;
    for (size_t i = count; i-- > 0; number /= 10)
        digits[i] = (char)('0' + number % 10);
    return count;
}

/* The same by printf, for values of any size. For normal doubles up to 15 digits always survive, so
 * fewer than 15 is %.15 without its zeros; only subnormals need the search from one digit on. */
static size_t printed_digits(double value, char digits[DIGITS_MAX + 1], int *exponent)
{
    char scientific[NUMBER_TEXT_MAX];
    const char *p = scientific;
    size_t count = 0;

    for (int precision = value < DBL_MIN ? 1 : DIGITS_SURE; precision <= DIGITS_MAX; precision++) {
        snprintf(scientific, sizeof scientific, "%.*e", precision - 1, value);
        if (strtod(scientific, NULL) == value)
            break;
    }
    for (; *p && *p != 'e'; p++)
        if (*p != '.')
            digits[count++] = *p;
    *exponent = *p ? (int)strtol(p + 1, NULL, 10) : 0;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    return count;
}

static char *put(char *at, const char *bytes, size_t length)
{
    memcpy(at, bytes, length);
    return at + length;
}

static char *put_zeros(char *at, int count)
{
    for (; count > 0; count--)
        *at++ = '0';
    return at;
}

/* d.ddde-05: two digits of exponent at least. */
static char *put_scientific(char *at, const char *digits, size_t count, int exponent)
{
    int size = abs(exponent);

    *at++ = digits[0];
    if (count > 1) {
        *at++ = '.';
        at = put(at, digits + 1, count - 1);
    }
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    if (size >= 100)
        *at++ = (char)('0' + size / 100);
    *at++ = (char)('0' + size / 10 % 10);
    *at++ = (char)('0' + size % 10);
    return at;
}

static char *put_plain(char *at, const char *digits, size_t count, int exponent)
{
    size_t before = exponent < 0 ? 0 : (size_t)exponent + 1;

    if (exponent < 0) {
        at = put(at, "0.", 2);
        at = put_zeros(at, -exponent - 1);
        return put(at, digits, count);
    }
    if (before >= count) {
        at = put(at, digits, count);
        at = put_zeros(at, (int)(before - count));
        return put(at, ".0", 2);
    }
    at = put(at, digits, before);
    *at++ = '.';
    return put(at, digits + before, count - before);
}

size_t number_format(double value, char text[NUMBER_TEXT_MAX])
{
    char digits[DIGITS_MAX + 1] = {0};
    size_t count;
    int exponent = 0;
    char *at = text;

    if (value == 0) {
        memcpy(text, "0.0", 4);
        return 3;
    }
    if (value < 0) {
        *at++ = '-';
        value = -value;
    }
    count = shortest_digits(value, digits, &exponent);
    if (!count)
        count = printed_digits(value, digits, &exponent);
    at = exponent < -4 || exponent >= 16 ? put_scientific(at, digits, count, exponent)
                                         : put_plain(at, digits, count, exponent);
    *at = '\0';
    return (size_t)(at - text);
}

size_t integer_format(int64_t value, char text[NUMBER_TEXT_MAX])
{
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    char digits[20];
    size_t at = sizeof digits, length = 0;

    do {
        digits[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left);
    if (value < 0)
        text[length++] = '-';
    memcpy(text + length, digits + at, sizeof digits - at);
    length += sizeof digits - at;
    text[length] = '\0';
    return length;
}

static double printed_round(double value, int decimals)
{
    char text[DBL_MAX_10_EXP + 32];

    snprintf(text, sizeof text, "%.*f", decimals, value);
    return strtod(text, NULL);
}

/* |value| rounded; false when the number of units takes more than 53 bits. */
static bool exact_round(double value, int decimals, double *rounded)
{
    uint64_t m;
    int e, shift;
    wide units, rest, half;

    if (decimals < 0 || decimals > ROUND_DECIMALS_MAX || !take_apart(value, &m, &e))
        return false;
    shift = -(e + decimals);
    if (shift <= 0) { /* it has no more decimals than that */
        *rounded = fabs(value);
        return true;
    }
    if (shift > 100) { /* m x 5^17 < 2^93: far below half a unit */
        *rounded = 0;
        return true;
    }
    units = (wide)m * powers_of_five[decimals];
    rest = units & (((wide)1 << shift) - 1);
    half = (wide)1 << (shift - 1);
    units >>= shift;
    if (rest > half || (rest == half && units % 2 == 1))
        units++;
    if (units > (wide)1 << (FRACTION_BITS + 1))
        return false;
    *rounded = (double)(uint64_t)units / powers_of_ten[decimals]; /* both exact: rounded once */
    return true;
}

double number_round(double value, int decimals)
{
    double rounded;

    if (!isfinite(value) || fabs(value) >= 0x1p53)
        return value;
    if (exact_round(value, decimals, &rounded))
        return rounded == 0 ? 0 : copysign(rounded, value);
    value = printed_round(value, decimals);
    return value == 0 ? 0 : value;
}

bool number_is_coarse(double value, int decimals)
{
    double least = FIGURE_LEAST_UNITS / powers_of_ten[decimals];

    return value != 0 && fabs(value) < least && fabs(number_round(value, decimals)) < least;
}

double number_round_figure(double value, int decimals)
{
    char text[NUMBER_TEXT_MAX];

    if (!number_is_coarse(value, decimals))
        return number_round(value, decimals);
    snprintf(text, sizeof text, "%.*e", FIGURE_DIGITS - 1, value);
    return strtod(text, NULL);
}

/* The text without blanks around it must be a decimal number: strtod accepts much more. */
static bool looks_decimal(const char *text)
{
    bool digit = false;

    for (; *text; text++) {
        if (isdigit((unsigned char)*text))
            digit = true;
        else if (!strchr("+-.eE", *text))
            return false;
    }
    return digit;
}

static bool trim(const char *text, char *trimmed, size_t size)
{
    size_t length;

    while (isspace((unsigned char)*text))
        text++;
    length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    if (!length || length >= size)
        return false;
    memcpy(trimmed, text, length);
    trimmed[length] = '\0';
    return true;
}

bool number_parse(const char *text, double *value)
{
    char trimmed[512];
    char *end;

    if (!trim(text, trimmed, sizeof trimmed) || !looks_decimal(trimmed))
        return false;
    *value = strtod(trimmed, &end);
    return *end == '\0' && isfinite(*value);
}

bool integer_parse(const char *text, int64_t *value)
{
    char trimmed[64];
    char *end;
    long long parsed;

    if (!trim(text, trimmed, sizeof trimmed))
        return false;
    errno = 0;
    parsed = strtoll(trimmed, &end, 10);
    if (errno || *end || end == trimmed)
        return false;
    *value = parsed;
    return true;
}
