/*
 * Vectors of the texts of a measurement. Embedding takes longer than everything else, so they are
 * kept in a file: per text the number search_vector_model() of its kind ("passage: " or "query: ")
 * and words, then its values as floats. tests/bench/embed.py adds those that are missing.
 */
#ifndef ASSAY_VECTORS_H
#define ASSAY_VECTORS_H

#include "base/json.h"
#include "search/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VECTOR_VALUES = 384, VECTORS_MAX = 100000 };

struct kept_vector {
    uint64_t key;
    float values[VECTOR_VALUES];
};

static struct kept_vector *kept_vectors;
static size_t kept_vector_count;

static int by_key(const void *a, const void *b)
{
    const struct kept_vector *x = a, *y = b;

    return (x->key > y->key) - (x->key < y->key);
}

static void read_vectors(const char *path)
{
    FILE *file = fopen(path, "re");

    kept_vectors = calloc(VECTORS_MAX, sizeof *kept_vectors);
    if (!file || !kept_vectors) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    kept_vector_count = fread(kept_vectors, sizeof *kept_vectors, VECTORS_MAX, file);
    fclose(file);
    qsort(kept_vectors, kept_vector_count, sizeof *kept_vectors, by_key);
}

static uint64_t vector_key(struct arena *arena, const char *kind, const char *text)
{
    return search_vector_model(arena_print(arena, "%s%s", kind, text));
}

/* The packed vector of a text. */
static const uint8_t *vector_of(struct arena *arena, const char *kind, const char *text)
{
    struct kept_vector wanted = {.key = vector_key(arena, kind, text)}, *found;
    uint8_t *row = arena_alloc(arena, search_vector_bytes(VECTOR_VALUES));

    found = bsearch(&wanted, kept_vectors, kept_vector_count, sizeof wanted, by_key);
    if (!found) {
        fprintf(stderr, "no vector of %s%.60s: run embed.py\n", kind, text);
        exit(1);
    }
    search_vector_pack(found->values, VECTOR_VALUES, row);
    return row;
}

/* A line {key, kind, text} for embed.py. */
static void print_wanted(struct arena *arena, const char *kind, const char *text)
{
    struct text line;
    struct json_writer writer;

    text_start(&line, arena, 1 << 20);
    writer_start(&writer, &line);
    writer_open_object(&writer);
    writer_key_string(
        &writer, "key",
        arena_print(arena, "%016llx", (unsigned long long)vector_key(arena, kind, text)));
    writer_key_string(&writer, "kind", kind);
    writer_key_string(&writer, "text", text);
    writer_close_object(&writer);
    puts(line.bytes);
}

#endif
