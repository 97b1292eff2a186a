/*
 * Error codes of the whole suite, one closed set, with a detail for people. They do not depend on
 * HTTP; common/http maps codes to answers.
 */
#ifndef ASSAY_BASE_ERROR_H
#define ASSAY_BASE_ERROR_H

enum error {
    ERROR_NONE = 0,
    ERROR_INVALID,     /* the arguments have no result (degenerate data, rate above one) */
    ERROR_NOT_FOUND,   /* nothing with that id or name */
    ERROR_CONFLICT,    /* it exists already, or has changed since it was read */
    ERROR_FORBIDDEN,   /* the caller may not do this */
    ERROR_TOO_LARGE,   /* a named limit was exceeded */
    ERROR_BUSY,        /* capacity is in use; try again later */
    ERROR_UNAVAILABLE, /* an external service does not answer (database, upstream) */
    ERROR_MALFORMED,   /* bytes that do not follow their syntax */
    ERROR_SYSTEM,      /* the operating system refused: disk, memory, permissions */
    ERROR__MAX
};

/* The detail of a failure. `reason` is a stable snake_case word that programs may match and is
 * always a literal; `text` is for people. Callers own the struct; callees only fill it. */
struct problem {
    enum error error;
    const char *reason;
    char text[512];
};

#define MUST_CHECK __attribute__((warn_unused_result))

/* Fills `problem` (when not NULL) and returns `error`, so that a failing line is one statement. */
enum error problem_set(struct problem *problem, enum error error, const char *reason,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
