/*
 * Private to common/documents: limits on markup that costs a parser more than linear time. They are
 * checked in one pass before the parser runs.
 */
#ifndef ASSAY_DOCUMENTS_MARKUP_LIMITS_H
#define ASSAY_DOCUMENTS_MARKUP_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

enum {
    MARKUP_ATTRIBUTES_MAX = 1000, /* attributes of one element */
    MARKUP_DEPTH_MAX = 500        /* open elements in HTML */
};

/* Whether every tag of an XML document has at most MARKUP_ATTRIBUTES_MAX attributes. */
bool xml_has_few_attributes(const char *bytes, size_t length);

/* Rewrites HTML in place so that it keeps both limits: further attributes and tags become blanks,
 * all text stays. Returns the new length. */
size_t html_limit(char *bytes, size_t length);

#endif
