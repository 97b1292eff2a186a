/* Any Accept-Language header; the answer is one of the languages there are. */
#include "fuzz.h"

#include "i18n/i18n.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *header = calloc(1, size + 1);
    enum language language;

    if (!header)
        return 0;
    if (size)
        memcpy(header, data, size);
    language = language_negotiate(header);
    PROMISE((int)language >= 0 && language < language_count(), "there is such a language");
    free(header);
    return 0;
}
