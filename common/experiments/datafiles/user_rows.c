/* Blocks of doubles behind the upload. */
#include "experiments/datafiles/user_rows.h"

#include <errno.h>
#include <unistd.h>

enum { FIXED = 3, ROWS_PER_BLOCK = 8192 };

void user_rows_start(struct user_rows *rows, int file, int64_t length, size_t covariates,
                     struct arena *arena)
{
    size_t width = FIXED + covariates;

    *rows = (struct user_rows){.file = file,
                               .base = (length + 7) / 8 * 8,
                               .covariates = covariates,
                               .capacity = ROWS_PER_BLOCK * width};
    rows->block = ARENA_ARRAY(arena, double, rows->capacity);
}

enum error user_rows_flush(struct user_rows *rows, struct problem *problem)
{
    const char *bytes = (const char *)rows->block;
    size_t left = rows->waiting * sizeof(double);
    int64_t at = rows->base + rows->written * (int64_t)sizeof(double);

    if (rows->most && at - rows->base + (int64_t)left > rows->most)
        return problem_set(problem, ERROR_TOO_LARGE, "data_rows_too_large",
                           "The numbers of the file take more than %lld bytes",
                           (long long)rows->most);
    while (left > 0) {
        ssize_t put = pwrite(rows->file, bytes, left, at);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return problem_set(problem, ERROR_UNAVAILABLE, "disk_full",
                               "The numbers of the file could not be kept on the disk");
        bytes += put;
        at += put;
        left -= (size_t)put;
    }
    rows->written += (int64_t)rows->waiting;
    rows->waiting = 0;
    return ERROR_NONE;
}

enum error user_rows_add(struct user_rows *rows, const struct regression_user *user,
                         struct problem *problem)
{
    double *row;

    if (rows->waiting == rows->capacity) {
        enum error error = user_rows_flush(rows, problem);

        if (error)
            return error;
    }
    row = rows->block + rows->waiting;
    row[0] = user->arm;
    row[1] = user->value;
    row[2] = user->denominator;
    for (size_t i = 0; i < rows->covariates; i++)
        row[FIXED + i] = user->covariates[i];
    rows->waiting += FIXED + rows->covariates;
    return ERROR_NONE;
}

void user_rows_rewind(void *state)
{
    struct user_rows *rows = state;

    rows->read = 0;
    rows->at = rows->end = 0;
}

static bool fill(struct user_rows *rows)
{
    int64_t left = rows->written - rows->read;
    size_t wanted = left < (int64_t)rows->capacity ? (size_t)left : rows->capacity, got = 0;

    while (got < wanted * sizeof(double)) {
        ssize_t part = pread(rows->file, (char *)rows->block + got, wanted * sizeof(double) - got,
                             rows->base + rows->read * (int64_t)sizeof(double) + (int64_t)got);

        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0) {
            rows->failed = true;
            return false;
        }
        got += (size_t)part;
    }
    rows->read += (int64_t)wanted;
    rows->at = 0;
    rows->end = wanted;
    return wanted > 0;
}

bool user_rows_next(void *state, struct regression_user *user)
{
    struct user_rows *rows = state;
    const double *row;

    if (rows->at == rows->end && !fill(rows))
        return false;
    row = rows->block + rows->at;
    user->arm = (int)row[0];
    user->value = row[1];
    user->denominator = row[2];
    for (size_t i = 0; i < rows->covariates; i++)
        user->covariates[i] = row[FIXED + i];
    rows->at += FIXED + rows->covariates;
    return true;
}
