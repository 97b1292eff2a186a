/*
 * Reads an e-mail (RFC 5322, MIME of RFC 2045 to 2047): headers, the text that a person wrote, and
 * nothing else. Any bytes are accepted: what is damaged is read as far as it can be, and what
 * exceeds the limits below is left out. Of attachments only the names are kept.
 */
#ifndef ASSAY_DOCUMENTS_MIME_H
#define ASSAY_DOCUMENTS_MIME_H

#include "base/arena.h"
#include "base/optional.h"

enum {
    MIME_HEADERS_MAX = 200,            /* header fields read; further ones are skipped */
    MIME_HEADER_BYTES_MAX = 64 * 1024, /* of all of them */
    MIME_DEPTH_MAX = 8,                /* of nested multiparts */
    MIME_PARTS_MAX = 100,
    MIME_REFERENCES_MAX = 50
};

struct mime_header {
    const char *name;
    const char *value; /* on one line, otherwise as sent */
};

struct mime_message {
    struct mime_header *headers;
    size_t header_count;
    const char *text; /* of the plain parts: UTF-8 without control characters but LF and tab; or
                         NULL */
    const char *html; /* of the HTML parts, in the same form; or NULL */
    size_t attachment_count;                 /* also of those without a place in `attachments` */
    const char *attachments[MIME_PARTS_MAX]; /* their file names; "" without one */
};

/* Reads at most `text_most` bytes of each kind of text. All memory is the arena's, also after the
 * bytes are gone. */
void mime_read(struct arena *arena, const char *bytes, size_t length, size_t text_most,
               struct mime_message *message);

/* The value of the first such header; "" when there is none. */
const char *mime_value(const struct mime_message *message, const char *name);

/* A value for people: encoded words are decoded, one line of UTF-8 of at most `points` code
 * points. */
const char *mime_decoded(struct arena *arena, const char *value, size_t points);

/* The first address of a value such as `"Ada" <ada@example.com>`; the domain in lower case. ""
 * when there is none. */
const char *mime_address(struct arena *arena, const char *value);

/* Adds the message ids of a value, without their brackets, at most MIME_REFERENCES_MAX in all; the
 * list has room for so many. */
void mime_add_ids(struct arena *arena, const char *value, struct string_list *ids);

#endif
