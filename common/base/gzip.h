/* Packing by gzip (RFC 1952), of what stands in memory; gunzip.h unpacks. */
#ifndef ASSAY_BASE_GZIP_H
#define ASSAY_BASE_GZIP_H

#include "base/text.h"

/* Appends the packed bytes to `out`, whose maximum they may pass (`overflowed`). */
void gzip_append(struct text *out, const char *bytes, size_t length);

#endif
