/* The audit log of the support service. Rows are added and purged by age, never changed. */
#ifndef ASSAY_SUPPORT_ACCOUNTS_AUDIT_H
#define ASSAY_SUPPORT_ACCOUNTS_AUDIT_H

#include "base/schema.h"
#include "db/db.h"

enum { AUDIT_LIMIT_MAX = 500, AUDIT_RESOURCE_BYTES = 200 };

struct audit_event {
    const char *tenant;
    const char *actor;    /* truncated to 100 characters */
    const char *action;   /* "login" */
    const char *resource; /* "auth", "document:<name>"; truncated to 200 characters */
    const char *detail;   /* JSON text or NULL */
    const char *ip_address;
};

/* Adds a row, outside the caller's transaction. Never fails: an error is only logged, so that it
 * does not block the audited action. */
void audit_note(struct db *db, const struct audit_event *event);

/* Deletes the tenant's entries older than `days`, in batches; 0 deletes nothing. A NULL tenant
 * means all tenants. */
MUST_CHECK enum error audit_purge(struct db *db, const char *tenant, int64_t days, int64_t *count,
                                  struct problem *problem);
/* One batch: at most 500 entries. */
MUST_CHECK enum error audit_purge_batch(struct db *db, const char *tenant, int64_t days,
                                        int64_t *count, struct problem *problem);

struct audit_row {
    int64_t id;
    const char *ts;
    const char *actor;
    const char *action;
    const char *resource;
    const char *detail; /* NULL = none */
    const char *ip_address;
};
SCHEMA_OF(audit_row_schema, struct audit_row);

/* The newest `limit` rows of a tenant, newest first: a list of struct audit_row. NULL actors and
 * actions do not filter. */
MUST_CHECK enum error audit_read(struct db *db, struct arena *arena, const char *tenant,
                                 const char *actor, const char *action, int64_t limit,
                                 struct object_list *rows, struct problem *problem);

#endif
