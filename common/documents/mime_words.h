/* Private to common/documents: transfer encodings and character sets of e-mails. Nothing here
 * fails: damaged input gives damaged text. */
#ifndef ASSAY_DOCUMENTS_MIME_WORDS_H
#define ASSAY_DOCUMENTS_MIME_WORDS_H

#include "base/text.h"

/* Appends what the base64 stands for; other characters are skipped. */
void mime_append_base64(struct text *text, const char *bytes, size_t length);

/* The same for quoted-printable; in a header word `_` is a blank. */
void mime_append_quoted(struct text *text, const char *bytes, size_t length, bool is_word);

/* Appends text of a character set (NULL = none was declared) as UTF-8 with LF as the end of lines;
 * control characters other than LF and tab are left out, bytes without meaning are U+FFFD. */
void mime_append_charset(struct text *text, struct arena *arena, const char *bytes, size_t length,
                         const char *charset);

#endif
