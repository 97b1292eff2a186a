/* Who signed in and who changed whom. Rows are added, never changed. */
#ifndef ASSAY_ACCOUNTS_ACCOUNT_AUDIT_H
#define ASSAY_ACCOUNTS_ACCOUNT_AUDIT_H

#include "accounts/store.h"

enum { ACCOUNT_AUDIT_LIMIT_MAX = 500 };

struct account_event {
    int64_t ts;             /* Unix microseconds; of rows that are read */
    const char *actor;      /* a username; cut to 100 bytes */
    const char *action;     /* "sign_in", "person_added" */
    const char *resource;   /* "person:maria"; cut to 200 bytes */
    const char *detail;     /* NULL = none */
    const char *ip_address; /* NULL = a program */
};
SCHEMA_OF(account_event_schema, struct account_event);

/* Adds a row. An error is only logged: it does not undo what was done. */
void account_audit_note(const struct accounts_call *call, const struct account_event *event);

/* Deletes the oldest entries that are older than `days`, at most ACCOUNT_AUDIT_LIMIT_MAX of them; 0
 * days deletes nothing. */
MUST_CHECK enum error account_audit_purge(const struct accounts_call *call, int64_t days);

/* The newest `limit` rows, the newest first: a list of struct account_event. */
MUST_CHECK enum error account_audit_list(const struct accounts_call *call, int64_t limit,
                                         struct object_list *events);

#endif
