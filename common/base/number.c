/* Decimal text of doubles. glibc's printf and strtod are correctly rounded; this file only chooses
 * digits and layout. The process never calls setlocale, so the point is always a point. */
#include "base/number.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Scientific form "d.ddde+XX" with the fewest digits that read back to `value`. For normal doubles
 * up to 15 digits always survive, so fewer than 15 is %.15 without its zeros; only subnormals need
 * the search from one digit on. */
static void shortest_scientific(double value, char *text, size_t size)
{
    int precision = fabs(value) < DBL_MIN ? 1 : 15;

    for (; precision <= 17; precision++) {
        snprintf(text, size, "%.*e", precision - 1, value);
        if (strtod(text, NULL) == value)
            return;
    }
}

size_t number_format(double value, char text[NUMBER_TEXT_MAX])
{
    char scientific[NUMBER_TEXT_MAX + 8];
    char digits[20];
    size_t count = 0, at = 0;
    int exponent;
    const char *p = scientific;

    if (value == 0) {
        memcpy(text, "0.0", 4);
        return 3;
    }
    shortest_scientific(value, scientific, sizeof scientific);
    if (*p == '-') {
        text[at++] = '-';
        p++;
    }
    for (; *p && *p != 'e'; p++)
        if (*p != '.')
            digits[count++] = *p;
    exponent = *p ? (int)strtol(p + 1, NULL, 10) : 0;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    digits[count] = '\0';
    if (exponent < -4 || exponent >= 16)
        at += (size_t)snprintf(text + at, NUMBER_TEXT_MAX - at, "%c%s%se%c%02d", digits[0],
                               count > 1 ? "." : "", digits + 1, exponent < 0 ? '-' : '+',
                               abs(exponent));
    else if (exponent < 0)
        at += (size_t)snprintf(text + at, NUMBER_TEXT_MAX - at, "0.%.*s%s", -exponent - 1, "000",
                               digits);
    else if ((size_t)exponent + 1 >= count)
        at += (size_t)snprintf(text + at, NUMBER_TEXT_MAX - at, "%s%.*s.0", digits,
                               exponent + 1 - (int)count, "0000000000000000");
    else
        at += (size_t)snprintf(text + at, NUMBER_TEXT_MAX - at, "%.*s.%s", exponent + 1, digits,
                               digits + exponent + 1);
    return at;
}

double number_round(double value, int decimals)
{
    char text[DBL_MAX_10_EXP + 32];

    if (!isfinite(value) || fabs(value) >= 0x1p53)
        return value;
    snprintf(text, sizeof text, "%.*f", decimals, value);
    value = strtod(text, NULL);
    return value == 0 ? 0 : value;
}

/* The text without blanks around it must be a decimal number: strtod takes much more. */
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
