/*
 * Groups of words that stand for each other, across inflections that stemming keeps apart and
 * across languages. A file of the operator's may replace the built-in ones.
 */
#ifndef ASSAY_SUPPORT_ANSWER_SYNONYMS_H
#define ASSAY_SUPPORT_ANSWER_SYNONYMS_H

#include "base/arena.h"
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct synonym {
    uint64_t hash; /* of the stem */
    const char *stem;
    size_t length;
    int group; /* counted from 1 */
};

struct synonyms {
    struct synonym *items; /* sorted by hash */
    size_t count;
};

/* The groups of a text with one group per line, words separated by blanks; `#` begins a comment.
 * Everything is the arena's. */
struct synonyms synonyms_read(struct arena *arena, const char *text);

/* Warranty, return, error and the like in English and Russian. */
extern const char *const synonyms_built_in;

/* The group that a stem belongs to, 0 when none. */
int synonym_group(const struct synonyms *synonyms, uint64_t hash);

/* How stems are compared: FNV-1a of 64 bits. */
uint64_t stem_hash(const char *stem, size_t length);

#endif
