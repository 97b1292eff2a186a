/* Links by the URL functions of libcurl. */
#include "net/link.h"
#include "net/libcurl.h"

#include <ctype.h>
#include <string.h>

static bool set(CURLU *url, const char *text)
{
    return curl.url_set(url, CURLUPART_URL, text, CURLU_URLENCODE) == CURLUE_OK;
}

static bool has_part(CURLU *url, CURLUPart part)
{
    char *text = NULL;
    bool has = curl.url_get(url, part, &text, 0) == CURLUE_OK && text;

    curl.free(text);
    return has;
}

static char *copy_whole(struct arena *arena, CURLU *url)
{
    char *text = NULL, *copy = NULL;

    if (curl.url_get(url, CURLUPART_URL, &text, CURLU_NO_DEFAULT_PORT) == CURLUE_OK &&
        strlen(text) <= LINK_BYTES_MAX)
        copy = arena_copy_string(arena, text);
    curl.free(text);
    return copy;
}

size_t link_origin_length(const char *address)
{
    const char *host = strstr(address, "://");

    return host ? 3 + (size_t)(host - address) + strcspn(host + 3, "/?#") : 0;
}

static const char *normal(struct arena *arena, CURLU *url)
{
    char *address = NULL;

    if (curl.url_set(url, CURLUPART_FRAGMENT, NULL, 0) == CURLUE_OK &&
        !has_part(url, CURLUPART_USER) && !has_part(url, CURLUPART_PASSWORD))
        address = copy_whole(arena, url);
    for (size_t i = address ? link_origin_length(address) : 0; i; i--)
        address[i - 1] = (char)tolower((unsigned char)address[i - 1]);
    return address && (strncmp(address, "http://", 7) == 0 || strncmp(address, "https://", 8) == 0)
               ? address
               : NULL;
}

const char *link_resolve(struct arena *arena, const char *base, const char *reference)
{
    CURLU *url = libcurl_load() ? curl.url() : NULL;
    const char *address = NULL;

    if (base && *reference == '#') /* libcurl would drop the query */
        reference = "";
    if (url && strlen(reference) <= LINK_BYTES_MAX && (!base || set(url, base)) &&
        (base || strstr(reference, "://")) && (!*reference || set(url, reference)))
        address = normal(arena, url);
    if (url)
        curl.url_cleanup(url);
    return address;
}
