/* Converts a page as a web server sent it to UTF-8, so that what is stored can be read without the
 * headers of the answer. */
#ifndef ASSAY_DOCUMENTS_WEB_TEXT_H
#define ASSAY_DOCUMENTS_WEB_TEXT_H

#include "base/arena.h"

/* By a byte order mark, as UTF-8, by the set of the header (NULL = none), by the one that the page
 * declares, or by detection, whichever fits first. NULL with the reason when none does. */
const char *web_text_decode(struct arena *arena, const char *bytes, size_t length,
                            const char *header, size_t *decoded, const char **reason);

#endif
