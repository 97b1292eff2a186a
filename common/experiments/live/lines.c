/* Decodes lines by the schemas of records, and stores how far a file was loaded. */
#include "experiments/live/lines.h"
#include "base/schema_words.h"

#include "db/query.h"
#include "experiments/live/record_schemas.h"

#include <string.h>

enum { COLUMNS_MAX = 64, JSON_LINE_DEPTH = 8, COLUMN_BYTES_EXTRA = 16 };

static const struct statement read_mark = {
    .name = "live_load_read",
    .sql = "SELECT bytes, lines FROM live_loads WHERE experiment_id = ? AND kind = ? AND file = ?",
};
static const struct statement put_mark = {
    .name = "live_load_put",
    .sql = "INSERT INTO live_loads (experiment_id, kind, file, bytes, lines)"
           " VALUES (?, ?, ?, ?, ?) ON CONFLICT (experiment_id, kind, file) DO UPDATE SET"
           " bytes = excluded.bytes, lines = excluded.lines",
};

void live_lines_start(struct live_lines *lines, enum live_kind kind, struct arena *arena,
                      size_t capacity)
{
    *lines = (struct live_lines){
        .kind = kind, .arena = arena, .capacity = capacity, .error_capacity = capacity};
    lines->records.items = arena_alloc_array(arena, capacity, live_record_schemas[kind].size);
    lines->errors = ARENA_ARRAY(arena, struct live_line_error, capacity);
}

static void refuse(struct live_lines *lines, int64_t number, const char *field, const char *message)
{
    lines->errors[lines->error_count++] =
        (struct live_line_error){.line = number, .field = field, .message = message};
}

void live_lines_refuse(struct live_lines *lines, int64_t number, const char *message)
{
    refuse(lines, number, NULL, message);
}

/* The name of the field that a path ends at. */
static const char *field_at(const struct schema_path *path)
{
    while (path && !path->key)
        path = path->parent;
    return path ? path->key : NULL;
}

void live_line_skip_mark(int64_t number, const char **bytes, size_t *length)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t size = sizeof mark - 1;

    if (number != 1 || *length < size || memcmp(*bytes, mark, size) != 0)
        return;
    *bytes += size;
    *length -= size;
}

void live_lines_add_json(struct live_lines *lines, int64_t number, const char *bytes, size_t length)
{
    const struct schema *schema = &live_record_schemas[lines->kind];
    char *record = (char *)lines->records.items + lines->records.count * schema->size;
    struct schema_errors errors;
    struct json_fault fault;
    json_t *document;

    live_line_skip_mark(number, &bytes, &length);
    while (length > 0 && (bytes[length - 1] == '\r' || bytes[length - 1] == ' '))
        length--;
    if (length == 0)
        return;
    if (json_read(lines->arena, bytes, length, JSON_LINE_DEPTH, &document, &fault)) {
        refuse(lines, number, NULL, arena_copy_string(lines->arena, fault.text));
        return;
    }
    memset(record, 0, schema->size);
    if (schema_decode(schema, document, "line", record, &errors, lines->arena)) {
        refuse(lines, number, field_at(errors.items[0].path),
               schema_fault_words[errors.items[0].fault]);
        return;
    }
    lines->records.count++;
}

/* One cell; `at` moves past the comma behind it. */
static const char *read_cell(struct arena *arena, const char **at, const char *end, bool *closed)
{
    char *cell = arena_alloc(arena, (size_t)(end - *at) + 1), *out = cell;
    bool quoted = *at < end && **at == '"';

    *closed = !quoted;
    *at += quoted;
    for (; *at < end; ++*at) {
        if (quoted && **at == '"') {
            if (*at + 1 < end && (*at)[1] == '"') {
                *out++ = '"';
                ++*at;
                continue;
            }
            quoted = false;
            *closed = true;
            continue;
        }
        if (!quoted && **at == ',')
            break;
        *out++ = **at;
    }
    *out = '\0';
    return cell;
}

bool live_csv_cells(struct arena *arena, const char *bytes, size_t length,
                    struct string_list *cells)
{
    const char *at = bytes, *end = bytes + length;
    bool closed = true;

    *cells = (struct string_list){0, ARENA_ARRAY(arena, const char *, COLUMNS_MAX)};
    while (closed && cells->count < COLUMNS_MAX) {
        cells->items[cells->count++] = read_cell(arena, &at, end, &closed);
        if (at >= end)
            return closed;
        at++;
    }
    return false;
}

void live_lines_add_csv(struct live_lines *lines, const struct string_list *names, int64_t number,
                        const char *bytes, size_t length)
{
    struct string_list cells;
    struct json_writer writer;
    struct text text;

    if (length > 0 && bytes[length - 1] == '\r')
        length--;
    if (length == 0)
        return;
    if (!live_csv_cells(lines->arena, bytes, length, &cells) || cells.count > names->count) {
        refuse(lines, number, NULL, "has quotes that do not close, or more cells than the header");
        return;
    }
    text_start(&text, lines->arena, 8 * (size_t)LIVE_LINE_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < cells.count; i++)
        if (*cells.items[i])
            writer_key_string(&writer, names->items[i], cells.items[i]);
    writer_close_object(&writer);
    live_lines_add_json(lines, number, text.bytes, text.length);
}

enum error live_load_mark(const struct live_call *call, const char *experiment_id,
                          enum live_kind kind, const char *file, struct live_progress_mark *mark)
{
    struct query *query = db_query(call->db, &read_mark);

    *mark = (struct live_progress_mark){0};
    query_bind_text(query, experiment_id);
    query_bind_text(query, live_kind_names[kind]);
    query_bind_text(query, file);
    if (query_next(query))
        *mark = (struct live_progress_mark){.bytes = query_integer(query, 0),
                                            .lines = query_integer(query, 1)};
    return query_end(query, call->problem);
}

static enum error move_mark(const struct live_call *call, const char *experiment_id,
                            enum live_kind kind, const char *file,
                            const struct live_progress_mark *mark)
{
    struct query *query = db_query(call->db, &put_mark);

    query_bind_text(query, experiment_id);
    query_bind_text(query, live_kind_names[kind]);
    query_bind_text(query, file);
    query_bind_integer(query, mark->bytes);
    query_bind_integer(query, mark->lines);
    return query_end(query, call->problem);
}

enum error live_load_records(const struct live_call *call, const char *experiment_id,
                             const struct live_lines *lines, const char *file,
                             const struct live_progress_mark *mark, struct live_outcome *outcome)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = live_ingest(call, experiment_id, lines->kind, &lines->records, outcome);
    if (!error)
        error = move_mark(call, experiment_id, lines->kind, file, mark);
    return db_finish(call->db, error, call->problem);
}
