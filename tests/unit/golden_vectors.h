/*
 * Vectors of the texts of the golden table, as the embedder's model gave them, so that the table is
 * checked with vectors without a model: lines of a number search_vector_model() of kind and text, a
 * blank, and the packed row in base64. With GOLDEN_TEXTS set, the texts that are missing are
 * printed as JSON for tests/bench/embed.py.
 */
#ifndef ASSAY_GOLDEN_VECTORS_H
#define ASSAY_GOLDEN_VECTORS_H

#include "base/json.h"
#include "search/search.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GOLDEN_VALUES = 384, GOLDEN_MAX = 100, GOLDEN_ROW = 4 + GOLDEN_VALUES };

static struct golden_vector {
    uint64_t key;
    uint8_t row[GOLDEN_ROW];
} golden_vectors[GOLDEN_MAX];
static size_t golden_count;

static void golden_vectors_read(void)
{
    static const char path[] = "tests/data/golden_vectors.txt";
    FILE *file = fopen(path, "re");
    char line[1024];

    while (file && golden_count < GOLDEN_MAX && fgets(line, sizeof line, file)) {
        struct golden_vector *vector = &golden_vectors[golden_count++];
        char *rest;
        size_t bytes;

        vector->key = strtoull(line, &rest, 16);
        if (sodium_base642bin(vector->row, sizeof vector->row, rest + 1, strcspn(rest + 1, "\n"),
                              NULL, &bytes, NULL, sodium_base64_VARIANT_ORIGINAL) ||
            bytes != GOLDEN_ROW) {
            fprintf(stderr, "%s: line %zu is no vector\n", path, golden_count);
            exit(1);
        }
    }
    if (file)
        fclose(file);
}

static const uint8_t *golden_vector(struct arena *arena, const char *kind, const char *text)
{
    static const uint8_t none[GOLDEN_ROW];
    uint64_t key = search_vector_model(arena_print(arena, "%s%s", kind, text));
    struct text line;
    struct json_writer writer;

    if (!golden_count)
        golden_vectors_read();
    for (size_t i = 0; i < golden_count; i++)
        if (golden_vectors[i].key == key)
            return golden_vectors[i].row;
    text_start(&line, arena, 1 << 16);
    writer_start(&writer, &line);
    writer_open_object(&writer);
    writer_key_string(&writer, "key", arena_print(arena, "%016llx", (unsigned long long)key));
    writer_key_string(&writer, "kind", kind);
    writer_key_string(&writer, "text", text);
    writer_close_object(&writer);
    if (getenv("GOLDEN_TEXTS"))
        puts(line.bytes);
    else
        fprintf(stderr, "no vector of %s%.60s: GOLDEN_TEXTS=1 prints what is missing\n", kind,
                text);
    return none;
}

#endif
