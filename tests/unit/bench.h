/*
 * What fixtures of storage share: checks of errors, and an emptied PostgreSQL database. The fixture
 * defines `struct bench`, with `problem`, and its tests have one called `bench`.
 */
#ifndef ASSAY_BENCH_H
#define ASSAY_BENCH_H

#include "db/query.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_OK(expression)                                                                       \
    do {                                                                                           \
        enum error error_ = (expression);                                                          \
        if (error_) {                                                                              \
            printf("%s:%d: %s gave error %d, %s: %s\n", __FILE__, __LINE__, #expression,           \
                   (int)error_, bench->problem.reason, bench->problem.text);                       \
            test_failures_here++;                                                                  \
        }                                                                                          \
    } while (0)

/* The expression fails with this code and reason. */
#define CHECK_FAILS(expression, code, why)                                                         \
    do {                                                                                           \
        enum error error_ = (expression);                                                          \
        if (error_ != (code) || strcmp(bench->problem.reason, (why)) != 0) {                       \
            printf("%s:%d: %s gave error %d, %s, expected %d, %s\n", __FILE__, __LINE__,           \
                   #expression, (int)error_, error_ ? bench->problem.reason : "-", (int)(code),    \
                   (why));                                                                         \
            test_failures_here++;                                                                  \
        }                                                                                          \
    } while (0)

static inline void bench_fatal(const char *what, const struct problem *problem)
{
    printf("cannot %s: %s\n", what, problem->text);
    exit(2);
}

static inline void bench_empty_server(const char *url)
{
    static const struct statement drop = {"drop", "DROP SCHEMA public CASCADE"};
    static const struct statement make = {"make", "CREATE SCHEMA public"};
    struct problem problem = {0};
    struct db *db = NULL;
    enum error error = db_open(url, NULL, &db, &problem);

    if (!error)
        error = query_end(db_query(db, &drop), &problem);
    if (!error)
        error = query_end(db_query(db, &make), &problem);
    if (error)
        bench_fatal("empty the database", &problem);
    db_close(db);
}

#endif
