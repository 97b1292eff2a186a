/* Any Accept-Language header; the answer is one of the languages there are. */
#include "i18n/i18n.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *header = calloc(1, size + 1);
    enum language language;

    if (!header)
        return 0;
    memcpy(header, data, size);
    language = language_negotiate(header);
    if ((int)language < 0 || language >= LANGUAGE__MAX)
        abort();
    free(header);
    return 0;
}
