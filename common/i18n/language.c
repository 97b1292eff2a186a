/* Language negotiation by Accept-Language (RFC 9110, section 12.5.4), in one pass over an untrusted
 * header. */
#include "i18n/i18n.h"

#include <stdbool.h>
#include <string.h>

/* A part of the header, not terminated. */
struct span {
    const char *bytes;
    size_t length;
};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static struct span trim(struct span span)
{
    while (span.length && is_blank(span.bytes[0])) {
        span.bytes++;
        span.length--;
    }
    while (span.length && is_blank(span.bytes[span.length - 1]))
        span.length--;
    return span;
}

/* Cuts the part before `separator` off the front of `rest`, and the separator with it. */
static struct span take(struct span *rest, char separator)
{
    const char *end = memchr(rest->bytes, separator, rest->length);
    struct span piece = {rest->bytes, end ? (size_t)(end - rest->bytes) : rest->length};
    size_t used = piece.length + (end ? 1 : 0);

    rest->bytes += used;
    rest->length -= used;
    return trim(piece);
}

/* The supported language of a tag by its primary subtag; LANGUAGE_NONE for others. */
static enum language match_tag(struct span tag)
{
    char primary[3];

    if (tag.length < 2 || (tag.length > 2 && tag.bytes[2] != '-' && tag.bytes[2] != '_'))
        return LANGUAGE_NONE;
    primary[0] = lower(tag.bytes[0]);
    primary[1] = lower(tag.bytes[1]);
    primary[2] = '\0';
    return language_find(primary);
}

/* A quality between 0 and 1; 1 for text that is not a number. */
static double read_quality(struct span text)
{
    double quality = 0;
    double unit = 1;
    bool fraction = false;
    size_t digits = 0;

    for (size_t i = 0; i < text.length; i++) {
        char c = text.bytes[i];

        if (c == '.' && !fraction) {
            fraction = true;
        } else if (c >= '0' && c <= '9') {
            digits++;
            unit = fraction ? unit / 10 : unit;
            quality = fraction ? quality + (c - '0') * unit : quality * 10 + (c - '0');
        } else {
            return 1;
        }
    }
    return digits && quality <= 1 ? quality : 1;
}

static bool is_quality_name(struct span name)
{
    return name.length == 1 && lower(name.bytes[0]) == 'q';
}

static double find_quality(struct span parameters)
{
    while (parameters.length) {
        struct span value = take(&parameters, ';');
        struct span name = take(&value, '=');

        if (is_quality_name(name))
            return read_quality(trim(value));
    }
    return 1;
}

enum language language_negotiate(const char *accept_language)
{
    struct span rest = {accept_language, accept_language ? strlen(accept_language) : 0};
    enum language best = LANGUAGE_EN;
    double best_quality = 0;

    while (rest.length) {
        struct span element = take(&rest, ',');
        enum language language = match_tag(take(&element, ';'));
        double quality;

        if (language == LANGUAGE_NONE)
            continue;
        quality = find_quality(element);
        if (quality > best_quality) {
            best = language;
            best_quality = quality;
        }
    }
    return best;
}
