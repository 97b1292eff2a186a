/*
 * Private to common/documents: text in any character set becomes UTF-8. Honoured in this order: a
 * byte order mark, UTF-8 that is valid, the set that the document declares, the set that a library
 * finds in the bytes. What none of them decides is refused: no byte of a text is dropped in
 * silence, but for a few that are damaged in UTF-8.
 */
#ifndef ASSAY_DOCUMENTS_CHARSET_H
#define ASSAY_DOCUMENTS_CHARSET_H

#include "base/arena.h"

enum charset_result {
    CHARSET_DECODED,
    CHARSET_TOO_SHORT, /* for finding it; a declaration would help */
    CHARSET_NOT_FOUND,
    CHARSET_WRONG, /* declared, found or marked, but the bytes are not in it */
    CHARSET__MAX
};
extern const char *const charset_reasons[CHARSET__MAX]; /* why a text is refused */

struct charset_text {
    const char *bytes; /* the arena's, or those given; without a byte order mark */
    size_t length;
};

/* `declared` may be NULL. */
enum charset_result charset_decode(struct arena *arena, const char *bytes, size_t length,
                                   const char *declared, struct charset_text *text);

/* The set that HTML declares in its first bytes (meta charset, http-equiv, or an XML declaration);
 * NULL when it declares none. */
const char *charset_of_html(struct arena *arena, const char *bytes, size_t length);

/* Whether the bytes begin with the mark of UTF-16 or UTF-32, whose texts hold NULs. */
bool charset_has_wide_mark(const char *bytes, size_t length);

#endif
