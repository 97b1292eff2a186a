/* What must be done to a table so that it fits its file: the stored contract against the file's.
 * The constants here are parts of statements; between them stand names that the catalog has
 * accepted. */
#include "livedata/tables/tables.h"

#include "base/list.h"
#include "base/string_list.h"
#include "crypto/digest.h"
#include "livedata/outbox/outbox.h"
#include "livedata/timestamp.h"

#include <stdio.h>
#include <string.h>

enum { SQL_MAX = 16000 };

static const struct statement read_contracts = {
    .name = "own_contracts",
    .sql = "SELECT entity_type, table_name, fingerprint FROM own_contracts ORDER BY entity_type",
};

static const struct statement read_contract = {
    .name = "own_contract",
    .sql = "SELECT contract FROM own_contracts WHERE entity_type = ?",
};
static const struct statement read_former = {
    .name = "own_contract_replaced",
    .sql = "SELECT replaced_at FROM own_former_contracts WHERE entity_type = ? AND fingerprint = ?",
};
static const struct statement count_index = {
    .name = "own_index_count",
    .sqlite = "SELECT count(*) FROM sqlite_master WHERE type = 'index' AND name = ?",
    .postgres = "SELECT count(to_regclass(?))",
};
static const struct statement read_fingerprint = {
    .name = "own_contract_fingerprint",
    .sql = "SELECT own_contracts.fingerprint, columnar_tables.state, fill_tenant, fill_key"
           " FROM own_contracts LEFT JOIN columnar_tables"
           " ON columnar_tables.table_name = own_contracts.table_name WHERE entity_type = ?",
};

static const char create_table[] = "CREATE TABLE ", table_head[] = " (tenant_id {text} NOT NULL, ",
                  table_marks[] =
                      "row_updated_at {integer} NOT NULL, row_event_at {integer} NOT NULL,"
                      " row_stamps {text} NOT NULL, row_events {integer} NOT NULL,"
                      " row_newest {text} NOT NULL, PRIMARY KEY (tenant_id, ",
                  table_end[] = ")) {strict}", add_column[] = "ALTER TABLE ",
                  column_word[] = " ADD COLUMN ", create_index[] = "CREATE INDEX IF NOT EXISTS ";

static const char *const stored_types[] = {
    [COLUMN_TEXT] = " {text}",      [COLUMN_INTEGER] = " {integer}",
    [COLUMN_NUMBER] = " {integer}", [COLUMN_BOOLEAN] = " {boolean}",
    [COLUMN_TIME] = " {integer}",   [COLUMN_JSON] = " {text}"};

struct stored_contracts {
    size_t count;
    struct stored_contract {
        const char *entity, *table, *fingerprint;
    } * items;
};

struct planning {
    struct arena *arena;
    const struct entity_type *type;
    const struct own_entity *own;
    const struct serving_table *table;
    struct table_plan *plan;
    enum plan_way way;
};

static struct table_change *change(const struct planning *planning, bool refused, const char *text)
{
    struct table_change *made =
        ARRAY_ADD(planning->arena, planning->plan->items, planning->plan->count);

    *made = (struct table_change){.type = planning->type, .text = text, .refused = refused};
    planning->plan->refused += refused;
    return made;
}

static const char *type_text(struct arena *arena, const struct table_column *column)
{
    if (column->type != COLUMN_NUMBER)
        return column_type_names[column->type];
    return arena_print(arena, "decimal, scale %d", column->scale);
}

static void append_column(struct text *sql, const struct planning *planning, size_t i)
{
    const struct table_column *column = &planning->table->columns[i];

    text_append_strings(sql,
                        (const char *const[]){column->stored, stored_types[column->type], NULL});
    if (i == planning->own->key)
        text_append_strings(sql, (const char *const[]){" NOT NULL", NULL});
    if (planning->own->counts[i])
        text_append_strings(sql, (const char *const[]){" NOT NULL DEFAULT 0", NULL});
}

/* By the table and its columns; names of tables may be as long as names can be. */
static const char *index_name(struct arena *arena, const char *table, const char *columns)
{
    const char *text = arena_print(arena, "%s %s", table, columns);
    char digest[DIGEST_SHA256_TEXT];

    digest_sha256_hex(text, strlen(text), digest);
    return arena_print(arena, "own_%.24s", digest);
}

static void plan_index(const struct planning *planning, size_t number)
{
    const char *columns =
        own_index_columns(planning->arena, planning->table, &planning->own->indexes[number]);
    const char *name = index_name(planning->arena, planning->table->name, columns);
    struct table_change *made =
        change(planning, false, arena_print(planning->arena, "index on %s is added", columns));
    struct text sql;

    text_start(&sql, planning->arena, SQL_MAX);
    text_append_strings(&sql,
                        (const char *const[]){create_index, name, " ON ", planning->table->name,
                                              " (tenant_id, ", columns, ")", NULL});
    made->execute = (struct statement){.name = name, .sql = sql.bytes};
}

static enum error read_index(const struct storage_call *call, const char *name, bool *there)
{
    struct query *query = db_query(call->db, &count_index);

    query_bind_text(query, name);
    *there = query_next(query) && query_integer(query, 0) > 0;
    return query_end(query, call->problem);
}

/* For the retention of rows, which is not by tenant. The contract does not have it: hosts may
 * differ in their retention. */
static enum error plan_age_index(const struct storage_call *call, const struct planning *planning)
{
    const char *time = own_age_column(planning->own);
    const char *name = index_name(planning->arena, planning->table->name,
                                  arena_print(planning->arena, "age %s", time));
    struct table_change *made;
    struct text sql;
    bool there;
    enum error error = read_index(call, name, &there);

    if (error || there)
        return error;
    made = change(planning, false, "index on the age of rows is added");
    text_start(&sql, planning->arena, SQL_MAX);
    text_append_strings(&sql, (const char *const[]){create_index, name, " ON ",
                                                    planning->table->name, " (", time, ")", NULL});
    made->execute = (struct statement){.name = name, .sql = sql.bytes};
    return ERROR_NONE;
}

static void plan_new_table(const struct planning *planning)
{
    struct table_change *made = change(
        planning, false, arena_print(planning->arena, "table %s is made", planning->table->name));
    struct text sql;

    text_start(&sql, planning->arena, SQL_MAX);
    text_append_strings(
        &sql, (const char *const[]){create_table, planning->table->name, table_head, NULL});
    for (size_t i = 0; i < planning->table->column_count; i++) {
        append_column(&sql, planning, i);
        text_append_strings(&sql, (const char *const[]){", ", NULL});
    }
    text_append_strings(
        &sql, (const char *const[]){table_marks, planning->table->primary_key, table_end, NULL});
    made->execute = (struct statement){.name = planning->table->name, .sql = sql.bytes};
    made->makes_table = true;
    for (size_t i = 0; i < planning->own->index_count; i++)
        plan_index(planning, i);
}

static const json_t *stored_column(const json_t *contract, const char *name)
{
    const json_t *columns = json_object_get(contract, "columns"), *column;
    size_t i;

    json_array_foreach(columns, i, column)
    {
        if (strcmp(json_string_value(json_object_get(column, "name")), name) == 0)
            return column;
    }
    return NULL;
}

static void plan_new_column(const struct planning *planning, size_t i)
{
    const struct table_column *column = &planning->table->columns[i];
    struct table_change *made =
        change(planning, false,
               arena_print(planning->arena, "column %s (%s) is added", column->name,
                           type_text(planning->arena, column)));
    struct text sql;

    text_start(&sql, planning->arena, SQL_MAX);
    text_append_strings(
        &sql, (const char *const[]){add_column, planning->table->name, column_word, NULL});
    append_column(&sql, planning, i);
    made->column = column->name;
    made->execute = (struct statement){.name = column->name, .sql = sql.bytes};
}

/* A column that both have: type, scale and kind must be the same. */
static void compare_column(const struct planning *planning, size_t i, const json_t *stored)
{
    const struct table_column *column = &planning->table->columns[i];
    const char *type = json_string_value(json_object_get(stored, "type"));
    bool counts = json_is_true(json_object_get(stored, "counts"));
    json_int_t scale = json_integer_value(json_object_get(stored, "scale"));

    if (strcmp(type, column_type_names[column->type]) != 0 || scale != column->scale)
        change(planning, true,
               arena_print(planning->arena, "column %s is %s%s in the database and %s in the file",
                           column->name, type,
                           scale ? arena_print(planning->arena, ", scale %d", (int)scale) : "",
                           type_text(planning->arena, column)));
    else if (counts != planning->own->counts[i])
        change(planning, true,
               arena_print(planning->arena, "column %s is %s in the database and %s in the file",
                           column->name, counts ? "added to" : "set", counts ? "set" : "added to"));
}

/* Of the file's indexes those that the stored contract does not have. */
static void compare_indexes(const struct planning *planning, const json_t *contract)
{
    struct string_list stored = json_strings(planning->arena, json_object_get(contract, "indexes"));

    for (size_t i = 0; i < planning->own->index_count; i++)
        if (!string_list_has(&stored, own_index_columns(planning->arena, planning->table,
                                                        &planning->own->indexes[i])))
            plan_index(planning, i);
}

static void plan_difference(const struct planning *planning, const json_t *contract)
{
    const json_t *columns = json_object_get(contract, "columns"), *column;
    const char *key = json_string_value(json_object_get(contract, "key"));
    size_t i, before = planning->plan->count;

    if (strcmp(key, planning->table->primary_key) != 0)
        change(planning, true,
               arena_print(planning->arena, "the key is %s in the database and %s in the file", key,
                           planning->table->primary_key));
    json_array_foreach(columns, i, column)
    {
        const char *name = json_string_value(json_object_get(column, "name"));

        if (!serving_column_find(planning->table, name))
            change(planning, true,
                   arena_print(planning->arena, "column %s is not in the file", name));
    }
    for (i = 0; i < planning->table->column_count; i++) {
        const json_t *stored = stored_column(contract, planning->table->columns[i].name);

        if (stored)
            compare_column(planning, i, stored);
        else
            plan_new_column(planning, i);
    }
    compare_indexes(planning, contract);
    if (planning->plan->count == before)
        change(planning, false, "what events do, values or indexes are changed");
}

static enum error read_stored(const struct storage_call *call, struct stored_contracts *stored)
{
    struct query *query = db_query(call->db, &read_contracts);

    *stored = (struct stored_contracts){0};
    while (query_next(query))
        *LIST_ADD(call->arena, stored) = (struct stored_contract){
            query_text(query, 0, call->arena), query_text(query, 1, call->arena),
            query_text(query, 2, call->arena)};
    return query_end(query, call->problem);
}

static const struct stored_contract *contract_of(const struct stored_contracts *stored,
                                                 const char *entity)
{
    for (size_t i = 0; i < stored->count; i++)
        if (strcmp(stored->items[i].entity, entity) == 0)
            return &stored->items[i];
    return NULL;
}

/* The whole contract is read only where the fingerprints differ: workers look each second. */
static enum error read_whole(const struct storage_call *call, const char *entity, json_t **contract)
{
    struct query *query = db_query(call->db, &read_contract);
    struct json_fault fault;
    const char *text = "";
    enum error error;

    query_bind_text(query, entity);
    if (query_next(query))
        text = query_text(query, 0, call->arena);
    error = query_end(query, call->problem);
    if (!error && json_read(call->arena, text, strlen(text), JSON_DEPTH_LIMIT, contract, &fault))
        return problem_set(call->problem, ERROR_SYSTEM, "contract_unreadable",
                           "the stored contract of %s cannot be read", entity);
    return error;
}

/* Whether the file's contract was that of the table, and another one has replaced it. */
static enum error refuse_former(const struct storage_call *call, const struct planning *planning)
{
    struct query *query;
    char at[TIMESTAMP_TEXT];

    if (planning->way == PLAN_BACK)
        return ERROR_NONE;
    query = db_query(call->db, &read_former);
    query_bind_text(query, planning->type->name);
    query_bind_text(query, planning->own->fingerprint);
    if (query_next(query)) {
        timestamp_format_seconds(query_integer(query, 0), at);
        change(planning, true,
               arena_print(planning->arena,
                           "the file is an older one, which was replaced at %s: livedata-check "
                           "--apply goes back to it",
                           at));
    }
    return query_end(query, call->problem);
}

static enum error plan_entity(const struct storage_call *call, const struct planning *planning,
                              const struct stored_contract *known)
{
    json_t *contract;
    enum error error;

    if (!known) {
        plan_new_table(planning);
        return ERROR_NONE;
    }
    if (strcmp(known->fingerprint, planning->own->fingerprint) == 0)
        return ERROR_NONE;
    if (strcmp(known->table, planning->table->name) != 0) {
        change(planning, true,
               arena_print(planning->arena,
                           "its table is %s in the database and would be %s by the name of its "
                           "domain: give the domain its former name, or the entity another one",
                           known->table, planning->table->name));
        return ERROR_NONE;
    }
    error = refuse_former(call, planning);
    if (!error)
        error = read_whole(call, known->entity, &contract);
    if (!error)
        plan_difference(planning, contract);
    return error;
}

enum error tables_plan(const struct storage_call *call, const struct catalog *catalog,
                       enum plan_way way, struct table_plan *plan)
{
    struct stored_contracts stored;
    enum error error = read_stored(call, &stored);

    *plan = (struct table_plan){0};
    for (size_t i = 0; !error && i < catalog->entity_count; i++) {
        const struct entity_type *type = &catalog->entities[i];
        const struct planning planning = {.arena = call->arena,
                                          .type = type,
                                          .own = type->table->own,
                                          .table = type->table,
                                          .plan = plan,
                                          .way = way};
        size_t refused = plan->refused;

        if (!type->table->own)
            continue;
        error = plan_entity(call, &planning, contract_of(&stored, type->name));
        if (!error && way != PLAN_DIFFERENCE && type->table->own->retention_days &&
            plan->refused == refused)
            error = plan_age_index(call, &planning);
    }
    return error;
}

/* The reasons against serving an entity: what the plan says of it. */
static void say_difference(const struct table_plan *plan, const struct entity_type *type)
{
    struct own_serving *serving = type->table->own->serving;
    size_t length = 0;

    serving->known = true;
    serving->served = true;
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->items[i].type != type)
            continue;
        serving->served = false;
        length +=
            (size_t)snprintf(serving->difference + length, sizeof serving->difference - length,
                             "%s%s", length ? "; " : "", plan->items[i].text);
        if (length >= sizeof serving->difference)
            return;
    }
}

enum error tables_look(const struct storage_call *call, const struct catalog *catalog)
{
    struct table_plan plan;
    enum error error = tables_plan(call, catalog, PLAN_DIFFERENCE, &plan);

    for (size_t i = 0; !error && i < catalog->entity_count; i++)
        if (catalog->entities[i].table->own)
            say_difference(&plan, &catalog->entities[i]);
    return error;
}

enum error table_served(const struct serving_table *table, struct problem *problem)
{
    const struct own_serving *serving = table->own ? table->own->serving : NULL;

    if (!serving || serving->served)
        return ERROR_NONE;
    if (!serving->known)
        return problem_set(problem, ERROR_UNAVAILABLE, "not_materialized", "%s", table->name);
    return problem_set(problem, ERROR_UNAVAILABLE, "contract_differs",
                       "The file of '%s' on this host is not what its table was made from: %s",
                       table->own->name, serving->difference);
}

enum error tables_still_served(const struct storage_call *call, const struct entity_type *type,
                               struct checked_entities *checked)
{
    enum error error = table_served(type->table, call->problem);
    const char *fingerprint = "";
    struct query *query;

    for (size_t i = 0; i < checked->count; i++)
        if (checked->items[i] == type)
            return error;
    if (error || !type->table->own)
        return error;
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): pointers are what is listed */
    *LIST_ADD(call->arena, checked) = type;
    query = db_query(call->db, &read_fingerprint);
    query_bind_text(query, type->name);
    outbox_set_copy(type->table->own, NULL, NULL, NULL);
    if (query_next(query)) {
        fingerprint = query_text(query, 0, call->arena);
        outbox_set_copy(type->table->own, query_text_or_null(query, 1, call->arena),
                        query_text_or_null(query, 2, call->arena),
                        query_text_or_null(query, 3, call->arena));
    }
    error = query_end(query, call->problem);
    if (error || strcmp(fingerprint, type->table->own->fingerprint) == 0)
        return error;
    return problem_set(call->problem, ERROR_UNAVAILABLE, "contract_differs",
                       "The file of '%s' on this host is not what its table was made from now",
                       type->name);
}
