/*
 * Private to common/documents: child processes that read a document, each under limits, the output
 * of one being the input of the next. A program reads and writes its standard streams and gets none
 * of our environment variables; a function runs in a confined process.
 */
#ifndef ASSAY_DOCUMENTS_CHILDREN_H
#define ASSAY_DOCUMENTS_CHILDREN_H

#include "base/text.h"
#include "documents/reader.h"

#include <stdio.h>

enum { CHILDREN_MAX = 4, CHILD_CANNOT = 3, CHILD_NO_PROGRAM = 127 };

struct child_plan {
    const char *const *arguments;              /* of a program; NULL for a function */
    int (*function)(void *context, FILE *out); /* reads /dev/stdin; returns the exit code */
    void *context;
};

struct children_result {
    int statuses[CHILDREN_MAX]; /* of waitpid() */
    bool timely;
};

/* Runs the children with `file` as the first one's input and collects the last one's output. When
 * it is too long (`output` overflows) or they take longer than twice their seconds, they are
 * killed. False when they cannot be started. */
bool children_run(const struct child_plan *plans, size_t count, int file,
                  const struct reader_limits *limits, const char *work_folder, struct text *output,
                  struct children_result *result);

#endif
