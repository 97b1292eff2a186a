/*
 * Collects the chunks of documents in memory and writes them as one segment. Speed is some 10 MB of
 * text a second; memory about eight times the text.
 */
#ifndef ASSAY_SEARCH_BUILDER_H
#define ASSAY_SEARCH_BUILDER_H

#include "base/error.h"
#include "text/language.h"

#include <stddef.h>
#include <stdint.h>

struct index_builder;

struct index_passage {
    const char *text;
    size_t length;
};

/* `memory` is the limit in bytes; if it is exceeded, index_builder_finish() returns
 * ERROR_TOO_LARGE. NULL when out of memory. */
struct index_builder *index_builder_create(size_t memory);
void index_builder_destroy(struct index_builder *builder);

/* The caller defines the keys; chunks of equal score are ordered by key. */
void index_builder_document(struct index_builder *builder, int64_t key,
                            enum text_language language);

/* Adds a chunk of the last document: its heading (may be NULL) and its passages. Words of the
 * heading count for the chunk and for each of its passages. Consecutive chunks may have the same
 * key: they are children of one chunk, which is found once, by its best child. Without heading and
 * passages it is a title of the chunk: words do not find it, its vector does. */
void index_builder_chunk(struct index_builder *builder, int64_t key, const char *head,
                         const struct index_passage *passages, size_t count);

/* Writes `directory`/`name`; `bytes` receives its size. */
MUST_CHECK enum error index_builder_finish(struct index_builder *builder, const char *directory,
                                           const char *name, int64_t *bytes,
                                           struct problem *problem);

#endif
