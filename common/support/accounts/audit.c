/* The audit log of the support service: all SQL about it is here. */
#include "support/accounts/audit.h"
#include "base/log.h"
#include "base/text.h"
#include "db/query.h"

#include <string.h>

enum { ACTOR_BYTES = 100, RESOURCE_BYTES = 200 };

static const struct statement insert_event = {
    .name = "audit_insert",
    .sql = "INSERT INTO audit_log (tenant_id, ts, actor, action, resource, detail, ip_address)"
           " VALUES (?, {now}, ?, ?, ?, ?, ?)",
};
static const struct statement list_events = {
    .name = "audit_list",
    .sql = "SELECT id, ts, actor, action, resource, detail, ip_address FROM audit_log"
           " WHERE tenant_id = ? AND (? = '' OR actor = ?) AND (? = '' OR action = ?)"
           " ORDER BY id DESC LIMIT ?",
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
    bind_cut(query, event->resource, RESOURCE_BYTES);
    query_bind_json(query, event->detail);
    query_bind_text(query, event->ip_address);
    if (query_end(query, &problem))
        log_event(LOG_ERROR, "audit_not_written", problem.text);
}

static void read_row(struct query *query, struct arena *arena, struct audit_row *row)
{
    *row = (struct audit_row){.id = query_integer(query, 0),
                              .ts = query_text(query, 1, arena),
                              .actor = query_text(query, 2, arena),
                              .action = query_text(query, 3, arena),
                              .resource = query_text(query, 4, arena),
                              .detail = query_json_or_null(query, 5, arena),
                              .ip_address = query_text_or_null(query, 6, arena)};
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
        read_row(query, arena, &items[rows->count++]);
    return query_end(query, problem);
}
