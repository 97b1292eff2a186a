/* SQL of the definitions of segments. */
#include "experiments/segments/segment_store.h"
#include "crypto/token.h"
#include "db/query.h"
#include "db/store.h"
#include "experiments/segments/segment_rows.h"
#include "text/fold.h"

#include <string.h>

enum { DEFINITION_BYTES_MAX = 256 * 1024, NAMES_TOLD_MAX = 5, NAMES_BYTES_MAX = 4096 };

#define OWNER struct segment
static const struct field segment_fields[] = {
    STRING(OWNER, id),
    INTEGER(OWNER, version,
            .help = "The current one; every change of rules or list makes the "
                    "next. It is the ETag."),
    OBJECT(OWNER, definition, segment_definition_stored_schema),
    INTEGER(OWNER, user_count, .help = "Users of the list."),
    INTEGER(OWNER, use_count, .help = "Projects whose design names it."),
    STRING(OWNER, created_at),
    STRING(OWNER, updated_at),
};
static const struct field row_fields[] = {
    STRING(OWNER, id),          INTEGER(OWNER, number),
    INTEGER(OWNER, version),    OBJECT(OWNER, definition, segment_definition_stored_schema),
    INTEGER(OWNER, user_count), INTEGER(OWNER, use_count),
    STRING(OWNER, created_at),  STRING(OWNER, updated_at),
};
#undef OWNER
SCHEMA(segment_schema, struct segment, "Segment", segment_fields, .help = "A segment of users.");
static SCHEMA(segment_row_schema, struct segment, "SegmentRow", row_fields);

#define OWNER struct segment_use
static const struct field use_fields[] = {
    STRING(OWNER, project_id),
    STRING(OWNER, project_name),
    BOOLEAN(OWNER, is_archived),
};
#undef OWNER
SCHEMA(segment_use_schema, struct segment_use, "SegmentUse", use_fields,
       .help = "A project whose design names the segment.");

#define COLUMNS                                                                                    \
    "SELECT s.id, s.number, s.version, s.definition, s.user_count,"                                \
    " (SELECT count(*) FROM segment_uses u WHERE u.segment = s.number) AS use_count,"              \
    " s.created_at, s.updated_at FROM segments s"

static const struct statement list_segments = {
    .name = "segment_list",
    .sql = COLUMNS " WHERE s.name_folded LIKE ? ESCAPE '\\' ORDER BY s.name_folded, s.id"
                   " LIMIT ? OFFSET ?",
};
static const struct statement count_segments = {
    .name = "segment_count",
    .sql = "SELECT count(*) FROM segments s WHERE s.name_folded LIKE ? ESCAPE '\\'",
};
static const struct statement read_segment = {
    .name = "segment_read",
    .sql = COLUMNS " WHERE s.id = ?",
};
static const struct statement find_name = {
    .name = "segment_find_name",
    .sql = "SELECT id FROM segments WHERE name_folded = ? AND id <> ?",
};
static const struct statement list_uses = {
    .name = "segment_uses",
    .sql = "SELECT u.project_id, p.project_name,"
           " CASE WHEN p.archived_at IS NULL THEN 0 ELSE 1 END AS is_archived"
           " FROM segment_uses u JOIN projects p ON p.id = u.project_id"
           " WHERE u.segment = ? ORDER BY p.name_folded, p.id LIMIT ?",
};
static const struct statement insert_segment = {
    .name = "segment_insert",
    .sql = "INSERT INTO segments (id, version, name, name_folded, definition, created_at,"
           " updated_at) VALUES (?, 1, ?, ?, ?, ?, ?)",
};
static const struct statement update_segment = {
    .name = "segment_update",
    .sql = "UPDATE segments SET version = ?, name = ?, name_folded = ?, definition = ?,"
           " updated_at = ? WHERE id = ?",
};
/* Designs that named it before it was here came from another installation. */
static const struct statement note_early_uses = {
    .name = "segment_note_early_uses",
    .sqlite = "INSERT INTO segment_uses (project_id, segment) SELECT p.id, s.number"
              " FROM segments s JOIN projects p ON instr(p.payload_json, 'in_segment') > 0"
              " WHERE s.id = ? AND EXISTS (SELECT 1 FROM json_tree(p.payload_json, '$.setup') t"
              " WHERE t.type = 'object' AND t.value ->> 'value' = s.name"
              " AND t.value ->> 'operator' IN ('in_segment', 'not_in_segment'))",
    .postgres = "INSERT INTO segment_uses (project_id, segment) SELECT p.id, s.number"
                " FROM segments s JOIN projects p ON jsonb_path_exists(p.payload_json,"
                " '$.setup.** ? (@.value == $name &&"
                " (@.operator == \"in_segment\" || @.operator == \"not_in_segment\"))',"
                " jsonb_build_object('name', s.name)) WHERE s.id = ?",
};
static const struct statement delete_segment = {
    .name = "segment_delete",
    .sql = "DELETE FROM segments WHERE id = ?",
};

static enum error count_all(const struct project_call *call, const char *pattern, int64_t *total)
{
    struct query *query = db_query(call->db, &count_segments);

    query_bind_text(query, pattern);
    *total = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

static enum error read_page(const struct project_call *call, const char *pattern,
                            struct project_page *page)
{
    struct segment *items = ARENA_ARRAY(call->arena, struct segment, (size_t)page->limit);
    struct query *query = db_query(call->db, &list_segments);

    page->items = (struct object_list){.items = items};
    query_bind_text(query, pattern);
    query_bind_integer(query, page->limit);
    query_bind_integer(query, page->offset);
    while (query_next(query)) {
        items[page->items.count] = (struct segment){0};
        query_read(query, &segment_row_schema, &items[page->items.count++], call->arena);
    }
    return query_end(query, call->problem);
}

enum error segment_list(const struct project_call *call, const char *text,
                        struct project_page *page)
{
    const char *pattern = db_like_contains(call->arena, text_fold(call->arena, text ? text : ""));
    enum error error = db_begin(call->db, DB_READ, call->problem);

    if (error)
        return error;
    error = count_all(call, pattern, &page->total);
    if (!error)
        error = read_page(call, pattern, page);
    return db_finish(call->db, error, call->problem);
}

enum error segment_read(const struct project_call *call, const char *id, struct segment *segment)
{
    bool found = false;
    enum error error = ERROR_NONE;

    *segment = (struct segment){.id = id};
    if (store_is_id(id)) {
        struct query *query = db_query(call->db, &read_segment);

        query_bind_text(query, id);
        error =
            query_read_one(query, &segment_row_schema, segment, call->arena, &found, call->problem);
    }
    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "not_found", "Segment not found");
}

enum error segment_uses(const struct project_call *call, const struct segment *segment,
                        struct object_list *uses)
{
    struct segment_use *items = ARENA_ARRAY(call->arena, struct segment_use, SEGMENT_USES_MAX);
    struct query *query = db_query(call->db, &list_uses);

    *uses = (struct object_list){.items = items};
    query_bind_integer(query, segment->number);
    query_bind_integer(query, SEGMENT_USES_MAX);
    while (query_next(query))
        query_read(query, &segment_use_schema, &items[uses->count++], call->arena);
    return query_end(query, call->problem);
}

static enum error check_room(const struct project_call *call, int64_t most)
{
    int64_t total = 0;
    enum error error = count_all(call, "%", &total);

    if (!error && total >= most)
        error = problem_set(call->problem, ERROR_CONFLICT, "segment_limit_reached",
                            "There are %lld segments, as many as may be kept", (long long)total);
    return error;
}

static const char *written(const struct project_call *call,
                           const struct segment_definition *definition)
{
    return schema_json(call->arena, DEFINITION_BYTES_MAX, &segment_definition_stored_schema,
                       definition);
}

static enum error note_uses(const struct project_call *call, const char *id)
{
    struct query *query = db_query(call->db, &note_early_uses);

    query_bind_text(query, id);
    return query_end(query, call->problem);
}

static enum error insert(const struct project_call *call, const char *id,
                         const struct segment_definition *definition)
{
    const char *folded = text_fold(call->arena, definition->name);
    const char *now = store_now(call->arena);
    enum error error =
        named_check_free(call, &find_name, id, folded, "segment_name_taken", "segment");
    struct query *query;

    if (error)
        return error;
    query = db_query(call->db, &insert_segment);
    query_bind_text(query, id);
    query_bind_text(query, definition->name);
    query_bind_text(query, folded);
    query_bind_json(query, written(call, definition));
    query_bind_text(query, now);
    query_bind_text(query, now);
    error = query_end(query, call->problem);
    if (!error)
        error = note_uses(call, id);
    return error ? error : named_record(call, "segment.create", definition->name);
}

enum error segment_create(const struct project_call *call,
                          const struct segment_definition *definition, int64_t most,
                          struct segment *segment)
{
    char *id = arena_alloc(call->arena, TOKEN_UUID_TEXT);
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    token_uuid(id);
    error = db_lock(call->db, SEGMENTS_LOCK, call->problem);
    if (!error)
        error = check_room(call, most);
    if (!error)
        error = insert(call, id, definition);
    if (!error)
        error = segment_read(call, id, segment);
    return db_finish(call->db, error, call->problem);
}

/* The names of projects that use the segment, as far as they are told. */
static enum error refuse_used(const struct project_call *call, const struct segment *segment)
{
    struct object_list uses;
    const struct segment_use *use;
    struct text names;
    enum error error = segment_uses(call, segment, &uses);

    if (error || uses.count == 0)
        return error;
    use = uses.items;
    text_start(&names, call->arena, NAMES_BYTES_MAX);
    for (size_t i = 0; i < uses.count && i < NAMES_TOLD_MAX; i++)
        text_append_format(&names, "%s\"%s\"", i ? ", " : "", use[i].project_name);
    if (uses.count > NAMES_TOLD_MAX)
        text_append_format(&names, " and %lld more",
                           (long long)segment->use_count - NAMES_TOLD_MAX);
    return problem_set(call->problem, ERROR_CONFLICT, "segment_in_use", "The segment is used by %s",
                       names.bytes);
}

enum error segment_check_match(const struct project_call *call, const struct segment *segment,
                               const char *if_match)
{
    const char *version = arena_print(call->arena, "%lld", (long long)segment->version);

    if (!if_match || strcmp(if_match, "*") == 0 || project_names_version(if_match, version))
        return ERROR_NONE;
    return problem_set(call->problem, ERROR_CONFLICT, "segment_changed",
                       "The segment has changed since it was read: its version is %s", version);
}

enum error segment_lock(const struct project_call *call, const char *id, const char *if_match,
                        struct segment *segment)
{
    enum error error = db_lock(call->db, SEGMENTS_LOCK, call->problem);

    if (!error)
        error = segment_read(call, id, segment);
    return error ? error : segment_check_match(call, segment, if_match);
}

static enum error replace(const struct project_call *call, const struct segment *segment,
                          const struct segment_definition *definition, const char *document)
{
    const char *folded = text_fold(call->arena, definition->name);
    bool renamed = strcmp(definition->name, segment->definition->name) != 0;
    enum error error =
        named_check_free(call, &find_name, segment->id, folded, "segment_name_taken", "segment");
    struct query *query;

    if (!error && renamed)
        error = refuse_used(call, segment);
    if (error)
        return error;
    query = db_query(call->db, &update_segment);
    query_bind_integer(query, segment->version + 1);
    query_bind_text(query, definition->name);
    query_bind_text(query, folded);
    query_bind_json(query, document);
    query_bind_text(query, store_later(call->arena, segment->updated_at));
    query_bind_text(query, segment->id);
    error = query_end(query, call->problem);
    if (!error && renamed)
        error = note_uses(call, segment->id);
    return error ? error : named_record(call, "segment.update", definition->name);
}

static enum error change(const struct project_call *call, const char *id, const char *if_match,
                         const struct segment_definition *definition)
{
    const char *document = written(call, definition);
    struct segment before;
    enum error error = segment_lock(call, id, if_match, &before);

    if (error || strcmp(written(call, before.definition), document) == 0)
        return error;
    return replace(call, &before, definition, document);
}

enum error segment_update(const struct project_call *call, const char *id, const char *if_match,
                          const struct segment_definition *definition, struct segment *segment)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = change(call, id, if_match, definition);
    if (!error)
        error = segment_read(call, id, segment);
    return db_finish(call->db, error, call->problem);
}

static enum error delete_row(const struct project_call *call, const struct segment *segment)
{
    struct query *query;
    enum error error = refuse_used(call, segment);

    if (error)
        return error;
    query = db_query(call->db, &delete_segment);
    query_bind_text(query, segment->id);
    error = query_end(query, call->problem);
    return error ? error : named_record(call, "segment.delete", segment->definition->name);
}

enum error segment_delete(const struct project_call *call, const char *id, const char *if_match)
{
    struct segment segment;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = segment_lock(call, id, if_match, &segment);
    if (!error)
        error = delete_row(call, &segment);
    return db_finish(call->db, error, call->problem);
}
