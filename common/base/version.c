/* Walks two versions side by side, part by part; numbers have any length. */
#include "base/version.h"

#include <string.h>

/* A part of a version: the bytes up to the next separator. */
struct part {
    const char *start;
    size_t length;
};

static const char digits[] = "0123456789";
static const char identifier[] = "0123456789-"
                                 "abcdefghijklmnopqrstuvwxyz"
                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

static const char *skip_v(const char *text)
{
    return *text == 'v' || *text == 'V' ? text + 1 : text;
}

static struct part next_part(const char **text, const char *allowed)
{
    struct part part = {*text, strspn(*text, allowed)};

    *text += part.length;
    return part;
}

/* Parts that are divided by points; none of them is empty. Moves to the byte behind them. */
static bool skip_parts(const char **text, const char *allowed)
{
    do {
        if (next_part(text, allowed).length == 0)
            return false;
    } while (*(*text)++ == '.');
    (*text)--;
    return true;
}

bool version_is_valid(const char *text)
{
    if (!text)
        return false;
    text = skip_v(text);
    if (!skip_parts(&text, digits))
        return false;
    if (*text == '-') {
        text++;
        if (!skip_parts(&text, identifier))
            return false;
    }
    if (*text == '+') {
        text++;
        if (!skip_parts(&text, identifier))
            return false;
    }
    return *text == '\0';
}

static int sign(bool more, bool less)
{
    return (int)more - (int)less;
}

static int compare_numbers(struct part one, struct part other)
{
    int order;

    while (one.length && *one.start == '0') {
        one.start++;
        one.length--;
    }
    while (other.length && *other.start == '0') {
        other.start++;
        other.length--;
    }
    if (one.length != other.length)
        return sign(one.length > other.length, one.length < other.length);
    order = memcmp(one.start, other.start, one.length);
    return sign(order > 0, order < 0);
}

static bool is_number(struct part part)
{
    return strspn(part.start, digits) >= part.length;
}

static int compare_texts(struct part one, struct part other)
{
    size_t shorter = one.length < other.length ? one.length : other.length;
    int order = memcmp(one.start, other.start, shorter);

    if (order != 0)
        return sign(order > 0, order < 0);
    return sign(one.length > other.length, one.length < other.length);
}

/* Numbers come before texts. */
static int compare_identifiers(struct part one, struct part other)
{
    bool one_is_number = is_number(one), other_is_number = is_number(other);

    if (one_is_number && other_is_number)
        return compare_numbers(one, other);
    if (one_is_number != other_is_number)
        return one_is_number ? -1 : 1;
    return compare_texts(one, other);
}

static bool take_point(const char **text)
{
    if (**text != '.')
        return false;
    (*text)++;
    return true;
}

static int compare_releases(const char **one, const char **other)
{
    bool one_goes_on = true, other_goes_on = true;

    while (one_goes_on || other_goes_on) {
        struct part left = {"", 0}, right = {"", 0};
        int order;

        if (one_goes_on)
            left = next_part(one, digits);
        if (other_goes_on)
            right = next_part(other, digits);
        order = compare_numbers(left, right);
        if (order != 0)
            return order;
        one_goes_on = one_goes_on && take_point(one);
        other_goes_on = other_goes_on && take_point(other);
    }
    return 0;
}

/* Of versions with the same numbers: what comes before a release is older than it, and a longer
 * list of identifiers is newer than its beginning. */
static int compare_prereleases(const char *one, const char *other)
{
    if (*one != '-' || *other != '-')
        return sign(*one != '-', *other != '-');
    one++;
    other++;
    for (;;) {
        int order = compare_identifiers(next_part(&one, identifier), next_part(&other, identifier));
        bool one_goes_on = take_point(&one), other_goes_on = take_point(&other);

        if (order != 0)
            return order;
        if (!one_goes_on || !other_goes_on)
            return sign(one_goes_on, other_goes_on);
    }
}

int version_compare(const char *one, const char *other)
{
    int order;

    one = skip_v(one);
    other = skip_v(other);
    order = compare_releases(&one, &other);
    return order != 0 ? order : compare_prereleases(one, other);
}
