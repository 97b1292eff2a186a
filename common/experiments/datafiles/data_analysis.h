/*
 * Analysis of the users of an uploaded file: which column is what, the rows that cannot be used,
 * and the comparison of all arms. Does not depend on HTTP.
 */
#ifndef ASSAY_EXPERIMENTS_DATAFILES_DATA_ANALYSIS_H
#define ASSAY_EXPERIMENTS_DATAFILES_DATA_ANALYSIS_H

#include "experiments/analyses/adjusted_analysis.h"
#include "experiments/datafiles/data_reader.h"

enum { DATA_ANALYSES_MAX = 4, DATA_BAD_ROWS_SHOWN = 20 };

/* The names of columns, and what is asked for. */
struct data_mapping {
    int format;    /* enum data_format */
    int delimiter; /* auto, comma, semicolon, tab */
    const char *arm, *value, *denominator;
    struct string_list covariates;
    const char *control;         /* the label of the control; NULL = the first label of the file */
    int metric_type;             /* enum metric_type */
    struct string_list analyses; /* further ones */
    int variance, distribution, direction;
    double alpha, quantile, trim;
};

struct data_bad_row {
    int64_t line;
    const char *column, *reason;
};

struct data_arm {
    const char *label;
    int64_t users;
};

struct data_pair_analysis {
    int64_t treatment_index;
    const struct results_reply *analysis;
};

struct data_reply {
    const char *format, *delimiter;
    int64_t rows, users, bad_rows;
    OBJECT_LIST(struct data_bad_row, first_bad_rows);
    OBJECT_LIST(struct data_arm, arms);
    const struct adjusted_reply *comparison;
    OBJECT_LIST(struct data_pair_analysis, analyses);
};

SCHEMA_OF(data_mapping_schema, struct data_mapping);
SCHEMA_OF(data_reply_schema, struct data_reply);

/* The file with its first `length` bytes; it is written behind them. `gone` (may be NULL) says
 * whether nobody waits for the answer any more; it is called now and then with the bytes that have
 * been read. */
struct data_upload {
    int file;
    int64_t length;
    int64_t rows_most; /* bytes that may be written behind it */
    bool (*gone)(void *context, int64_t bytes_read);
    void *context;
};

/* ERROR_INVALID: empty_file, unknown_column, data_arms (fewer than two or more than ten labels),
 * unknown_control, data_analyses, too_many_users for an analysis, degenerate. ERROR_UNAVAILABLE:
 * disk_full, file_not_read, cancelled. ERROR_TOO_LARGE: data_rows_too_large. */
MUST_CHECK enum error data_analyze(const struct results_call *call,
                                   const struct data_mapping *mapping,
                                   const struct data_upload *upload, struct data_reply *answer);

#endif
