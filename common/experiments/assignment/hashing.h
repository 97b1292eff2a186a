/*
 * The position of a user in [0, 1): the FNV-1a hash that browser and mobile clients of feature
 * flags share, so that server and client agree on every user.
 */
#ifndef ASSAY_EXPERIMENTS_ASSIGNMENT_HASHING_H
#define ASSAY_EXPERIMENTS_ASSIGNMENT_HASHING_H

#include <stdint.h>

enum hash_version {
    HASH_VERSION_1 = 1, /* 1000 buckets; biased where several tests share users */
    HASH_VERSION_2 = 2  /* 10 000 buckets of the hash of a hash */
};

/* What a text is hashed by; the same but for characters beyond U+FFFF, such as emoji. */
enum hash_text {
    HASH_UTF16,      /* as JavaScript counts characters, and so most clients */
    HASH_CODE_POINTS /* whole characters */
};

/* The hash of nothing: where every other one begins. */
static const uint32_t HASH_START = 0x811c9dc5;

/* The hash of the text hashed in `hash`, followed by `text`, which is UTF-8. 32-bit FNV-1a (Fowler,
 * Noll and Vo) over units of the text instead of bytes. */
uint32_t hash_append(uint32_t hash, enum hash_text by, const char *text);

/* The position in [0, 1) of `value` under `seed`. Version 1 hashes the value before the seed,
 * version 2 the seed before the value. */
double hash_unit(enum hash_version version, enum hash_text by, const char *seed, const char *value);

#endif
