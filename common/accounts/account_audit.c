/* The audit log of accounts: all SQL about it. */
#include "accounts/account_audit.h"
#include "accounts/store_internal.h"

#include "base/clock.h"
#include "base/list.h"
#include "base/log.h"
#include "base/text.h"

#include <string.h>

enum { ACTOR_BYTES = 100, RESOURCE_BYTES = 200, DETAIL_BYTES = 500 };
static const int64_t DAY_US = INT64_C(86400000000);

#define OWNER struct account_event
static const struct field event_fields[] = {
    TIME(OWNER, ts, .time = TIME_Z),
    STRING(OWNER, actor),
    STRING(OWNER, action),
    STRING(OWNER, resource),
    STRING(OWNER, detail, .nullable = true),
    STRING(OWNER, ip_address, .nullable = true),
};
#undef OWNER
SCHEMA(account_event_schema, struct account_event, "AccountEvent", event_fields);

static const struct statement insert_event = {
    .name = "account_audit_insert",
    .sql = "INSERT INTO audit_log (ts, actor, action, resource, detail, ip_address)"
           " VALUES ({now_microseconds}, ?, ?, ?, ?, ?)",
};
static const struct statement list_events = {
    .name = "account_audit_list",
    .sql = "SELECT ts, actor, action, resource, detail, ip_address FROM audit_log"
           " ORDER BY id DESC LIMIT ?",
};

static const struct statement purge_events = {
    .name = "account_audit_purge",
    .sql = "DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE ts < ?"
           " ORDER BY ts LIMIT ?)",
};

static void bind_cut(struct query *query, const char *text, size_t most)
{
    if (text)
        query_bind_bytes(query, text, utf8_valid_prefix(text, strnlen(text, most)));
    else
        query_bind_text(query, NULL);
}

void account_audit_note(const struct accounts_call *call, const struct account_event *event)
{
    struct problem problem = {0};
    struct query *query = db_query(call->db, &insert_event);

    bind_cut(query, event->actor, ACTOR_BYTES);
    query_bind_text(query, event->action);
    bind_cut(query, event->resource, RESOURCE_BYTES);
    bind_cut(query, event->detail, DETAIL_BYTES);
    query_bind_text(query, event->ip_address);
    if (query_end(query, &problem))
        log_event(LOG_ERROR, "audit_not_written", problem.text);
}

enum error account_audit_purge(const struct accounts_call *call, int64_t days)
{
    struct query *query;

    if (days == 0)
        return ERROR_NONE;
    query = db_query(call->db, &purge_events);
    query_bind_integer(query, clock_unix_microseconds() - days * DAY_US);
    query_bind_integer(query, ACCOUNT_AUDIT_LIMIT_MAX);
    return query_end(query, call->problem);
}

enum error account_audit_list(const struct accounts_call *call, int64_t limit,
                              struct object_list *events)
{
    struct query *query = db_query(call->db, &list_events);
    struct account_event *items = NULL;
    size_t count = 0;

    query_bind_integer(query, limit);
    while (query_next(query))
        query_read(query, &account_event_schema, ARRAY_ADD(call->arena, items, count), call->arena);
    *events = (struct object_list){.items = items, .count = count};
    return query_end(query, call->problem);
}
