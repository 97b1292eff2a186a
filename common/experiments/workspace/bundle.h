/*
 * Parses, checks and hashes a workspace bundle one record at a time, so that memory does not grow
 * with its size. Does not depend on the database.
 */
#ifndef ASSAY_EXPERIMENTS_WORKSPACE_BUNDLE_H
#define ASSAY_EXPERIMENTS_WORKSPACE_BUNDLE_H

#include "crypto/digest_stream.h"
#include "experiments/workspace/records.h"

enum { BUNDLE_SCHEMA_VERSION = 4, BUNDLE_OLDEST_VERSION = 1 };

/* A record by its position in the text, with the members that the checks need. */
struct bundle_entry {
    const char *at;
    size_t length;
    const char *id;         /* of a version of a metric `metric/number`; of a flag the project's */
    const char *project_id; /* of a version of a metric the metric's; NULL for both owners */
    const char *run_id;     /* of an event, and the last one of a project; may be NULL. Of a metric
                             * the id of its current version */
    const char *created_at; /* NULL for a flag */
};

struct bundle_head {
    int64_t schema_version;
    const char *generated_at;
    const struct bundle_integrity *integrity; /* NULL = none */
};

struct bundle {
    struct bundle_head head;
    struct bundle_list_of_entries {
        size_t count;
        struct bundle_entry *items;
    } lists[BUNDLE_LIST__MAX];
    struct bundle_counts counts;
    char checksum[DIGEST_SHA256_TEXT];
    char signature[DIGEST_SHA256_TEXT]; /* empty without a key */
    bool signature_verified;
};

/* Progress: `done` of `total` records; total 0 = unknown. */
typedef void bundle_progress(void *context, const char *what, int64_t done, int64_t total);

/* The arguments of every function on bundles. `piece` holds one record at a time and is reset
 * between records. */
struct bundle_call {
    struct arena *arena;
    struct arena *piece;
    const char *signing_key; /* NULL = none */
    int64_t metrics_max;     /* in the catalog, after an import */
    struct problem *problem;
    bundle_progress *progress; /* or NULL */
    void *progress_context;
    const char
        *fault_field; /* for ERROR_MALFORMED: path of the member, such as "projects.0.payload" */
};

/* Reads and checks a whole bundle; the text must stay valid while the bundle is used. Errors:
 * ERROR_MALFORMED bundle_shape with the path of the invalid member, ERROR_INVALID with the
 * workspace_... reason of the first check that fails. */
MUST_CHECK enum error bundle_read(struct bundle_call *call, const char *bytes, size_t length,
                                  struct bundle *bundle);

/* Decodes a record of a checked bundle into call->piece. */
MUST_CHECK enum error bundle_record(struct bundle_call *call, const struct bundle *bundle,
                                    enum bundle_list list, size_t index, void *record);

/* Whether a list contains an id, and its index in the order of ids. */
struct bundle_ids {
    size_t count;
    const struct bundle_entry **items; /* sorted by id */
};
struct bundle_ids bundle_sort_ids(struct arena *arena, const struct bundle *bundle,
                                  enum bundle_list list);
bool bundle_find_id(const struct bundle_ids *ids, const char *id, size_t *position);

/* A time of a bundle that was checked, as the database keeps all times; NULL for NULL. From the
 * arena. */
const char *bundle_moment(struct arena *arena, const char *text);

/* Reports progress now and then. */
void bundle_report_progress(const struct bundle_call *call, const char *what, int64_t done,
                            int64_t total);

#endif
