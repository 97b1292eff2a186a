/* What events have added to columns, event by event: a correction replaces it, a late deletion
 * takes it back. */
#include "livedata/entities/own_internal.h"

#include "db/query.h"

#include <stdlib.h>
#include <string.h>

enum { AMOUNTS_MAX = 4096 };

static const struct statement read_item = {
    .name = "own_counted",
    .sql = "SELECT stamp, version, amounts FROM own_counted WHERE tenant_id = ?"
           " AND entity_type = ? AND item = ?",
};
static const struct statement put_item = {
    .name = "own_counted_put",
    .sql = "INSERT INTO own_counted (tenant_id, entity_type, item, entity_id, stamp, version,"
           " amounts, counted_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
           " ON CONFLICT (tenant_id, entity_type, item) DO UPDATE SET stamp = excluded.stamp,"
           " version = excluded.version, amounts = excluded.amounts,"
           " counted_at = excluded.counted_at",
};
static const struct statement read_items = {
    .name = "own_counted_of_entity",
    .sql = "SELECT amounts FROM own_counted WHERE tenant_id = ? AND entity_type = ?"
           " AND entity_id = ? AND stamp > ?",
    .streams = true,
};

/* The event itself, or the one that it corrects; of this entity. */
static const char *item_of(const struct storage_call *call, const struct event *event)
{
    return arena_print(call->arena, "%s %s", event->entity_id,
                       event->own->corrects ? event->own->corrects : event->id);
}

/* "starts=1;energy=3500;" by the names of columns, which stay when others are added. */
static void read_amounts(const struct serving_table *table, const char *text,
                         int64_t amounts[OWN_COLUMNS_MAX])
{
    memset(amounts, 0, OWN_COLUMNS_MAX * sizeof *amounts);
    while (*text) {
        size_t length = strcspn(text, "=");
        char *end = (char *)text + length;
        int64_t amount = *end ? strtoll(end + 1, &end, 10) : 0;

        for (size_t i = 0; i < table->column_count; i++)
            if (strlen(table->columns[i].name) == length &&
                strncmp(table->columns[i].name, text, length) == 0)
                amounts[i] = amount;
        text = end + (*end == ';');
    }
}

static const char *write_amounts(struct arena *arena, const struct serving_table *table,
                                 const int64_t amounts[OWN_COLUMNS_MAX])
{
    struct text text;

    text_start(&text, arena, AMOUNTS_MAX);
    for (size_t i = 0; i < table->column_count; i++)
        if (amounts[i])
            text_append_format(&text, "%s=%lld;", table->columns[i].name, (long long)amounts[i]);
    return text.bytes;
}

static enum error put(const struct storage_call *call, const struct event *event,
                      const int64_t amounts[OWN_COLUMNS_MAX])
{
    struct query *query = db_query(call->db, &put_item);

    query_bind_text(query, call->tenant);
    query_bind_text(query, event->entity_type);
    query_bind_text(query, item_of(call, event));
    query_bind_text(query, event->entity_id);
    query_bind_text(query, event->own->stamp);
    query_bind_integer(query, event->own->version);
    query_bind_text(query, write_amounts(call->arena, event->own->type->table, amounts));
    query_bind_integer(query, call->now);
    return query_end(query, call->problem);
}

static enum error read_before(const struct storage_call *call, const struct event *event,
                              struct own_counted *before)
{
    struct query *query = db_query(call->db, &read_item);

    *before = (struct own_counted){0};
    query_bind_text(query, call->tenant);
    query_bind_text(query, event->entity_type);
    query_bind_text(query, item_of(call, event));
    before->found = query_next(query);
    if (before->found) {
        int64_t version = query_integer(query, 1);

        before->stamp = query_text(query, 0, call->arena);
        before->stays =
            version > event->own->version ||
            (version == event->own->version && strcmp(before->stamp, event->own->stamp) > 0);
        read_amounts(event->own->type->table, query_text(query, 2, call->arena), before->amounts);
    }
    return query_end(query, call->problem);
}

enum error own_counted_replace(const struct storage_call *call, const struct event *event,
                               struct own_counted *before)
{
    const struct serving_table *table = event->own->type->table;
    int64_t amounts[OWN_COLUMNS_MAX] = {0};
    enum error error = read_before(call, event, before);

    if (error || before->stays)
        return error;
    for (size_t i = 0; i < table->column_count; i++)
        if (event->own->values[i].given && !event->own->values[i].null)
            amounts[i] = event->own->values[i].integer;
    return put(call, event, amounts);
}

enum error own_counted_widen(const struct storage_call *call, const struct event *event,
                             const bool *wanted, bool *holds)
{
    struct own_counted known;
    enum error error = read_before(call, event, &known);

    *holds = !error && known.found && strcmp(known.stamp, event->own->stamp) == 0;
    if (!*holds)
        return error;
    for (size_t i = 0; i < event->own->type->table->column_count; i++)
        if (wanted[i] && event->own->values[i].given)
            known.amounts[i] = event->own->values[i].integer;
    return put(call, event, known.amounts);
}

enum error own_counted_sum(const struct storage_call *call, const struct event *event,
                           const char *after, struct own_row *row)
{
    const struct serving_table *table = event->own->type->table;
    int64_t amounts[OWN_COLUMNS_MAX], sums[OWN_COLUMNS_MAX] = {0};
    struct query *query = db_query(call->db, &read_items);

    query_bind_text(query, call->tenant);
    query_bind_text(query, event->entity_type);
    query_bind_text(query, event->entity_id);
    query_bind_text(query, after);
    while (query_next(query)) {
        read_amounts(table, query_text(query, 0, call->arena), amounts);
        for (size_t i = 0; i < table->column_count; i++)
            sums[i] = own_add(sums[i], amounts[i]);
    }
    for (size_t i = 0; i < table->column_count; i++)
        if (table->own->counts[i])
            row->values[i] = (struct row_value){.integer = sums[i]};
    return query_end(query, call->problem);
}
