/* Private to common/embedding: running pip and the compiler in a folder of their own. */
#ifndef ASSAY_EMBEDDING_CHILD_H
#define ASSAY_EMBEDDING_CHILD_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { CHILD_ARGUMENTS_MAX = 24 };

/* Runs a program found in PATH to its end, within `seconds`. ERROR_SYSTEM `program_failed` with the
 * last line that it has printed. `folder` gets a file with all of them. */
MUST_CHECK enum error child_run(const char *const command[CHILD_ARGUMENTS_MAX], const char *folder,
                                int seconds, struct problem *problem);

/* The first file of a folder with that ending. */
bool child_find_file(const char *folder, const char *ending, char *path, size_t size);

/* Removes a folder that contains files only. */
void child_remove_folder(const char *folder);

#endif
