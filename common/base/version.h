/*
 * Versions of programs in their order, by Semantic Versioning 2.0.0 section 11, for versions as
 * they occur: a leading v is ignored, missing numbers are 0 (1.2 equals 1.2.0), and there may be
 * more than three (119.0.6045.105). Metadata behind + do not count.
 */
#ifndef ASSAY_BASE_VERSION_H
#define ASSAY_BASE_VERSION_H

#include <stdbool.h>

/* NULL is not valid. */
bool version_is_valid(const char *text);

/* Negative, 0 or positive, as the first is older, equal or newer. Both must be valid. */
int version_compare(const char *one, const char *other);

#endif
