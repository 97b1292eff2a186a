/*
 * Snapshots: tasks with their steps and events in one JSON file that can be verified without a
 * store. Its digest is that of the canonical form: sorted keys, no white space, numbers as written.
 */
#ifndef ASSAY_ORCHESTRATOR_SNAPSHOT_SNAPSHOT_H
#define ASSAY_ORCHESTRATOR_SNAPSHOT_SNAPSHOT_H

#include "base/json.h"
#include "crypto/digest.h"
#include "orchestrator/storage/store_health.h"
#include "orchestrator/storage/task_store.h"

enum { SNAPSHOT_VERSION = 1, SNAPSHOT_BYTES_MAX = 1 << 30, SNAPSHOT_DEPTH_MAX = 64 };

/* The tasks to export: these ids, or the newest `limit` when none are given. */
struct snapshot_request {
    struct string_list task_ids;
    int64_t limit;
    const char *orch_version;
    const char *backend;
    /* Called for each task; NULL = no progress is reported. */
    void (*report)(void *context, const char *what, size_t done, size_t all);
    void *context;
};

/* Reads the store and builds the snapshot with its digest. */
MUST_CHECK enum error snapshot_build(struct arena *arena, struct db *db,
                                     const struct db_schema *schema,
                                     const struct snapshot_request *wanted, json_t **snapshot,
                                     struct problem *problem);

/* Writes JSON with keys sorted at every level; `indent` 0 = compact. */
void canonical_write(struct text *out, const json_t *value, int indent);

/* SHA-256 of the canonical form without `snapshot_sha256`. */
void snapshot_digest(struct arena *arena, const json_t *snapshot, char digest[DIGEST_SHA256_TEXT]);

/* The result of each check, such as `verified` or `mismatch`. */
struct snapshot_checks {
    const char *checksum, *format, *migration;
    const char *task_count, *step_count, *event_count, *exported_task_ids, *missing_task_ids;
    const char *status_consistency, *selection, *manifest;
    bool import_ready;
    int64_t tasks, steps, events; /* number of existing ids */
    struct string_list exported,
        not_exported; /* existing ids, and selected ones that do not exist */
    char digest[DIGEST_SHA256_TEXT];
};
void snapshot_check(struct arena *arena, const json_t *snapshot,
                    const struct string_list *known_migrations, struct snapshot_checks *checks);

struct snapshot_import {
    struct string_list task_ids; /* NULL items: all tasks */
    bool dry_run;
    /* Called for each task; NULL = no progress is reported. */
    void (*report)(void *context, const char *what, size_t done, size_t all);
    void *context;
    struct string_list replaced, missing;
    int64_t tasks, steps, events;
    const char *blamed; /* path of the invalid member, such as `tasks[3].steps[0].cost_usd` */
};

/* Validates the whole import before it changes the first row, then replaces task by task in one
 * transaction. ERROR_INVALID (`snapshot_invalid`) names the task and the member. The ranges of
 * numbers are in import.c. */
MUST_CHECK enum error snapshot_import(struct arena *arena, struct db *db, const json_t *snapshot,
                                      struct snapshot_import *import, struct problem *problem);

#endif
