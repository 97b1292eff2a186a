/*
 * Worker processes of a daemon. The parent starts one process per function and replaces each one
 * that ends. All of them end when the parent receives SIGTERM or SIGINT, or dies.
 */
#ifndef ASSAY_JOBS_WORKER_POOL_H
#define ASSAY_JOBS_WORKER_POOL_H

#include <stddef.h>

enum { WORKER_POOL_MAX = 66 };

/* Runs in the worker process `number` until the worker is asked to stop; returns its exit code. */
typedef int worker_function(void *context, size_t number);

/* Runs `count` worker processes until the parent is asked to stop, then waits for all of them. */
void worker_pool_run(worker_function *const *functions, size_t count, void *context);

#endif
