/* Compresses by gzip (RFC 1952) a text in memory; gunzip.h decompresses. */
#ifndef ASSAY_BASE_GZIP_H
#define ASSAY_BASE_GZIP_H

#include "base/text.h"

/* Appends the compressed bytes to `out`. `overflowed` is set when they exceed its maximum. */
void gzip_append(struct text *out, const char *bytes, size_t length);

#endif
