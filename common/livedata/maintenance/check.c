/* Compares the journal with the tables, page by page, each page in one snapshot. */
#include "livedata/maintenance/check.h"

#include "base/json.h"
#include "db/query.h"
#include "livedata/catalog/own.h"
#include "livedata/entities/rows.h"
#include "livedata/journal/journal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PAGE = 200, PAGE_MEMORY = 64 * 1024 * 1024 };

static const struct statement newest_versions = {
    .name = "check_versions",
    .sql = "SELECT seq, tenant_id, entity_type, entity_id, entity_data FROM pipeline_events AS old"
           " WHERE seq > ? AND entity_data IS NOT NULL AND NOT EXISTS (SELECT 1"
           " FROM pipeline_events AS newer WHERE newer.tenant_id = old.tenant_id"
           " AND newer.entity_id = old.entity_id"
           " AND COALESCE(newer.entity_type, '') = old.entity_type"
           " AND newer.entity_data IS NOT NULL AND newer.seq > old.seq) ORDER BY seq LIMIT ?",
};
static const struct statement newest_stage = {
    .name = "check_stage",
    .sql = "SELECT event_type FROM pipeline_events WHERE tenant_id = ? AND entity_id = ?"
           " AND topic = 'orders.status' ORDER BY seq DESC LIMIT 1",
};
static const struct statement differing_users = {
    .name = "check_users",
    .sql = "SELECT u.tenant_id, count(*) FROM users_enriched u LEFT JOIN"
           " (SELECT tenant_id, user_id, count(*) AS n,"
           " CAST(sum(total_cents) AS BIGINT) AS cents FROM orders_v2"
           " WHERE status <> 'cancelled' GROUP BY tenant_id, user_id) o"
           " ON o.tenant_id = u.tenant_id AND o.user_id = u.user_id"
           " WHERE u.updated_at IS NOT NULL AND u.source_owned = 0"
           " AND (u.total_orders <> coalesce(o.n, 0) OR u.total_cents <> coalesce(o.cents, 0))"
           " GROUP BY u.tenant_id ORDER BY u.tenant_id",
    .streams = true,
};

/* Rows created by events that are missing in the journal. */
#define UNKNOWN_ROWS(table, key, type)                                                             \
    "SELECT r.tenant_id, r." key " FROM " table " r WHERE r.updated_at IS NOT NULL AND NOT EXISTS" \
    " (SELECT 1 FROM pipeline_events p WHERE p.tenant_id = r.tenant_id AND p.entity_id = r." key   \
    " AND p.entity_type = '" type "' AND p.entity_data IS NOT NULL)"
static const struct statement unknown_rows[] = {
    {.name = "check_orders",
     .sql = UNKNOWN_ROWS("orders_v2", "order_id", "order"),
     .streams = true},
    {.name = "check_products",
     .sql = UNKNOWN_ROWS("products_current", "product_id", "product"),
     .streams = true},
    {.name = "check_sessions",
     .sql = UNKNOWN_ROWS("sessions_aggregated", "session_id", "session"),
     .streams = true},
};

struct version {
    int64_t seq;
    const char *tenant, *type, *id, *data;
};

__attribute__((format(printf, 2, 3))) static void differs(struct storage_check *check,
                                                          const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (!check->differing++)
        (void)vsnprintf(check->first, sizeof check->first, format, arguments);
    va_end(arguments);
}

static json_t *object_of(struct arena *arena, const char *text)
{
    struct json_fault fault;
    json_t *value = NULL;

    if (json_read(arena, text, strlen(text), JSON_DEPTH_LIMIT, &value, &fault) ||
        !json_is_object(value))
        return NULL;
    json_object_del(value, "_derived");
    json_object_del(value, "ended_at"); /* whether a session is over depends on the time */
    return value;
}

/* Columns that the version did not have came later. */
static void forget_later(const json_t *was, json_t *is)
{
    const char *name;
    json_t *value;
    void *next;

    json_object_foreach_safe(is, next, name, value)
    {
        if (!json_object_get(was, name))
            json_object_del(is, name);
    }
}

static enum error check_stage(const struct storage_call *call, const struct version *version,
                              const struct entity_row *row, struct storage_check *check)
{
    const struct row_value *status = row->table->own ? NULL : entity_row_value(row, "status");
    struct query *query;
    const char *stage = NULL;
    enum error error;

    if (!status || status->null)
        return ERROR_NONE;
    query = db_query(call->db, &newest_stage);
    query_bind_text(query, version->tenant);
    query_bind_text(query, version->id);
    if (query_next(query))
        stage = query_text(query, 0, call->arena);
    error = query_end(query, call->problem);
    if (!error && stage && strcmp(stage + strlen("order.status."), status->text) != 0)
        differs(check, "%s/%s of %s is %s, its newest stage %s", version->type, version->id,
                version->tenant, status->text, stage);
    return error;
}

static enum error check_version(const struct storage_call *page, const struct catalog *catalog,
                                const struct version *version, struct storage_check *check)
{
    const struct entity_type *type = catalog_entity(catalog, version->type);
    struct storage_call call = *page;
    struct entity_row row;
    json_t *was = object_of(call.arena, version->data), *is;
    bool found = false, removed = strcmp(version->data, JOURNAL_REMOVED) == 0;
    enum error error;

    if (type && type->table->own &&
        (!type->table->own->serving->served || type->table->own->retention_days))
        return ERROR_NONE; /* not this file's, or rows that may have gone by their age */
    /* Payments have no row; changes of older versions are envelopes. */
    if (!type || (!was && !removed) || json_object_get(was, "source_metadata"))
        return ERROR_NONE;
    check->checked++;
    call.tenant = version->tenant;
    error = entity_row_read(&call, type->table, version->id, &row, &found);
    if (removed) {
        if (!error && found)
            differs(check, "%s/%s of %s has a row, although it was removed", version->type,
                    version->id, version->tenant);
        return error;
    }
    if (error || !found) {
        if (!error)
            differs(check, "%s/%s of %s has no row", version->type, version->id, version->tenant);
        return error;
    }
    is = object_of(call.arena, entity_row_json(call.arena, type, &row, call.now));
    if (type->table->own)
        forget_later(was, is);
    if (!is || !json_equal(was, is))
        differs(check, "%s/%s of %s is not what row %lld of the journal says", version->type,
                version->id, version->tenant, (long long)version->seq);
    return check_stage(&call, version, &row, check);
}

static enum error read_page(const struct storage_call *call, int64_t after,
                            struct version versions[PAGE], size_t *count)
{
    struct query *query = db_query(call->db, &newest_versions);

    *count = 0;
    query_bind_integer(query, after);
    query_bind_integer(query, PAGE);
    while (*count < PAGE && query_next(query))
        versions[(*count)++] = (struct version){.seq = query_integer(query, 0),
                                                .tenant = query_text(query, 1, call->arena),
                                                .type = query_text(query, 2, call->arena),
                                                .id = query_text(query, 3, call->arena),
                                                .data = query_text(query, 4, call->arena)};
    return query_end(query, call->problem);
}

/* One snapshot, so that a concurrent write is seen completely or not at all. */
static enum error check_page(const struct storage_call *call, const struct catalog *catalog,
                             struct storage_check *check, int64_t *after, size_t *count)
{
    struct version versions[PAGE];
    enum error error = db_begin(call->db, DB_READ, call->problem);

    if (error)
        return error;
    error = read_page(call, *after, versions, count);
    for (size_t i = 0; !error && i < *count; i++)
        error = check_version(call, catalog, &versions[i], check);
    if (*count)
        *after = versions[*count - 1].seq;
    return db_finish(call->db, error, call->problem);
}

/* Memory does not grow with the number of differences. */
static enum error check_unknown(const struct storage_call *call, struct storage_check *check)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < sizeof unknown_rows / sizeof unknown_rows[0]; i++) {
        struct query *query = db_query(call->db, &unknown_rows[i]);

        while (query_next(query)) {
            struct query_bytes tenant = query_bytes(query, 0), id = query_bytes(query, 1);

            differs(check, "the journal does not know %.*s of %.*s", (int)id.length, id.bytes,
                    (int)tenant.length, tenant.bytes);
        }
        error = query_end(query, call->problem);
    }
    return error;
}

static enum error check_users(const struct storage_call *call, struct storage_check *check)
{
    struct query *query = db_query(call->db, &differing_users);

    while (query_next(query)) {
        struct query_bytes tenant = query_bytes(query, 0);

        differs(check, "%lld users of %.*s are not the sums of their orders",
                (long long)query_integer(query, 1), (int)tenant.length, tenant.bytes);
    }
    return query_end(query, call->problem);
}

enum error storage_check(const struct storage_call *call, const struct catalog *catalog,
                         struct storage_check *check)
{
    struct storage_call page = *call;
    int64_t after = 0, last = 0;
    size_t count = 0;
    enum error error = journal_last_seq(call, &last);

    page.arena = arena_create(PAGE_MEMORY);
    if (!page.arena)
        return problem_set(call->problem, ERROR_SYSTEM, "out_of_memory", "no memory");
    do {
        arena_reset(page.arena);
        if (!error)
            error = check_page(&page, catalog, check, &after, &count);
        if (check->progress)
            check->progress(after, last, check->context);
    } while (!error && count == PAGE);
    if (!error)
        error = check_unknown(&page, check);
    if (!error)
        error = check_users(&page, check);
    arena_destroy(page.arena);
    return error;
}
