/* SQL of templates: presets, and templates of users. */
#include "experiments/templates/template_store.h"
#include "crypto/token.h"
#include "experiments/projects/named.h"
#include "experiments/projects/project_rows.h"
#include "experiments/templates/presets.h"
#include "text/fold.h"

#include <string.h>

enum { TAGS_BYTES_MAX = 16 * 1024 * 1024, PRESET_BYTES_MAX = 16 * 1024 * 1024, ID_LENGTH_MAX = 64 };

#define OWNER struct template
static const struct field template_fields[] = {
    STRING(OWNER, id, .help = "A UUID; a name of its own where it came with the product."),
    STRING(OWNER, name),
    STRING(OWNER, category),
    STRING(OWNER, description),
    BOOLEAN(OWNER, built_in),
    WRITTEN_OBJECT(OWNER, document, "payload", payload_schema),
    STRINGS(OWNER, tags),
    INTEGER(OWNER, usage_count),
};
#undef OWNER
SCHEMA(template_schema, struct template, "Template", template_fields,
       .help = "A design to start from.");

#define COLUMNS                                                                                    \
    "SELECT id, name, category, description, built_in, payload_json AS payload,"                   \
    " tags_json AS tags, usage_count FROM project_templates"

static const struct statement list_templates = {
    .name = "template_list",
    .sql = COLUMNS " ORDER BY built_in DESC, usage_count DESC, name_folded, id LIMIT ? OFFSET ?",
};
static const struct statement count_templates = {
    .name = "template_count",
    .sql = "SELECT count(*) FROM project_templates",
};
static const struct statement count_own = {
    .name = "template_count_own",
    .sql = "SELECT count(*) FROM project_templates WHERE built_in = 0",
};
static const struct statement read_template = {
    .name = "template_read",
    .sql = COLUMNS " WHERE id = ?",
};
static const struct statement lock_template = {
    .name = "template_lock",
    .sql = COLUMNS " WHERE id = ? {for_update}",
};
static const struct statement count_use = {
    .name = "template_count_use",
    .sql = "UPDATE project_templates SET usage_count = usage_count + 1 WHERE id = ?",
};
static const struct statement forget_metric = {
    .name = "template_forget_metric",
#define OF_METRIC " WHERE payload_json -> 'metrics' -> 'catalog_metric' ->> 'id' = ?"
    .sqlite = "UPDATE project_templates SET payload_json ="
              " json_remove(payload_json, '$.metrics.catalog_metric')" OF_METRIC,
    .postgres = "UPDATE project_templates SET payload_json ="
                " payload_json #- ARRAY['metrics', 'catalog_metric']" OF_METRIC,
#undef OF_METRIC
};
static const struct statement delete_template = {
    .name = "template_delete",
    .sql = "DELETE FROM project_templates WHERE id = ?",
};
#define INSERT                                                                                     \
    "INSERT INTO project_templates (id, name, category, description, built_in, tags_json,"         \
    " payload_json, name_folded, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
static const struct statement insert_template = {.name = "template_insert", .sql = INSERT};
static const struct statement upsert_preset = {
    .name = "template_preset",
    .sql =
        INSERT " ON CONFLICT (id) DO UPDATE SET name = excluded.name, category = excluded.category,"
               " description = excluded.description, tags_json = excluded.tags_json,"
               " payload_json = excluded.payload_json, name_folded = excluded.name_folded,"
               " updated_at = excluded.updated_at",
};

static enum error unknown(const struct project_call *call)
{
    return problem_set(call->problem, ERROR_NOT_FOUND, "not_found", "Template not found");
}

static const char *write_tags(const struct string_list *tags, struct arena *arena)
{
    return json_of_strings(arena, TAGS_BYTES_MAX, tags->items, tags->count);
}

/* False when the stored design cannot be read. */
static bool template_row(struct query *query, struct arena *arena, struct template *template)
{
    *template = (struct template){0};
    query_read(query, &template_schema, template, arena);
    if (template->document)
        template->document = project_document(template->document, arena);
    return template->document != NULL;
}

static enum error unreadable(const struct project_call *call, const struct template *template)
{
    return problem_set(call->problem, ERROR_SYSTEM, "stored_document",
                       "template %s: its stored payload cannot be read", template->id);
}

/* Presets have names of their own instead of UUIDs. */
static bool could_be_id(const char *id)
{
    size_t length = strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789_-");

    return length > 0 && length <= ID_LENGTH_MAX && !id[length];
}

static enum error fetch(const struct project_call *call, const struct statement *statement,
                        const char *id, struct template *template)
{
    bool found, readable = true;
    struct query *query;
    enum error error;

    if (!could_be_id(id))
        return unknown(call);
    query = db_query(call->db, statement);
    query_bind_text(query, id);
    found = query_next(query);
    if (found)
        readable = template_row(query, call->arena, template);
    error = query_end(query, call->problem);
    if (error)
        return error;
    if (!found)
        return unknown(call);
    return readable ? ERROR_NONE : unreadable(call, template);
}

static enum error count(const struct project_call *call, const struct statement *statement,
                        int64_t *total)
{
    struct query *query = db_query(call->db, statement);

    *total = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

static enum error read_page(const struct project_call *call, struct project_page *page)
{
    struct template *items = ARENA_ARRAY(call->arena, struct template, (size_t)page->limit);
    struct query *query = db_query(call->db, &list_templates);
    size_t before = arena_used(call->arena);
    bool readable = true;
    enum error error;

    page->items = (struct object_list){.items = items};
    query_bind_integer(query, page->limit);
    query_bind_integer(query, page->offset);
    while (readable && project_page_has_room(page, arena_used(call->arena) - before) &&
           query_next(query))
        readable = template_row(query, call->arena, &items[page->items.count++]);
    error = query_end(query, call->problem);
    return error || readable ? error : unreadable(call, &items[page->items.count - 1]);
}

enum error template_list(const struct project_call *call, struct project_page *page)
{
    enum error error = db_begin(call->db, DB_READ, call->problem);

    if (error)
        return error;
    error = count(call, &count_templates, &page->total);
    if (!error)
        error = read_page(call, page);
    return db_finish(call->db, error, call->problem);
}

enum error template_read(const struct project_call *call, const char *id, struct template *template)
{
    return fetch(call, &read_template, id, template);
}

static enum error insert(const struct project_call *call, const struct statement *statement,
                         const struct template *template)
{
    struct query *query = db_query(call->db, statement);
    const char *now = store_now(call->arena);

    query_bind_text(query, template->id);
    query_bind_text(query, template->name);
    query_bind_text(query, template->category);
    query_bind_text(query, template->description);
    query_bind_boolean(query, template->built_in);
    query_bind_json(query, write_tags(&template->tags, call->arena));
    query_bind_json(query, template->document);
    query_bind_text(query, text_fold(call->arena, template->name));
    query_bind_text(query, now);
    query_bind_text(query, now);
    return query_end(query, call->problem);
}

static enum error check_room(const struct project_call *call, int64_t most)
{
    int64_t total = 0;
    enum error error = db_lock(call->db, "project_templates", call->problem);

    if (!error)
        error = count(call, &count_own, &total);
    if (!error && total >= most)
        error = problem_set(call->problem, ERROR_CONFLICT, "template_limit_reached",
                            "There are %lld templates, as many as may be kept", (long long)total);
    return error;
}

enum error template_create(const struct project_call *call, const struct new_template *new,
                           int64_t most, struct template *template)
{
    char *id = arena_alloc(call->arena, TOKEN_UUID_TEXT);
    enum error error;

    token_uuid(id);
    *template = (struct template){.id = id,
                                  .name = new->name,
                                  .category = new->category,
                                  .description = new->description,
                                  .document = payload_to_json(new->payload, call->arena),
                                  .tags = new->tags};
    error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    error = check_room(call, most);
    if (!error)
        error = insert(call, &insert_template, template);
    if (!error)
        error = named_record(call, "template.create", template->name);
    return db_finish(call->db, error, call->problem);
}

enum error template_use(const struct project_call *call, const char *id, struct template *template)
{
    struct query *query;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = fetch(call, &lock_template, id, template);
    if (!error) {
        query = db_query(call->db, &count_use);
        query_bind_text(query, id);
        error = query_end(query, call->problem);
        template->usage_count++;
    }
    return db_finish(call->db, error, call->problem);
}

enum error template_delete(const struct project_call *call, const char *id)
{
    struct template template;
    struct query *query;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = fetch(call, &lock_template, id, &template);
    if (!error && template.built_in)
        error = problem_set(call->problem, ERROR_FORBIDDEN, "template_delete_forbidden",
                            "Built-in templates cannot be deleted");
    if (!error) {
        query = db_query(call->db, &delete_template);
        query_bind_text(query, id);
        error = query_end(query, call->problem);
    }
    if (!error)
        error = named_record(call, "template.delete", template.name);
    return db_finish(call->db, error, call->problem);
}

enum error template_forget_metric(const struct project_call *call, const char *metric_id)
{
    struct query *query = db_query(call->db, &forget_metric);

    query_bind_text(query, metric_id);
    return query_end(query, call->problem);
}

static enum error store_all(const struct project_call *call)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = db_lock(call->db, "project_templates", call->problem);
    for (size_t i = 0; !error && i < PRESET_COUNT; i++) {
        const struct preset *preset = &preset_table[i];
        const struct template template = {
            .id = preset->id,
            .name = preset->name,
            .category = preset->category,
            .description = preset->description,
            .built_in = true,
            .document = payload_to_json(preset_payload(preset, call->arena), call->arena),
            .tags = preset_tags(preset, call->arena)};

        error = insert(call, &upsert_preset, &template);
    }
    return db_finish(call->db, error, call->problem);
}

enum error template_store_presets(struct db *db, struct problem *problem)
{
    struct project_call call = {
        .db = db, .arena = arena_create(PRESET_BYTES_MAX), .problem = problem};
    enum error error;

    if (!call.arena)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "out of memory");
    error = store_all(&call);
    arena_destroy(call.arena);
    return error;
}
