/*
 * Files below DATA_DIR that programs write: curated data, experiments, reports, overlays. A file is
 * replaced atomically: a reader sees the old or the new file, also after a crash.
 */
#ifndef ASSAY_SUPPORT_PROGRAMS_DATA_FILES_H
#define ASSAY_SUPPORT_PROGRAMS_DATA_FILES_H

#include "base/arena.h"
#include "base/error.h"
#include "base/schema.h"
#include "support/settings.h"

enum { DATA_FILE_MAX = 64 * 1024 * 1024 }; /* bytes of a file to read */

/* The absolute path; relative paths are below DATA_DIR. From the arena. */
const char *data_file_path(struct arena *arena, const struct support_settings *settings,
                           const char *path);

/* The text of a file with one object: indented, with a newline at the end. NULL when it is longer
 * than `most` bytes. */
const char *data_file_json(struct arena *arena, size_t most, const struct schema *schema,
                           const void *object);

/* Creates folders; only the owner can read the file, because it may contain customers' texts.
 * Writers of one path must be serialized by the caller or by a lock. ERROR_SYSTEM. */
MUST_CHECK enum error data_file_write(struct arena *arena, const char *path, const char *bytes,
                                      size_t length, struct problem *problem);

/* The same for content too large for memory. From data_file_begin() to one of the two end functions
 * other writers of the folder wait; data_file_finish() reports errors of appending. */
struct data_file;
MUST_CHECK enum error data_file_begin(struct arena *arena, const char *path,
                                      struct data_file **file, struct problem *problem);
void data_file_append(struct data_file *file, const char *bytes, size_t length);
size_t data_file_length(const struct data_file *file); /* bytes so far */
MUST_CHECK enum error data_file_finish(struct data_file *file, struct problem *problem);
void data_file_abandon(struct data_file *file);

/* A FILE to read, closed by arena_guard_end() or with the arena. Errors as of data_file_read().
 */
MUST_CHECK enum error data_file_open(struct arena *arena, const char *path,
                                     struct arena_guard **file, struct problem *problem);

/* The whole file as text, NUL-terminated. ERROR_NOT_FOUND file_not_found, ERROR_TOO_LARGE,
 * ERROR_SYSTEM. */
MUST_CHECK enum error data_file_read(struct arena *arena, const char *path, char **bytes,
                                     size_t *length, struct problem *problem);

/* Makes the name of a file durable, after a rename: its folder is synced. */
void data_file_sync_name(struct arena *arena, const char *path);

/* Deletes the file; ERROR_NONE also when it does not exist. */
MUST_CHECK enum error data_file_remove(const char *path, struct problem *problem);

bool data_file_exists(const char *path);

/* The lock `<DATA_DIR>/locks/<name>` of this host; waits up to that many milliseconds. It ends with
 * data_file_unlock(), with the arena or with the process. ERROR_BUSY locked, ERROR_SYSTEM. */
MUST_CHECK enum error data_file_lock(struct arena *arena, const struct support_settings *settings,
                                     const char *name, int wait_ms, struct arena_guard **lock,
                                     struct problem *problem);
void data_file_unlock(struct arena_guard *lock);

/* Lower-case ASCII letters and digits, every other run a hyphen, none at the ends; "current" for an
 * empty text. */
const char *data_file_slug(struct arena *arena, const char *text);

/* "20260422T101530Z". */
const char *data_file_stamp(struct arena *arena, int64_t microseconds);

#endif
