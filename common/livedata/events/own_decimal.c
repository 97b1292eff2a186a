/* Decimals of events, exactly: their digits, not their doubles. */
#include "livedata/events/own.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

enum { DIGITS_MOST = 18, DIGITS_OF_DOUBLE = 15, EXPONENT_MOST = 40 };

/* The digits without the point, and by how many of them the point must move to the right. */
struct digits {
    bool negative;
    char text[64];
    size_t length;
    long exponent;
};

static bool take_digits(const char *at, struct digits *digits)
{
    bool point = false, any = false;

    *digits = (struct digits){.negative = *at == '-'};
    at += *at == '-' || *at == '+';
    for (; (*at >= '0' && *at <= '9') || (*at == '.' && !point); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        any = true;
        digits->exponent -= point;
        if (digits->length == 0 && *at == '0')
            continue;
        if (digits->length == sizeof digits->text)
            return false;
        digits->text[digits->length++] = *at;
    }
    if (any && (*at == 'e' || *at == 'E')) {
        char *end;
        long exponent = strtol(at + 1, &end, 10);

        if (end == at + 1 || labs(exponent) > EXPONENT_MOST)
            return false;
        digits->exponent += exponent;
        at = end;
    }
    return any && !*at;
}

/* Zeros at the end are no places. */
static bool scale_digits(struct digits *digits, int scale, int64_t *units)
{
    long shift = digits->exponent + scale;

    while (shift < 0 && digits->length && digits->text[digits->length - 1] == '0') {
        digits->length--;
        shift++;
    }
    *units = 0;
    if (!digits->length)
        return true;
    if (shift < 0 || digits->length + (size_t)shift > DIGITS_MOST)
        return false;
    for (size_t i = 0; i < digits->length; i++)
        *units = *units * 10 + (digits->text[i] - '0');
    for (; shift; shift--)
        *units *= 10;
    if (digits->negative)
        *units = -*units;
    return true;
}

bool own_decimal_text(const char *text, int scale, int64_t *units)
{
    struct digits digits;

    return take_digits(text, &digits) && scale_digits(&digits, scale, units);
}

bool own_number_is_exact(const json_t *value)
{
    char number[NUMBER_TEXT_MAX];
    struct digits digits;

    if (!json_is_real(value))
        return true;
    number_format(json_real_value(value), number);
    return take_digits(number, &digits) && digits.length <= DIGITS_OF_DOUBLE;
}

bool own_decimal(const json_t *value, int scale, int64_t *units)
{
    char number[NUMBER_TEXT_MAX];

    if (json_is_string(value))
        return own_decimal_text(json_string_value(value), scale, units);
    if (json_is_integer(value))
        integer_format(json_integer_value(value), number);
    else if (json_is_real(value))
        number_format(json_real_value(value), number);
    else
        return false;
    return own_decimal_text(number, scale, units);
}
