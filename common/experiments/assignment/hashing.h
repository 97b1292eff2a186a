/*
 * The position of a user in [0, 1): the FNV-1a hash of the usual feature flag clients for browsers
 * and phones, so that server and client agree for every user.
 */
#ifndef ASSAY_EXPERIMENTS_ASSIGNMENT_HASHING_H
#define ASSAY_EXPERIMENTS_ASSIGNMENT_HASHING_H

#include <stdint.h>

enum hash_version {
    HASH_VERSION_1 = 1, /* 1000 buckets; biased where several tests share users */
    HASH_VERSION_2 = 2  /* 10 000 buckets of the hash of a hash */
};

/* The unit of hashing; it matters only for characters beyond U+FFFF, such as emoji. */
enum hash_text {
    HASH_UTF16,      /* UTF-16 units as in JavaScript, used by most clients */
    HASH_CODE_POINTS /* code points */
};

/* The hash of the empty text, the initial value. */
static const uint32_t HASH_START = 0x811c9dc5;

/* Continues `hash` with `text`, which is UTF-8. 32-bit FNV-1a (Fowler, Noll and Vo) over units of
 * the text instead of bytes. */
uint32_t hash_append(uint32_t hash, enum hash_text by, const char *text);

/* The position in [0, 1) of `value` under `seed`. Version 1 hashes the value before the seed,
 * version 2 the seed before the value. */
double hash_unit(enum hash_version version, enum hash_text by, const char *seed, const char *value);

#endif
