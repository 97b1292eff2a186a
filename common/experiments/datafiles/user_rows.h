/*
 * The users of a data file as numbers, one row each: arm, outcome, covariates. They are written
 * behind the upload in its own unnamed file, and read from there as often as an analysis needs.
 */
#ifndef ASSAY_EXPERIMENTS_DATAFILES_USER_ROWS_H
#define ASSAY_EXPERIMENTS_DATAFILES_USER_ROWS_H

#include "base/error.h"
#include "stats/regression_adjustment.h"

struct user_rows {
    int file;
    int64_t base;      /* where the rows begin in the file */
    int64_t most;      /* bytes that they may take; 0 = any */
    size_t covariates; /* of a row */
    size_t capacity;   /* doubles of the block */
    double *block;
    int64_t written; /* doubles in the file */
    size_t waiting;  /* of the block, not in the file yet */
    int64_t read;    /* doubles before the block */
    size_t at, end;  /* of the block */
    bool failed;     /* rows could not be read */
};

/* Rows behind the first `length` bytes of the file. */
void user_rows_start(struct user_rows *rows, int file, int64_t length, size_t covariates,
                     struct arena *arena);

/* Both give ERROR_UNAVAILABLE disk_full, ERROR_TOO_LARGE data_rows_too_large. Call
 * user_rows_flush() after the last row. */
MUST_CHECK enum error user_rows_add(struct user_rows *rows, const struct regression_user *user,
                                    struct problem *problem);
MUST_CHECK enum error user_rows_flush(struct user_rows *rows, struct problem *problem);

/* Reading, as a regression_source does it: the state is the rows. Look at `failed` after a pass. */
void user_rows_rewind(void *state);
bool user_rows_next(void *state, struct regression_user *user);

#endif
