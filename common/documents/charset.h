/*
 * Private to common/documents: converts text of any character set to UTF-8. In order of precedence:
 * a byte order mark, valid UTF-8, the set that the document declares, the set that uchardet
 * detects. If none of them applies, the text is refused. No byte is dropped silently, except a few
 * damaged ones in UTF-8.
 */
#ifndef ASSAY_DOCUMENTS_CHARSET_H
#define ASSAY_DOCUMENTS_CHARSET_H

#include "base/arena.h"

enum charset_result {
    CHARSET_DECODED,
    CHARSET_TOO_SHORT, /* for detection; a declaration would help */
    CHARSET_NOT_FOUND,
    CHARSET_WRONG, /* declared, detected or marked, but the bytes are not valid in it */
    CHARSET__MAX
};
extern const char *const charset_reasons[CHARSET__MAX]; /* the reason for which a text is refused */

struct charset_text {
    const char *bytes; /* from the arena, or the given bytes; without a byte order mark */
    size_t length;
};

/* `declared` may be NULL. */
enum charset_result charset_decode(struct arena *arena, const char *bytes, size_t length,
                                   const char *declared, struct charset_text *text);

/* The set that HTML declares in its first bytes (meta charset, http-equiv, or an XML declaration);
 * NULL when it declares none. */
const char *charset_of_html(struct arena *arena, const char *bytes, size_t length);

/* Whether the bytes begin with the byte order mark of UTF-16 or UTF-32, whose texts contain
 * NULs. */
bool charset_has_wide_mark(const char *bytes, size_t length);

#endif
