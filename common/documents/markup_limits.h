/*
 * Private to common/documents: limits on what markup costs its parser more than linear time with,
 * checked in one pass over the bytes before the parser sees them.
 */
#ifndef ASSAY_DOCUMENTS_MARKUP_LIMITS_H
#define ASSAY_DOCUMENTS_MARKUP_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

enum {
    MARKUP_ATTRIBUTES_MAX = 1000, /* of one element */
    MARKUP_DEPTH_MAX = 500        /* open elements of HTML */
};

/* Whether no tag of an XML document has more attributes than that. */
bool xml_has_few_attributes(const char *bytes, size_t length);

/* Rewrites HTML in place so that no element has more attributes and no more elements are open than
 * that: further attributes and tags become a blank, all text stays. The new length. */
size_t html_limit(char *bytes, size_t length);

#endif
