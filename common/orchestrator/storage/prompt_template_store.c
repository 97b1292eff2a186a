/* SQL of prompt templates. */
#include "orchestrator/storage/prompt_template_store.h"

#include "base/list.h"
#include "db/query.h"

#define OWNER struct prompt_template
static const struct field fields[] = {
    STRING(OWNER, name),
    INTEGER(OWNER, version),
    WRITTEN_JSON_OBJECTS(OWNER, messages),
    BOOLEAN(OWNER, production, .help = "Calls that name no version get this one."),
    TIME(OWNER, created_at, .time = TIME_Z),
    STRING(OWNER, created_by, .nullable = true),
};
#undef OWNER
SCHEMA(prompt_template_schema, struct prompt_template, "PromptTemplate", fields);

#define COLUMNS "name, version, messages, production, created_at, created_by"

static const struct statement find_last = {
    .name = "orch_template_last",
    .sql = "SELECT coalesce(max(version), 0) FROM orch_templates WHERE name = ?",
};
static const struct statement insert = {
    .name = "orch_template_insert",
    .sql = "INSERT INTO orch_templates (" COLUMNS ")"
           " VALUES (?, ?, ?, 0, {now_microseconds}, ?)",
};
static const struct statement promote = {
    .name = "orch_template_promote",
    .sql = "UPDATE orch_templates SET production = CASE WHEN version = ? THEN 1 ELSE 0 END"
           " WHERE name = ? AND EXISTS (SELECT 1 FROM orch_templates AS other"
           " WHERE other.name = ? AND other.version = ?)",
};
static const struct statement read_version = {
    .name = "orch_template_read",
    .sql = "SELECT " COLUMNS " FROM orch_templates WHERE name = ? AND version = ?",
};
static const struct statement read_production = {
    .name = "orch_template_production",
    .sql = "SELECT " COLUMNS " FROM orch_templates WHERE name = ? AND production = 1",
};
static const struct statement delete_all = {
    .name = "orch_template_delete",
    .sql = "DELETE FROM orch_templates WHERE name = ?",
};
static const struct statement list_all = {
    .name = "orch_templates_list",
    .sql = "SELECT " COLUMNS " FROM orch_templates ORDER BY name, version DESC",
};

static enum error not_found(const struct prompt_template_call *call, const char *name)
{
    return problem_set(call->problem, ERROR_NOT_FOUND, "template_not_found",
                       "The template '%s' does not exist in this version.", name);
}

enum error prompt_template_promote(const struct prompt_template_call *call, const char *name,
                                   int64_t version)
{
    struct query *query = db_query(call->db, &promote);
    int64_t changed;
    enum error error;

    query_bind_integer(query, version);
    query_bind_text(query, name);
    query_bind_text(query, name);
    query_bind_integer(query, version);
    changed = query_changes(query);
    error = query_end(query, call->problem);
    return error || changed ? error : not_found(call, name);
}

static enum error add(const struct prompt_template_call *call, struct prompt_template *template)
{
    struct query *query = db_query(call->db, &find_last);
    enum error error;

    query_bind_text(query, template->name);
    template->version = query_next(query) ? query_integer(query, 0) + 1 : 1;
    error = query_end(query, call->problem);
    if (error)
        return error;
    if (template->version > TEMPLATE_VERSIONS_MAX)
        return problem_set(call->problem, ERROR_CONFLICT, "too_many_versions",
                           "A template has at most %d versions.", TEMPLATE_VERSIONS_MAX);
    query = db_query(call->db, &insert);
    query_bind_text(query, template->name);
    query_bind_integer(query, template->version);
    query_bind_text(query, template->messages);
    query_bind_text(query, template->created_by);
    error = query_end(query, call->problem);
    if (!error && (template->version == 1 || template->production))
        error = prompt_template_promote(call, template->name, template->version);
    return error;
}

enum error prompt_template_add(const struct prompt_template_call *call,
                               struct prompt_template *template)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error : db_finish(call->db, add(call, template), call->problem);
}

enum error prompt_template_read(const struct prompt_template_call *call, const char *name,
                                int64_t version, struct prompt_template *template)
{
    struct query *query = db_query(call->db, version ? &read_version : &read_production);
    bool found;
    enum error error;

    *template = (struct prompt_template){0};
    query_bind_text(query, name);
    if (version)
        query_bind_integer(query, version);
    error = query_read_one(query, &prompt_template_schema, template, call->arena, &found,
                           call->problem);
    return error || found ? error : not_found(call, name);
}

enum error prompt_template_delete(const struct prompt_template_call *call, const char *name)
{
    struct query *query = db_query(call->db, &delete_all);
    int64_t changed;
    enum error error;

    query_bind_text(query, name);
    changed = query_changes(query);
    error = query_end(query, call->problem);
    return error || changed ? error : not_found(call, name);
}

enum error prompt_template_list(const struct prompt_template_call *call, struct object_list *list)
{
    struct query *query = db_query(call->db, &list_all);

    *list = (struct object_list){0};
    while (query_next(query)) {
        struct prompt_template *row =
            list_add(call->arena, &list->items, &list->count, sizeof *row);

        query_read(query, &prompt_template_schema, row, call->arena);
    }
    return query_end(query, call->problem);
}
