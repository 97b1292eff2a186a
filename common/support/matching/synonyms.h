/*
 * Synonym groups, across inflections that stemming does not unify and across languages. The
 * operator may replace the built-in groups by a file.
 */
#ifndef ASSAY_SUPPORT_MATCHING_SYNONYMS_H
#define ASSAY_SUPPORT_MATCHING_SYNONYMS_H

#include "base/arena.h"
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct synonym {
    uint64_t hash; /* hash of the stem */
    const char *stem;
    size_t length;
    int group; /* counted from 1 */
};

struct synonyms {
    struct synonym *items; /* sorted by hash */
    size_t count;
};

/* Parses a text with one group per line, words separated by blanks; `#` begins a comment. All
 * memory is from the arena. */
struct synonyms synonyms_read(struct arena *arena, const char *text);

/* Built-in groups in English and Russian: warranty, return, error and so on. */
extern const char *const synonyms_built_in;

/* The group of a stem, 0 when none. */
int synonym_group(const struct synonyms *synonyms, uint64_t hash);

/* Hash of stems: 64-bit FNV-1a. */
uint64_t stem_hash(const char *stem, size_t length);

#endif
