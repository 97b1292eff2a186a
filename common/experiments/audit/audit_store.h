/* The audit log: actor, action, time and origin of every change. Rows are never changed, only added
 * and purged by age. */
#ifndef ASSAY_EXPERIMENTS_AUDIT_AUDIT_STORE_H
#define ASSAY_EXPERIMENTS_AUDIT_AUDIT_STORE_H

#include "base/schema.h"
#include "db/store.h"

enum { AUDIT_PAGE_MAX = 500 };

/* The actor of an action. */
struct actor {
    const char *name;
    const char *key_id; /* id of an issued key, or NULL */
    const char *request_id;
    const char *ip_address;
};

struct audit_entry {
    int64_t id; /* increases with every row */
    const char *ts;
    const char *action;
    const char *project_id;
    const char *project_name;
    const char *key_id;
    const char *actor;
    const char *request_id;
    json_t *payload_diff; /* {path: [old, new]}; NULL = no difference */
    const char *ip_address;
};
SCHEMA_OF(audit_entry_schema, struct audit_entry);

/* An entry as stored, with its differences as JSON text or NULL. */
struct audit_row {
    int64_t id;
    const char *ts;
    const char *action;
    const char *project_id;
    const char *project_name;
    const char *key_id;
    const char *actor;
    const char *request_id;
    const char *ip_address;
    const char *diff;
};

/* Called with every entry, in the transaction that writes it; webhooks enqueue their deliveries in
 * it. experiments_store_open() sets it. An error fails the transaction. */
typedef enum error audit_listener(struct db *db, struct arena *arena, const struct audit_row *row,
                                  struct problem *problem);
void audit_listen(audit_listener *called);

/* Adds an entry in the transaction of the change that it records. `diff` is JSON text or NULL;
 * `key_id` of the entry is the acting key unless the action is about a key of its own. */
struct audit_event {
    const char *action;
    const char *project_id;
    const char *project_name;
    const char *key_id;
    const char *diff;
};
MUST_CHECK enum error audit_record(struct db *db, struct arena *arena, const struct actor *actor,
                                   const struct audit_event *event, struct problem *problem);

/* The same; also returns the id of the entry. */
MUST_CHECK enum error audit_record_id(struct db *db, struct arena *arena, const struct actor *actor,
                                      const struct audit_event *event, int64_t *id,
                                      struct problem *problem);

/* NULL members do not filter. `before_id` 0 = from the newest, else the entries that follow it in
 * the list's order. */
struct audit_filter {
    const char *project_id;
    const char *key_id;
    const char *action;
    int64_t before_id;
};

/* The newest `limit` matching entries, newest first: a list of struct audit_entry; `total` counts
 * all that match the filter, regardless of limit and cursor. */
MUST_CHECK enum error audit_list(struct db *db, struct arena *arena,
                                 const struct audit_filter *filter, int64_t limit,
                                 struct object_list *entries, int64_t *total,
                                 struct problem *problem);

/* Calls the visitor with every matching entry, newest first, without a limit, until the visitor
 * returns false. Entries stay in the arena. */
typedef bool audit_visitor(const struct audit_entry *entry, void *context);
MUST_CHECK enum error audit_each(struct db *db, struct arena *arena,
                                 const struct audit_filter *filter, audit_visitor *visit,
                                 void *context, struct problem *problem);

/* The difference of two documents as {path: [old, new]} with sorted paths: keys joined by dots,
 * arrays as a whole, a missing side null. NULL when they are equal. From the arena. */
const char *audit_diff(struct arena *arena, const json_t *before, const json_t *after);

#endif
