/*
 * Reads and writes JSON. Reading is strict (RFC 8259, valid UTF-8, one document, no duplicate keys,
 * no NaN) and gives Jansson values whose memory is the arena's: never call json_decref on them.
 * Writing goes through a scope stack, so that wrong nesting fails an assertion instead of producing
 * malformed JSON.
 */
#ifndef ASSAY_BASE_JSON_H
#define ASSAY_BASE_JSON_H

#include "base/arena.h"
#include "base/error.h"
#include "base/optional.h"
#include "base/text.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    JSON_DEPTH_LIMIT = 64,      /* default nesting of a document */
    JSON_WRITER_DEPTH_MAX = 64, /* nesting of written documents */
};

struct json_fault {
    size_t offset; /* byte where reading stopped */
    char text[200];
};

/* Reads one document of at most `depth` levels. ERROR_MALFORMED with the fault filled in. Numbers
 * that do not fit a double are malformed; integers beyond 64 bits become reals. The arena handles
 * exhausted memory, as with arena_alloc(). */
MUST_CHECK enum error json_read(struct arena *arena, const char *bytes, size_t length, int depth,
                                json_t **document, struct json_fault *fault);

/* Reads a catalog or configuration file, as json_read; problems with the file are ERROR_NOT_FOUND
 * or ERROR_SYSTEM. */
MUST_CHECK enum error json_read_file(struct arena *arena, const char *path, json_t **document,
                                     struct problem *problem);

/* The line, from 1, on which the value at a path like `tasks[3].steps[0].cost_usd` begins in a
 * document that json_read() has accepted. If the path does not exist, the line of the innermost
 * value of it that does. Names with dots, brackets or escapes are not found. */
size_t json_line_of(const char *bytes, size_t length, const char *path);

struct json_writer {
    struct text *out;
    int depth;
    char scope[JSON_WRITER_DEPTH_MAX]; /* '{' or '[' */
    bool has_items[JSON_WRITER_DEPTH_MAX];
    bool after_key;
    bool spaced; /* a blank after each comma and colon */
    bool ascii;  /* escapes everything beyond ASCII */
    int indent;  /* blanks per level, each value on a line of its own; 0 = compact */
};

void writer_start(struct json_writer *writer, struct text *out);

void writer_open_object(struct json_writer *writer);
void writer_close_object(struct json_writer *writer);
void writer_open_array(struct json_writer *writer);
void writer_close_array(struct json_writer *writer);
void writer_key(struct json_writer *writer, const char *key);

/* A NULL string is written as null, and so is a number that is not finite. */
void writer_string(struct json_writer *writer, const char *value);
void writer_bytes(struct json_writer *writer, const char *bytes, size_t length);
void writer_number(struct json_writer *writer, double value);
void writer_integer(struct json_writer *writer, int64_t value);
void writer_boolean(struct json_writer *writer, bool value);
void writer_null(struct json_writer *writer);
void writer_value(struct json_writer *writer, const json_t *value);

/* The same with sorted keys at every level: one form for one value. */
void writer_value_sorted(struct json_writer *writer, const json_t *value);

/* Writes a value that is JSON already; only for constants and for output of a writer. */
void writer_raw(struct json_writer *writer, const char *json);

/* The object `object` followed by the members of `more`. Both are JSON texts of objects, as a
 * writer makes them. */
const char *json_join(struct arena *arena, const char *object, const char *more);

/* Key and value in one call. */
void writer_key_string(struct json_writer *writer, const char *key, const char *value);
void writer_key_number(struct json_writer *writer, const char *key, double value);
void writer_key_integer(struct json_writer *writer, const char *key, int64_t value);
void writer_key_boolean(struct json_writer *writer, const char *key, bool value);
void writer_key_null(struct json_writer *writer, const char *key);
void writer_key_strings(struct json_writer *writer, const char *key,
                        const struct string_list *list);

/* An array of strings. */
void writer_strings(struct json_writer *writer, const char *const *items, size_t count);

/* The same as a text of at most `maximum` bytes, from the arena. */
const char *json_of_strings(struct arena *arena, size_t maximum, const char *const *items,
                            size_t count);

/* The strings of an array, without its other items; none when it is no array. The strings are the
 * document's. */
struct string_list json_strings(struct arena *arena, const json_t *array);

#endif
