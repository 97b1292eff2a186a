/* Folding with utf8proc. */
#include "text/fold.h"

#include <stdlib.h>
#include <utf8proc.h>

const char *text_fold(struct arena *arena, const char *text)
{
    utf8proc_uint8_t *folded = utf8proc_NFKC_Casefold((const utf8proc_uint8_t *)text);
    const char *copy;

    if (!folded)
        return arena_copy_string(arena, text);
    copy = arena_copy_string(arena, (const char *)folded);
    free(folded);
    return copy;
}
