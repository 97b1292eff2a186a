/*
 * Snapshots: tasks with their steps and events in one JSON file that can be checked without a
 * store. Its digest is of the canonical form: keys sorted, nothing between, numbers as they are
 * spelled.
 */
#ifndef ASSAY_ORCHESTRATOR_SNAPSHOT_SNAPSHOT_H
#define ASSAY_ORCHESTRATOR_SNAPSHOT_SNAPSHOT_H

#include "base/json.h"
#include "crypto/digest.h"
#include "orchestrator/storage/store_health.h"
#include "orchestrator/storage/task_store.h"

enum { SNAPSHOT_VERSION = 1, SNAPSHOT_BYTES_MAX = 1 << 30, SNAPSHOT_DEPTH_MAX = 64 };

/* What is exported: these tasks, or the newest `limit` when none are named. */
struct snapshot_request {
    struct string_list task_ids;
    int64_t limit;
    const char *orch_version;
    const char *backend;
    /* Called for each task; NULL = no progress is reported. */
    void (*report)(void *context, const char *what, size_t done, size_t all);
    void *context;
};

/* Reads the store and puts the snapshot together, its digest included. */
MUST_CHECK enum error snapshot_build(struct arena *arena, struct db *db,
                                     const struct db_schema *schema,
                                     const struct snapshot_request *wanted, json_t **snapshot,
                                     struct problem *problem);

/* Keys sorted at every level; `indent` 0 = compact. */
void canonical_write(struct text *out, const json_t *value, int indent);

/* SHA-256 of the canonical form without `snapshot_sha256`. */
void snapshot_digest(struct arena *arena, const json_t *snapshot, char digest[DIGEST_SHA256_TEXT]);

/* The result of each check, such as `verified` or `mismatch`. */
struct snapshot_checks {
    const char *checksum, *format, *migration;
    const char *task_count, *step_count, *event_count, *exported_task_ids, *missing_task_ids;
    const char *status_consistency, *selection, *manifest;
    bool import_ready;
    int64_t tasks, steps, events; /* that are there */
    struct string_list exported,
        not_exported; /* ids that are there, and selected ones that are not */
    char digest[DIGEST_SHA256_TEXT];
};
void snapshot_check(struct arena *arena, const json_t *snapshot,
                    const struct string_list *known_migrations, struct snapshot_checks *checks);

struct snapshot_import {
    struct string_list task_ids; /* NULL items: all */
    bool dry_run;
    /* Called for each task; NULL = no progress is reported. */
    void (*report)(void *context, const char *what, size_t done, size_t all);
    void *context;
    struct string_list replaced, missing;
    int64_t tasks, steps, events;
    const char *blamed; /* what is wrong, when something is, such as `tasks[3].steps[0].cost_usd` */
};

/* Checks all that is to be imported before it changes the first row, then replaces task by task in
 * one transaction. ERROR_INVALID (`snapshot_invalid`) names the task and the member. The bounds of
 * numbers are in import.c. */
MUST_CHECK enum error snapshot_import(struct arena *arena, struct db *db, const json_t *snapshot,
                                      struct snapshot_import *import, struct problem *problem);

#endif
