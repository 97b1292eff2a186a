/*
 * System libraries that are loaded at their first use. Loading libcurl and libpq with the thirty
 * libraries that they need takes four fifths of the start time of a process, and most processes
 * call neither.
 */
#ifndef ASSAY_BASE_LIBRARY_H
#define ASSAY_BASE_LIBRARY_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Fills `functions`, a struct of `count` pointers to functions in the order of the names. If the
 * file is not found, lacks one of them, or memory has run out, nothing is filled in; the next call
 * tries again. */
MUST_CHECK bool library_load(const char *file, const char *const *names, size_t count,
                             void *functions);

#endif
