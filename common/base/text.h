/*
 * A growing string with a maximum: append several times, check `overflowed` once. Text past the
 * maximum is dropped and sets `overflowed`; existing text is never overwritten. Always
 * NUL-terminated; memory comes from the arena.
 */
#ifndef ASSAY_BASE_TEXT_H
#define ASSAY_BASE_TEXT_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct text {
    struct arena *arena;
    char *bytes; /* never NULL after text_start */
    size_t length;
    size_t capacity;
    size_t maximum; /* of `length` */
    bool overflowed;
};

void text_start(struct text *text, struct arena *arena, size_t maximum);
/* Reserves room for `more` bytes, for a text whose size can be estimated. */
void text_reserve(struct text *text, size_t more);
/* A buffer for up to `most` bytes to be written in place, NULL when the maximum does not allow
 * them. text_extend_to() then takes the end of what was written. */
char *text_extend(struct text *text, size_t most);
void text_extend_to(struct text *text, const char *end);
void text_append(struct text *text, const char *bytes, size_t length);
void text_append_string(struct text *text, const char *string);
void text_append_strings(struct text *text, const char *const *strings); /* NULL is the last */
void text_append_byte(struct text *text, char byte);
void text_append_format(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends in base64 with padding (RFC 4648 section 4). */
void text_append_base64(struct text *text, const void *bytes, size_t length);

/* Appends as a part of a URL, or of a form: reserved characters (RFC 3986 section 2.3) as %XX. */
void text_append_url(struct text *text, const char *string);

/* Drops everything after `length` bytes, and the overflow mark. */
void text_cut(struct text *text, size_t length);

/* A copy without leading and trailing ASCII white space. */
char *text_trimmed(struct arena *arena, const char *bytes, size_t length);

/* Length of the longest valid UTF-8 prefix of `bytes`. Surrogates, overlong forms and values above
 * U+10FFFF are invalid. */
size_t utf8_valid_prefix(const char *bytes, size_t length);

/* Bytes of the valid UTF-8 sequence that `bytes` begins with, 0 when there is none; `left` > 0. */
size_t utf8_sequence_length(const char *bytes, size_t left);

/* Bytes of the first `points` code points of a string; a byte that is not UTF-8 counts as one. */
size_t utf8_prefix(const char *string, size_t points);

/* A copy of the first `points` code points of a string. */
char *utf8_copy_prefix(struct arena *arena, const char *string, size_t points);

/* Number of code points of a valid UTF-8 string, and of `length` bytes. */
size_t utf8_count(const char *string);
size_t utf8_count_of(const char *bytes, size_t length);

#endif
