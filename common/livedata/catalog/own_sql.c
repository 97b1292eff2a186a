/*
 * The statements of the table of a domain's entity. The constants here are parts of statements;
 * between them stand names that own_name_is_good() has accepted.
 *
 * Besides the tenant and the declared columns each table has: row_updated_at, row_event_at (own
 * time of the newest event), row_stamps (which event has set which column), row_events (how many
 * were applied) and row_newest (the stamp of the newest, in the order of events).
 */
#include "livedata/catalog/own.h"

#include <string.h>

enum { SQL_MAX = 16000 };

static const char
    select_word[] = "SELECT ",
    from_word[] = " FROM ", of_tenant[] = " WHERE tenant_id = ? AND ",
    marks[] = ", row_updated_at, 0, row_event_at",
    state_marks[] = ", row_stamps, row_events, row_newest, row_event_at",
    insert_head[] = "INSERT INTO ",
    insert_marks[] = "row_updated_at, row_event_at, row_stamps,"
                     " row_events, row_newest) VALUES (?",
    conflict_head[] = ") ON CONFLICT (tenant_id, ", conflict_end[] = ") DO UPDATE SET ",
    update_marks[] = "row_updated_at = excluded.row_updated_at, row_event_at ="
                     " excluded.row_event_at, row_stamps = excluded.row_stamps, row_events ="
                     " excluded.row_events, row_newest = excluded.row_newest",
    delete_head[] = "DELETE FROM ",
    lost_head[] =
        "SELECT tenant_id, entity_id FROM search_docs WHERE entity_type = ?"
        " AND (tenant_id, entity_type, entity_id) > (?, ?, ?) AND NOT EXISTS (SELECT 1 FROM ",
    row_of_doc[] = " r WHERE r.tenant_id = search_docs.tenant_id AND r.",
    lost_end[] = " = search_docs.entity_id)"
                 " ORDER BY tenant_id, entity_type, entity_id LIMIT ?";

static void put_columns(struct text *sql, const struct serving_table *table)
{
    for (size_t i = 0; i < table->column_count; i++) {
        text_append_string(sql, i ? ", " : "");
        text_append_string(sql, table->columns[i].stored);
    }
}

static const char *select_by(struct arena *arena, const struct serving_table *table,
                             const char *more, const char *end)
{
    struct text sql;

    text_start(&sql, arena, SQL_MAX);
    text_append_string(&sql, select_word);
    put_columns(&sql, table);
    text_append_strings(&sql, (const char *const[]){more, from_word, table->name, of_tenant,
                                                    table->primary_key, end, NULL});
    return sql.bytes;
}

static const char *put_sql(struct arena *arena, const struct serving_table *table)
{
    struct text sql;

    text_start(&sql, arena, SQL_MAX);
    text_append_strings(&sql,
                        (const char *const[]){insert_head, table->name, " (tenant_id, ", NULL});
    put_columns(&sql, table);
    text_append_strings(&sql, (const char *const[]){", ", insert_marks, NULL});
    for (size_t i = 0; i < table->column_count + 5; i++)
        text_append_string(&sql, ", ?");
    text_append_strings(
        &sql, (const char *const[]){conflict_head, table->primary_key, conflict_end, NULL});
    for (size_t i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].stored, table->primary_key) != 0)
            text_append_strings(&sql,
                                (const char *const[]){table->columns[i].stored, " = excluded.",
                                                      table->columns[i].stored, ", ", NULL});
    text_append_string(&sql, update_marks);
    return sql.bytes;
}

/* Rows that are old by their column, or by the own time of their newest event. */
static const char *expire_sql(struct arena *arena, const struct serving_table *table,
                              const struct own_entity *own)
{
    const char *time = own_age_column(own);
    struct text sql;

    text_start(&sql, arena, SQL_MAX);
    text_append_strings(&sql, (const char *const[]){select_word, "tenant_id, ", table->primary_key,
                                                    from_word, table->name, " WHERE ", time,
                                                    " < ? ORDER BY ", time, " LIMIT ?", NULL});
    return sql.bytes;
}

/* The keys of all tenants' rows after one. */
static const char *keys_sql(struct arena *arena, const struct serving_table *table)
{
    const char *key = table->primary_key;
    struct text sql;

    text_start(&sql, arena, SQL_MAX);
    text_append_strings(&sql, (const char *const[]){select_word, "tenant_id, ", key, from_word,
                                                    table->name, " WHERE (tenant_id, ", key,
                                                    ") > (?, ?) ORDER BY tenant_id, ", key,
                                                    " LIMIT ?", NULL});
    return sql.bytes;
}

/* The rows of all tenants after one. */
static const char *page_sql(struct arena *arena, const struct serving_table *table)
{
    const char *key = table->primary_key;
    struct text sql;

    text_start(&sql, arena, SQL_MAX);
    text_append_strings(&sql, (const char *const[]){select_word, "tenant_id, ", NULL});
    put_columns(&sql, table);
    text_append_strings(&sql, (const char *const[]){from_word, table->name, " WHERE (tenant_id, ",
                                                    key, ") > (?, ?) ORDER BY tenant_id, ", key,
                                                    " LIMIT ?", NULL});
    return sql.bytes;
}

/* What search has of rows that are gone, after one of them. */
static const char *lost_sql(struct arena *arena, const struct serving_table *table)
{
    struct text sql;

    text_start(&sql, arena, SQL_MAX);
    text_append_strings(&sql, (const char *const[]){lost_head, table->name, row_of_doc,
                                                    table->primary_key, lost_end, NULL});
    return sql.bytes;
}

static struct statement statement(struct arena *arena, const struct serving_table *table,
                                  const char *what, const char *sql)
{
    return (struct statement){.name = arena_print(arena, "%s_%s", table->name, what), .sql = sql};
}

void own_make_statements(struct arena *arena, const struct serving_table *table,
                         struct own_entity *own)
{
    struct text remove;

    text_start(&remove, arena, SQL_MAX);
    text_append_strings(&remove, (const char *const[]){delete_head, table->name, of_tenant,
                                                       table->primary_key, " = ?", NULL});
    own->by_key = statement(arena, table, "by_key", select_by(arena, table, marks, " = ?"));
    own->list =
        statement(arena, table, "list",
                  select_by(arena, table, marks,
                            arena_print(arena, " > ? ORDER BY %s LIMIT ?", table->primary_key)));
    own->list.streams = true;
    own->state = statement(arena, table, "state", select_by(arena, table, state_marks, " = ?"));
    own->put = statement(arena, table, "put", put_sql(arena, table));
    own->remove = statement(arena, table, "remove", remove.bytes);
    if (own->retention_days)
        own->expire = statement(arena, table, "expire", expire_sql(arena, table, own));
    own->keys = statement(arena, table, "keys", keys_sql(arena, table));
    own->page = statement(arena, table, "page", page_sql(arena, table));
    own->lost = statement(arena, table, "lost", lost_sql(arena, table));
}
