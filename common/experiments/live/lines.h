/*
 * Records as lines: JSON objects (NDJSON), or CSV with a header line. Invalid lines are refused,
 * the others are accepted.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_LINES_H
#define ASSAY_EXPERIMENTS_LIVE_LINES_H

#include "base/schema.h"
#include "experiments/live/ingest.h"

enum { LIVE_LINE_MAX = 64 * 1024 }; /* bytes */

struct live_line_error {
    int64_t line;      /* counted from 1 */
    const char *field; /* NULL: the error concerns the whole line */
    const char *message;
};

/* Decoded lines, and the errors of the refused ones. */
struct live_lines {
    enum live_kind kind;
    struct arena *arena;
    size_t capacity;
    struct object_list records; /* structs of the record kind */
    size_t error_count, error_capacity;
    struct live_line_error *errors;
};

/* Allocates space for that many lines. */
void live_lines_start(struct live_lines *lines, enum live_kind kind, struct arena *arena,
                      size_t capacity);

/* Adds an error for a line that is refused. */
void live_lines_refuse(struct live_lines *lines, int64_t number, const char *message);

/* Skips the byte order mark that some programs write before the first line (`number` 1) of a
 * file. */
void live_line_skip_mark(int64_t number, const char **bytes, size_t *length);

/* Decodes one line without its line end and adds the record or an error. Blank lines are
 * skipped. */
void live_lines_add_json(struct live_lines *lines, int64_t number, const char *bytes,
                         size_t length);

/* The same for a CSV line (RFC 4180, no line breaks in cells): `names` are the column names. An
 * empty cell is an absent value. */
void live_lines_add_csv(struct live_lines *lines, const struct string_list *names, int64_t number,
                        const char *bytes, size_t length);

/* Splits a CSV line; false when a quote is not closed. */
bool live_csv_cells(struct arena *arena, const char *bytes, size_t length,
                    struct string_list *cells);

/* How much of the file with that digest has been loaded into an experiment. */
struct live_progress_mark {
    int64_t bytes, lines;
};
MUST_CHECK enum error live_load_mark(const struct live_call *call, const char *experiment_id,
                                     enum live_kind kind, const char *file,
                                     struct live_progress_mark *mark);

/* Ingests the records and advances the mark, both or neither. */
MUST_CHECK enum error live_load_records(const struct live_call *call, const char *experiment_id,
                                        const struct live_lines *lines, const char *file,
                                        const struct live_progress_mark *mark,
                                        struct live_outcome *outcome);

#endif
