/*
 * Libraries of the system that are loaded when they are first called. To find libcurl and libpq,
 * and the thirty libraries behind them, is four fifths of what a process takes to start, and most
 * call neither.
 */
#ifndef ASSAY_BASE_LIBRARY_H
#define ASSAY_BASE_LIBRARY_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Fills `functions`, a struct of `count` pointers to functions in the order of the names. Where the
 * file is not found or lacks one of them, or memory has run out, nothing is filled; the next call
 * tries again. */
MUST_CHECK bool library_load(const char *file, const char *const *names, size_t count,
                             void *functions);

#endif
