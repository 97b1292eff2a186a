/*
 * Calls the embedder of the stack (cron-bin/embedder): a daemon that turns texts into vectors with
 * multilingual-e5-small. It listens on two sockets in the run directory, one for questions and one
 * for passages, so that a question never waits behind passages. Without a model nobody listens.
 */
#ifndef ASSAY_EMBEDDING_EMBEDDER_H
#define ASSAY_EMBEDDING_EMBEDDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EMBEDDER_DIMENSION = 384,
    EMBEDDER_ROW_BYTES = 4 + EMBEDDER_DIMENSION,
    EMBEDDER_MODEL_MAX = 64,  /* of a model's name */
    EMBEDDER_TEXT_MAX = 8192, /* bytes of a text that count; the rest is ignored */
    EMBEDDER_QUESTION_MILLISECONDS = 200
};

/* What a text has become. `model` names the weights: vectors of two models are never compared. */
struct embedder_vector {
    uint8_t row[EMBEDDER_ROW_BYTES]; /* packed, as in search/vector.h */
    char model[EMBEDDER_MODEL_MAX];
};

/* The vector of a question ("query: "), within EMBEDDER_QUESTION_MILLISECONDS. NULL, or why there
 * is none: "away" (nobody listens), "timeout", "malformed". Lets other fibers run. */
const char *embedder_question(const char *run_directory, const char *text,
                              struct embedder_vector *vector);

/* The vectors of `count` passages ("passage: "), in their order, for background programs: some 0.1
 * seconds for each. `*done` are ready even when the result is not NULL. */
const char *embedder_passages(const char *run_directory, const char *const *texts, size_t count,
                              struct embedder_vector *vectors, size_t *done);

/* The model that serves; false when nobody answers within EMBEDDER_QUESTION_MILLISECONDS. */
bool embedder_model(const char *run_directory, char model[EMBEDDER_MODEL_MAX]);

#endif
