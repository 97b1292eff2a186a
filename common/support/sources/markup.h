/*
 * Private to common/support/sources: finds the tags of a web page or of a sitemap, in one pass over
 * its text. Reads what a crawl needs (links, title, addresses, where the content is); the text of
 * documents is extracted by common/documents, in a confined process.
 */
#ifndef ASSAY_SUPPORT_SOURCES_MARKUP_H
#define ASSAY_SUPPORT_SOURCES_MARKUP_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct markup_reader {
    const char *at, *end;
};

struct markup_tag {
    const char *from, *to; /* from its "<" to after its ">" */
    const char *name;      /* in the text, `length` bytes */
    size_t length;
    bool closes; /* </name> */
};

/* The next tag; comments, declarations and the contents of scripts and styles are passed over.
 * False at the end. */
bool markup_next(struct markup_reader *reader, struct markup_tag *tag);

/* Without regard to case. */
bool markup_is(const struct markup_tag *tag, const char *name);

/* The value of an attribute, its character references decoded; NULL without it. */
const char *markup_attribute(struct arena *arena, const struct markup_tag *tag, const char *name);

/* The text up to the next tag (CDATA sections are text), its character references decoded and
 * blanks collapsed to one. */
const char *markup_text(struct arena *arena, const struct markup_reader *reader);

/* `string` with its characters that mean something in HTML as references. */
const char *markup_escape(struct arena *arena, const char *string);

#endif
