/*
 * Reads a table of users from a file, CSV or NDJSON, record by record in a bounded buffer. Knows
 * quotes with line breaks, a byte order mark, both line ends, and commas, semicolons or tabs
 * between fields. Does not know what columns mean.
 */
#ifndef ASSAY_EXPERIMENTS_DATAFILES_DATA_READER_H
#define ASSAY_EXPERIMENTS_DATAFILES_DATA_READER_H

#include "base/arena.h"
#include "base/optional.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    DATA_COLUMNS_MAX = 1000,       /* of a CSV file; further ones are not seen */
    DATA_RECORD_MAX = 1024 * 1024, /* bytes */
    DATA_BLOCK = 1024 * 1024
};

enum data_format { DATA_AUTO, DATA_CSV, DATA_NDJSON, DATA_FORMAT__MAX };

enum data_fault {
    DATA_RECORD_OK,
    DATA_RECORD_TOO_LONG,
    DATA_RECORD_UNTERMINATED, /* a quote that nothing closes */
    DATA_RECORD_NO_JSON       /* a line that is not a JSON object */
};

/* The value of a column in a record: a text, a number, or neither (missing, null, empty). */
struct data_cell {
    const char *text;
    bool is_number;
    double number;
};

struct data_record {
    int64_t line; /* on which it begins, from 1 */
    enum data_fault fault;
};

struct data_reader {
    int file;
    struct arena *arena;   /* of names and buffers */
    struct arena *scratch; /* of one NDJSON record */
    enum data_format format;
    char delimiter;
    char *block, *record;
    size_t at, end;
    int64_t line;
    int64_t bytes, length;    /* read so far, and in all */
    bool failed;              /* the file cannot be read */
    struct string_list names; /* of a CSV file */
    size_t count;             /* fields of the record */
    const char **fields;
    void *object; /* json_t of the record */
};

/* Starts at the beginning of the file's first `length` bytes and reads the names of a CSV file.
 * `delimiter` 0 = the one that the first line has most of. False when there is no record at all. */
bool data_reader_start(struct data_reader *reader, int file, int64_t length,
                       enum data_format format, char delimiter, struct arena *arena);

/* The position of a column by its name; -1 when the CSV file has none. Columns of NDJSON have no
 * position: 0. */
int data_reader_column(const struct data_reader *reader, const char *name);

/* The next record, empty lines left out. False after the last one. */
bool data_reader_next(struct data_reader *reader, struct data_record *record);

/* The cell of the current record. */
struct data_cell data_reader_cell(const struct data_reader *reader, int column, const char *name);

/* A cell as a number: decimal text, with a decimal comma where fields are not divided by commas,
 * true and false. False for anything else, infinity included. */
bool data_cell_number(const struct data_reader *reader, const struct data_cell *cell,
                      double *number);

/* Whether a cell says that there is no value: missing, null, blank, NaN, NA. */
bool data_cell_is_empty(const struct data_cell *cell);

#endif
