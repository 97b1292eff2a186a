/* Features of many entities, each as of a time of its own, as lines of JSON or as CSV. */
#include "livedata/reads/features.h"
#include "base/list.h"
#include "livedata-query/questions.h"
#include "livedata/tables/tables.h"
#include "livedata/timestamp.h"
#include "report/csv.h"

#include <string.h>

enum {
    ROWS_MAX = 10000,
    ROWS_BETWEEN_LOOKS = 64,
    COLUMNS_MAX = 64,
    CELL_BYTES_MAX = 65536,
    VERSION_BYTES_MAX = 8 << 20
};

enum format { FORMAT_NDJSON, FORMAT_CSV, FORMAT__MAX };
static const char *const format_names[FORMAT__MAX] = {"ndjson", "csv"};

struct asked_row {
    const char *entity_id, *at;
};

#define OWNER struct asked_row
static const struct field asked_fields[] = {
    STRING(OWNER, entity_id, .required = true, .min_length = 1, .max_length = 256),
    STRING(OWNER, at, .nullable = true, .max_length = 64,
           .help = "The time that the values are of; now where absent."),
};
#undef OWNER
static SCHEMA(asked_schema, struct asked_row, "FeatureRow", asked_fields);

struct features_body {
    const char *entity_type;
    struct string_list columns;
    OBJECT_LIST(struct asked_row, rows);
    int format;
};

#define OWNER struct features_body
static const struct field body_fields[] = {
    STRING(OWNER, entity_type, .required = true),
    STRINGS(OWNER, columns, .max_length = COLUMNS_MAX,
            .help = "Columns of the type; all where absent."),
    OBJECTS(OWNER, rows, asked_schema, .required = true, .max_length = ROWS_MAX),
    CHOICE(OWNER, format, format_names, .choice_count = FORMAT__MAX, .default_text = "ndjson"),
};
#undef OWNER
SCHEMA(features_request_schema, struct features_body, "FeaturesRequest", body_fields,
       .example = "{\"entity_type\":\"user\",\"columns\":[\"total_orders\"],\"rows\":["
                  "{\"entity_id\":\"USR-1\",\"at\":\"2026-11-01T12:00:00Z\"}]}");

static enum error unknown_column(struct request *request, const char *name)
{
    return request_fault(request, "body", "columns", "value_error",
                         arena_print(request->arena, "The type has no column '%.100s'", name));
}

/* All columns where none is named. */
static enum error check_columns(struct request *request, const struct entity_type *type,
                                struct string_list *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        size_t j = 0;

        while (j < type->field_count && strcmp(type->fields[j].name, columns->items[i]) != 0)
            j++;
        if (j == type->field_count)
            return unknown_column(request, columns->items[i]);
    }
    for (size_t j = 0; !columns->items && j < type->field_count; j++)
        columns->count = j + 1;
    if (columns->items || !columns->count)
        return ERROR_NONE;
    columns->items = ARENA_ARRAY(request->arena, const char *, columns->count);
    for (size_t j = 0; j < columns->count; j++)
        columns->items[j] = type->fields[j].name;
    return ERROR_NONE;
}

/* The times of all rows, before the first is answered. */
static enum error check_times(struct request *request, const struct reading *reading,
                              const struct features_body *body, int64_t *times)
{
    const struct asked_row *rows = body->rows.items;

    for (size_t i = 0; i < body->rows.count; i++) {
        times[i] = 0;
        if (!rows[i].at)
            continue;
        if (!timestamp_parse(rows[i].at, &times[i]))
            return request_fault(request, "body", arena_print(request->arena, "rows.%zu.at", i),
                                 "datetime_from_date_parsing", "Input should be a valid datetime");
        if (check_as_of(reading, times[i]))
            return ERROR_INVALID;
        times[i] = times[i] ? times[i] : 1;
    }
    return ERROR_NONE;
}

static void write_line(struct text *out, const struct asked_row *asked,
                       const struct string_list *columns, const struct feature_row *row)
{
    struct json_writer writer;

    writer_start(&writer, out);
    writer_open_object(&writer);
    writer_key_string(&writer, "entity_id", asked->entity_id);
    writer_key_string(&writer, "at", asked->at);
    for (size_t i = 0; i < columns->count; i++) {
        const json_t *value = json_object_get(row->data, columns->items[i]);

        if (value) {
            writer_key(&writer, columns->items[i]);
            writer_value(&writer, value);
        } else {
            writer_key_string(&writer, columns->items[i], NULL);
        }
    }
    writer_key_string(&writer, "reason", feature_reasons[row->reason]);
    writer_close_object(&writer);
    text_append(out, "\n", 1);
}

/* A text by the rules of CSV, another value as JSON has it, nothing for null. */
static void append_value(struct text *out, struct arena *arena, const json_t *value)
{
    struct json_writer writer;
    struct text text;

    if (json_is_number(value) || json_is_boolean(value)) {
        text_append(out, ",", 1);
        writer_start(&writer, out);
        writer_value(&writer, value);
    } else if (json_is_object(value) || json_is_array(value)) {
        text_start(&text, arena, CELL_BYTES_MAX);
        writer_start(&writer, &text);
        writer_value(&writer, value);
        csv_append_cell(out, false, text.bytes);
    } else {
        csv_append_cell(out, false, json_string_value(value));
    }
}

static void write_cells(struct text *out, struct arena *arena, const struct asked_row *asked,
                        const struct string_list *columns, const struct feature_row *row)
{
    const char *reason = feature_reasons[row->reason];

    csv_append_cell(out, true, asked->entity_id);
    csv_append_cell(out, false, asked->at ? asked->at : "");
    for (size_t i = 0; i < columns->count; i++)
        append_value(out, arena, json_object_get(row->data, columns->items[i]));
    csv_append_cell(out, false, reason ? reason : "");
    csv_end_line(out);
}

static void write_head(struct text *out, const struct string_list *columns)
{
    csv_append_cell(out, true, "entity_id");
    csv_append_cell(out, false, "at");
    for (size_t i = 0; i < columns->count; i++)
        csv_append_cell(out, false, columns->items[i]);
    csv_append_cell(out, false, "reason");
    csv_end_line(out);
}

/* Nobody waits for the rest of the rows of a client that has left. */
static enum error check_client(struct request *request, size_t row)
{
    if (row % ROWS_BETWEEN_LOOKS || !request_gone(request))
        return ERROR_NONE;
    return problem_set(&request->problem, ERROR_UNAVAILABLE, "client_gone", "the client has left");
}

static enum error write_rows(struct request *request, struct reply *reply,
                             const struct reading *reading, const struct features_body *body,
                             const struct entity_type *type, const struct string_list *columns,
                             const int64_t *times)
{
    struct arena *version = arena_create_below(request->arena, VERSION_BYTES_MAX);
    const struct asked_row *rows = body->rows.items;
    struct feature_row row;
    int64_t kept_since;
    enum error error = features_begin(reading, &kept_since);

    if (body->format == FORMAT_CSV)
        write_head(&reply->body, columns);
    for (size_t i = 0; !error && i < body->rows.count; i++) {
        arena_reset(version);
        error = check_client(request, i);
        if (!error)
            error =
                feature_read(reading, version, type, rows[i].entity_id, times[i], kept_since, &row);
        if (!error && body->format == FORMAT_CSV)
            write_cells(&reply->body, version, &rows[i], columns, &row);
        else if (!error)
            write_line(&reply->body, &rows[i], columns, &row);
    }
    return error;
}

enum error features_handle(struct request *request, struct reply *reply)
{
    const struct features_body *body = request->body;
    int64_t *times = ARENA_ARRAY(request->arena, int64_t, body->rows.count + 1);
    struct string_list columns = body->columns;
    const struct entity_type *type;
    struct reading reading;
    enum error error = service_reading(request, &reading);

    if (!error)
        error = find_readable_type(&reading, body->entity_type, &type);
    if (!error)
        error = table_served(type->table, &request->problem);
    if (!error)
        error = check_columns(request, type, &columns);
    if (!error)
        error = check_times(request, &reading, body, times);
    if (!error)
        error = write_rows(request, reply, &reading, body, type, &columns, times);
    reply->content_type =
        body->format == FORMAT_CSV ? "text/csv; charset=utf-8" : "application/x-ndjson";
    return error;
}
