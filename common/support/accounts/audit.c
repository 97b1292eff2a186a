/* The audit log of the support service: all SQL about it is here. */
#include "support/accounts/audit.h"
#include "base/log.h"
#include "base/text.h"
#include "db/query.h"

#include <string.h>

enum { ACTOR_BYTES = 100, SECONDS_A_DAY = 86400 };

#define OWNER struct audit_row
static const struct field audit_row_fields[] = {
    INTEGER(OWNER, id),
    STRING(OWNER, ts),
    STRING(OWNER, actor),
    STRING(OWNER, action),
    STRING(OWNER, resource),
    STRING(OWNER, detail, .nullable = true),
    STRING(OWNER, ip_address, .nullable = true),
};
#undef OWNER
SCHEMA(audit_row_schema, struct audit_row, "AuditEntry", audit_row_fields);

static const struct statement insert_event = {
    .name = "audit_insert",
    .sql = "INSERT INTO audit_log (tenant_id, ts, actor, action, resource, detail, ip_address)"
           " VALUES (?, {now}, ?, ?, ?, ?, ?)",
};
static const struct statement list_events = {
    .name = "audit_list",
    .sql = "SELECT id, ts, actor, action, resource, CAST(detail AS TEXT) AS detail, ip_address"
           " FROM audit_log"
           " WHERE tenant_id = ? AND (? = '' OR actor = ?) AND (? = '' OR action = ?)"
           " ORDER BY id DESC LIMIT ?",
};

static const struct statement purge_events = {
    .name = "support_audit_purge",
    .sql = "DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE"
           " (? = '' OR tenant_id = ?) AND ts < {now_plus:?} ORDER BY ts, id LIMIT 500)",
};

static void bind_cut(struct query *query, const char *text, size_t most)
{
    query_bind_bytes(query, text, utf8_valid_prefix(text, strnlen(text, most)));
}

void audit_note(struct db *db, const struct audit_event *event)
{
    struct problem problem = {0};
    struct query *query = db_query(db, &insert_event);

    query_bind_text(query, event->tenant);
    bind_cut(query, event->actor, ACTOR_BYTES);
    query_bind_text(query, event->action);
    bind_cut(query, event->resource, AUDIT_RESOURCE_BYTES);
    query_bind_json(query, event->detail);
    query_bind_text(query, event->ip_address);
    if (query_end(query, &problem))
        log_event(LOG_ERROR, "audit_not_written", problem.text);
}

enum error audit_read(struct db *db, struct arena *arena, const char *tenant, const char *actor,
                      const char *action, int64_t limit, struct object_list *rows,
                      struct problem *problem)
{
    struct audit_row *items = ARENA_ARRAY(arena, struct audit_row, (size_t)limit);
    struct query *query = db_query(db, &list_events);
    const char *filters[] = {actor ? actor : "", action ? action : ""};

    query_bind_text(query, tenant);
    for (size_t i = 0; i < 2; i++) {
        query_bind_text(query, filters[i]);
        query_bind_text(query, filters[i]);
    }
    query_bind_integer(query, limit);
    *rows = (struct object_list){.items = items};
    while (rows->count < (size_t)limit && query_next(query))
        query_read(query, &audit_row_schema, &items[rows->count++], arena);
    return query_end(query, problem);
}

enum error audit_purge_batch(struct db *db, const char *tenant, int64_t days, int64_t *count,
                             struct problem *problem)
{
    struct query *query = db_query(db, &purge_events);

    query_bind_text(query, tenant ? tenant : "");
    query_bind_text(query, tenant ? tenant : "");
    query_bind_number(query, -(double)days * SECONDS_A_DAY);
    *count = query_changes(query);
    return query_end(query, problem);
}

enum error audit_purge(struct db *db, const char *tenant, int64_t days, int64_t *count,
                       struct problem *problem)
{
    int64_t batch = 1;
    enum error error = ERROR_NONE;

    *count = 0;
    while (days > 0 && batch > 0 && !error) {
        error = audit_purge_batch(db, tenant, days, &batch, problem);
        *count += error ? 0 : batch;
    }
    return error;
}
