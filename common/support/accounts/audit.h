/* The audit log of the support service. Rows are added, and purged by age; never changed. */
#ifndef ASSAY_SUPPORT_ACCOUNTS_AUDIT_H
#define ASSAY_SUPPORT_ACCOUNTS_AUDIT_H

#include "base/schema.h"
#include "db/db.h"

enum { AUDIT_LIMIT_MAX = 500 };

struct audit_event {
    const char *tenant;
    const char *actor;    /* cut to 100 characters */
    const char *action;   /* "login" */
    const char *resource; /* "auth", "document:<name>"; cut to 200 characters */
    const char *detail;   /* JSON text or NULL */
    const char *ip_address;
};

/* Adds a row. Never fails: what cannot be written is a line in the log, because nobody is kept from
 * his work by the book-keeping of it. Outside a transaction of the caller's. */
void audit_note(struct db *db, const struct audit_event *event);

/* Deletes entries of the tenant that are older than `days`, in batches; 0 deletes nothing. A NULL
 * tenant is everybody's. */
MUST_CHECK enum error audit_purge(struct db *db, const char *tenant, int64_t days, int64_t *count,
                                  struct problem *problem);
/* One statement of it: at most 500 entries. */
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
