/* Which of two media types the client prefers (RFC 9110, 12.5.1). */
#include "http/http_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* How closely a range of Accept matches a type: 0 = no match, 1 = all types, 2 = the main type, 3 =
 * the full type. */
static int closeness(const char *range, size_t length, const char *type)
{
    size_t kind = strcspn(type, "/") + 1;

    if (length == strlen(type) && strncasecmp(range, type, length) == 0)
        return 3;
    if (length == kind + 1 && range[kind] == '*' && strncasecmp(range, type, kind) == 0)
        return 2;
    return length == 3 && memcmp(range, "*/*", 3) == 0;
}

/* The parameter q of a range, which ends at the next comma. */
static double weight_of(const char *parameters)
{
    const char *at = parameters, *end = parameters + strcspn(parameters, ",");

    while ((at = memchr(at, ';', (size_t)(end - at)))) {
        at += 1 + strspn(at + 1, " \t");
        if (strncasecmp(at, "q=", 2) == 0)
            return strtod(at + 2, NULL);
    }
    return 1;
}

static double weight_in(const char *accept, const char *type)
{
    double weight = 0;
    int best = 0;

    for (const char *at = accept; *at; at += strcspn(at, ","), at += *at == ',') {
        size_t length;
        int close;

        at += strspn(at, " \t");
        length = strcspn(at, ";, \t");
        close = closeness(at, length, type);
        if (close > best) {
            best = close;
            weight = weight_of(at + length);
        }
    }
    return weight;
}

bool request_prefers(const struct request *request, const char *type, const char *other)
{
    const char *accept = request_header(request, "HTTP_ACCEPT");

    return accept && weight_in(accept, type) > weight_in(accept, other);
}
