/*
 * Where a user falls in [0, 1): the FNV-1a hash that browser and mobile clients of feature flags
 * share, so that server and client agree on every user. Texts are hashed by UTF-16 units, as
 * JavaScript counts characters, whatever their encoding here.
 */
#ifndef ASSAY_EXPERIMENTS_ASSIGNMENT_HASHING_H
#define ASSAY_EXPERIMENTS_ASSIGNMENT_HASHING_H

#include <stdint.h>

enum hash_version {
    HASH_VERSION_1 = 1, /* 1000 buckets; biased where several tests share users */
    HASH_VERSION_2 = 2  /* 10 000 buckets of the hash of a hash */
};

/* The hash of nothing: where every other one begins. */
static const uint32_t HASH_START = 0x811c9dc5;

/* The hash of what `hash` stands for, followed by `text`, which is UTF-8. 32-bit FNV-1a (Fowler,
 * Noll and Vo) with a unit of 16 bits in place of a byte. */
uint32_t hash_append(uint32_t hash, const char *text);

/* The place of `value` under `seed`. Version 1 hashes the value before the seed, version 2 the seed
 * before the value. */
double hash_unit(enum hash_version version, const char *seed, const char *value);

#endif
