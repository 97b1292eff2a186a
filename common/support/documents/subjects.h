/*
 * Where a text changes its subject: between two sentences that are less alike than 95 of 100
 * neighboring ones. They are compared by their vectors, or by words: the stems of three sentences
 * on each side (Hearst 1997, "TextTiling").
 */
#ifndef ASSAY_SUPPORT_DOCUMENTS_SUBJECTS_H
#define ASSAY_SUPPORT_DOCUMENTS_SUBJECTS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* Measures how far `count` texts are from the one before: distances[0] to [count - 2], larger for
 * less alike. False when it cannot; words are then compared. */
struct subject_meter {
    bool (*measure)(void *context, struct arena *arena, const char *const *texts, size_t count,
                    double *distances); /* NULL = by words */
    void *context;
};

struct subject_list {
    size_t *starts; /* of the parts, in bytes; the first is 0 */
    size_t count;   /* at least 1 */
};

struct subject_list subjects_of(struct arena *arena, const char *text, size_t length,
                                const struct subject_meter *meter);

#endif
