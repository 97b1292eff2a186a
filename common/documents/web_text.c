/* Character sets of web pages. A header is often the default of the server, so a set that does not
 * fit is no reason to refuse the page. */
#include "documents/web_text.h"
#include "documents/charset.h"

const char *web_text_decode(struct arena *arena, const char *bytes, size_t length,
                            const char *header, size_t *decoded, const char **reason)
{
    const char *const sets[] = {header, charset_of_html(arena, bytes, length), NULL};
    struct charset_text text = {0};
    enum charset_result result = CHARSET_NOT_FOUND;

    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        if (!sets[i] && i + 1 < sizeof sets / sizeof sets[0])
            continue;
        result = charset_decode(arena, bytes, length, sets[i], &text);
        if (result == CHARSET_DECODED)
            break;
    }
    *decoded = text.length;
    *reason = charset_reasons[result];
    return result == CHARSET_DECODED ? text.bytes : NULL;
}
