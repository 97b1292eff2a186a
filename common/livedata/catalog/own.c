/* Reading the file of a domain's entity. A fault names the file, the place in it, and what would be
 * right there. */
#include "livedata/catalog/own.h"

#include "base/list.h"
#include "base/string_list.h"
#include "livedata/catalog/own_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME_LONGEST = 30, DAYS_MOST = 36500, PLACE_MAX = 200 };

static const char *const entity_members[] = {
    "name",   "description", "key",     "columns",  "relations", "indexes", "retention",
    "events", "stages",      "changes", "synonyms", "large",     NULL};
static const char *const column_members[] = {
    "type", "scale", "description", "values", "synonyms", "value_names", "high", "low", NULL};
static const char *const retention_members[] = {"days", "by", NULL};

enum error own_fault(const struct own_reader *reader, const char *place, const char *format, ...)
{
    char text[400];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return problem_set(reader->problem, ERROR_INVALID, "config_invalid", "%s: %.*s: %s",
                       reader->path, PLACE_MAX, place, text);
}

const char *own_words(struct arena *arena, const char *const *words)
{
    struct text text;

    text_start(&text, arena, 2000);
    for (size_t i = 0; words[i]; i++)
        text_append_format(&text, "%s%s", !i ? "" : words[i + 1] ? ", " : " or ", words[i]);
    return text.bytes;
}

static bool is_one_of(const char *const *words, const char *word)
{
    for (; *words; words++)
        if (strcmp(*words, word) == 0)
            return true;
    return false;
}

enum error own_check_members(const struct own_reader *reader, const char *place,
                             const json_t *object, const char *const *members)
{
    const char *name;
    json_t *value;

    if (!json_is_object(object))
        return own_fault(reader, place, "must be a map of %s", own_words(reader->arena, members));
    json_object_foreach((json_t *)object, name, value)
    {
        if (!is_one_of(members, name))
            return own_fault(reader, arena_print(reader->arena, "%s.%.60s", place, name),
                             "is not known; known are %s", own_words(reader->arena, members));
    }
    return ERROR_NONE;
}

bool own_find_column(const struct own_reader *reader, const char *name, size_t *index)
{
    for (size_t i = 0; name && reader->columns && i < reader->table->column_count; i++)
        if (strcmp(reader->columns[i].name, name) == 0) {
            *index = i;
            return true;
        }
    return false;
}

static const char *column_names(const struct own_reader *reader)
{
    const char **names = ARENA_ARRAY(reader->arena, const char *, reader->table->column_count + 1);

    for (size_t i = 0; i < reader->table->column_count; i++)
        names[i] = reader->columns[i].name;
    return own_words(reader->arena, names);
}

enum error own_no_column(const struct own_reader *reader, const char *place, const char *name)
{
    return own_fault(reader, place, "%.60s is no column; columns are %s", name ? name : "this",
                     column_names(reader));
}

/* The expressions of queries over the stored column. */
static void make_expressions(struct arena *arena, struct table_column *column)
{
    const char *name = column->name;
    int64_t unit = 1;

    column->stored = column->sqlite = column->postgres = name;
    for (int i = 0; i < column->scale; i++)
        unit *= 10;
    if (column->type == COLUMN_BOOLEAN)
        column->postgres = arena_print(arena, "CAST(%s AS INTEGER)", name);
    if (column->type == COLUMN_NUMBER) {
        column->sqlite = arena_print(arena, "%s / %lld.0", name, (long long)unit);
        column->postgres =
            arena_print(arena, "CAST(%s / %lld.0 AS DOUBLE PRECISION)", name, (long long)unit);
    }
    if (column->type == COLUMN_TIME) {
        column->sqlite = arena_print(
            arena, "strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', %s / 1000000.0, 'unixepoch')", name);
        column->postgres = arena_print(arena, "to_timestamp(%s / 1000000.0)", name);
    }
}

static enum error read_scale(const struct own_reader *reader, const char *place,
                             const json_t *value, struct table_column *column)
{
    const json_t *scale = json_object_get(value, "scale");

    if (column->type != COLUMN_NUMBER)
        return scale ? own_fault(reader, place, "scale is for decimal columns") : ERROR_NONE;
    column->scale = scale ? (int)json_integer_value(scale) : 2;
    if (scale && (!json_is_integer(scale) || json_integer_value(scale) < 0 ||
                  json_integer_value(scale) > OWN_SCALE_MAX))
        return own_fault(reader, place, "scale is 0 to %d places after the point", OWN_SCALE_MAX);
    return ERROR_NONE;
}

static enum error read_values(const struct own_reader *reader, const char *place,
                              const json_t *value, struct table_column *column)
{
    const json_t *values = json_object_get(value, "values");

    if (!values)
        return ERROR_NONE;
    column->values = json_strings(reader->arena, values);
    if (column->type != COLUMN_TEXT || !column->values.count ||
        column->values.count != json_array_size(values))
        return own_fault(reader, place, "values is a list of texts, for text columns");
    return ERROR_NONE;
}

static enum error read_column(const struct own_reader *reader, const char *name,
                              const json_t *value, struct table_column *column)
{
    const char *place = arena_print(reader->arena, "columns.%.60s", name), *type;
    enum error error = ERROR_NONE;
    int position = 0;

    if (!own_name_is_good(name, NAME_LONGEST))
        return own_fault(reader, place,
                         "is no name for a column: a lower-case letter, then letters, digits and "
                         "_, at most %d, no word of SQL, and not row_…",
                         NAME_LONGEST);
    if (!json_is_string(value))
        error = own_check_members(reader, place, value, column_members);
    if (error)
        return error;
    type = json_is_string(value) ? json_string_value(value)
                                 : json_string_value(json_object_get(value, "type"));
    while (type && column_type_names[position] && strcmp(column_type_names[position], type) != 0)
        position++;
    if (!type || !column_type_names[position])
        return own_fault(reader, place, "%.40s is no type; types are %s", type ? type : "this",
                         own_words(reader->arena, column_type_names));
    *column = (struct table_column){.name = name, .type = (enum column_type)position};
    column->description = json_string_value(json_object_get(value, "description"));
    error = read_scale(reader, place, value, column);
    if (!error)
        error = read_values(reader, place, value, column);
    make_expressions(reader->arena, column);
    return error;
}

static enum error read_columns(struct own_reader *reader, const json_t *columns)
{
    enum error error = ERROR_NONE;
    const char *name;
    json_t *value;

    if (!json_object_size(columns) || json_object_size(columns) > OWN_COLUMNS_MAX)
        return own_fault(reader, "columns", "is a map of 1 to %d columns, each with its type",
                         OWN_COLUMNS_MAX);
    reader->columns = ARENA_ARRAY(reader->arena, struct table_column, json_object_size(columns));
    reader->table->columns = reader->columns;
    json_object_foreach((json_t *)columns, name, value)
    {
        if (!error)
            error =
                read_column(reader, name, value, &reader->columns[reader->table->column_count++]);
    }
    return error;
}

/* Fields are what answers list: of a domain, all columns. */
static void make_fields(struct own_reader *reader, const json_t *columns, struct entity_type *type)
{
    const struct serving_table *table = reader->table;

    type->fields = ARENA_ARRAY(reader->arena, struct entity_field, table->column_count);
    for (size_t i = 0; i < table->column_count; i++) {
        const struct table_column *column = &table->columns[i];

        struct entity_field *field = &type->fields[type->field_count++];

        *field = (struct entity_field){
            column->name, column->description ? column->description : column->name, column};
        catalog_read_words(reader->arena, json_object_get(columns, column->name), field);
    }
}

static enum error read_index(const struct own_reader *reader, const char *place,
                             const json_t *value, struct table_index *index)
{
    size_t i, column, texts = 0;
    const json_t *item;

    if (!json_array_size(value) || json_array_size(value) > OWN_INDEXES_MAX)
        return own_fault(reader, place, "is a list of 1 to %d columns", OWN_INDEXES_MAX);
    json_array_foreach(value, i, item)
    {
        if (!own_find_column(reader, json_string_value(item), &column))
            return own_no_column(reader, place, json_string_value(item));
        index->columns[index->column_count++] = column;
        reader->own->indexed[column] = true;
        texts += reader->columns[column].type == COLUMN_TEXT ||
                 reader->columns[column].type == COLUMN_JSON;
    }
    return texts <= OWN_INDEXED_TEXTS_MAX
               ? ERROR_NONE
               : own_fault(reader, place, "has more than %d columns of text or json",
                           OWN_INDEXED_TEXTS_MAX);
}

static enum error read_indexes(const struct own_reader *reader, const json_t *indexes)
{
    enum error error = ERROR_NONE;
    const json_t *item;
    size_t i;

    if (indexes && (!json_is_array(indexes) || json_array_size(indexes) > OWN_INDEXES_MAX))
        return own_fault(reader, "indexes", "is a list of at most %d lists of columns",
                         OWN_INDEXES_MAX);
    reader->own->indexes = ARENA_ARRAY(reader->arena, struct table_index, OWN_INDEXES_MAX);
    json_array_foreach(indexes, i, item)
    {
        if (!error)
            error = read_index(reader, arena_print(reader->arena, "indexes[%zu]", i), item,
                               &reader->own->indexes[reader->own->index_count++]);
    }
    return error;
}

static enum error read_retention(const struct own_reader *reader, const json_t *retention)
{
    const json_t *days = json_object_get(retention, "days"), *by = json_object_get(retention, "by");
    enum error error;
    size_t column;

    if (!retention)
        return ERROR_NONE;
    error = own_check_members(reader, "retention", retention, retention_members);
    if (error)
        return error;
    if (!json_is_integer(days) || json_integer_value(days) < 1 ||
        json_integer_value(days) > DAYS_MOST)
        return own_fault(reader, "retention.days", "is 1 to %d days", DAYS_MOST);
    reader->own->retention_days = json_integer_value(days);
    if (!by)
        return ERROR_NONE;
    if (!own_find_column(reader, json_string_value(by), &column))
        return own_no_column(reader, "retention.by", json_string_value(by));
    if (reader->columns[column].type != COLUMN_TIME)
        return own_fault(reader, "retention.by", "%s is no time column",
                         reader->columns[column].name);
    reader->own->retention_column = reader->columns[column].stored;
    return ERROR_NONE;
}

static enum error read_key(const struct own_reader *reader, const char *key)
{
    if (!own_find_column(reader, key, &reader->own->key))
        return own_no_column(reader, "key", key);
    if (reader->columns[reader->own->key].type != COLUMN_TEXT)
        return own_fault(reader, "key",
                         "%s is no text column; keys are text (numbers in events "
                         "are taken as their digits)",
                         key);
    reader->table->primary_key = key;
    return ERROR_NONE;
}

/* Texts and stages are checked by who reads all files. */
static enum error read_names(const struct own_reader *reader, const json_t *file,
                             const struct entity_type *type)
{
    enum error error =
        own_check_members(reader, type->name ? type->name : "entity", file, entity_members);

    if (error)
        return error;
    if (!type->name || !own_name_is_good(type->name, NAME_LONGEST))
        return own_fault(reader, "name",
                         "is a lower-case letter, then letters, digits and _, at most %d, and no "
                         "word of SQL",
                         NAME_LONGEST);
    if (json_object_get(file, "large") && !json_is_boolean(json_object_get(file, "large")))
        return own_fault(reader, "large", "is true or false");
    return type->description ? ERROR_NONE : own_fault(reader, "description", "is needed");
}

enum error catalog_load_own(struct arena *arena, const char *path, const json_t *file,
                            struct entity_type *type, struct problem *problem)
{
    struct own_entity *own = ARENA_NEW(arena, struct own_entity);
    struct serving_table *table = ARENA_NEW(arena, struct serving_table);
    struct own_reader reader = {
        .arena = arena, .path = path, .problem = problem, .table = table, .own = own};
    enum error error;

    type->table = table;
    type->primary_key = catalog_text(file, "key", arena);
    error = read_names(&reader, file, type);
    if (error)
        return error;
    *own = (struct own_entity){.name = type->name,
                               .domain = type->domain->name,
                               .large = json_is_true(json_object_get(file, "large")),
                               .serving = ARENA_NEW(arena, struct own_serving)};
    *table = (struct serving_table){
        .name = arena_print(arena, "own_%s_%s", type->domain->name, type->name),
        .entity = type->name,
        .own = own};
    error = read_columns(&reader, json_object_get(file, "columns"));
    if (!error)
        error = read_key(&reader, type->primary_key);
    if (!error)
        error = read_indexes(&reader, json_object_get(file, "indexes"));
    if (!error)
        error = read_retention(&reader, json_object_get(file, "retention"));
    if (!error)
        error = own_read_events(&reader, json_object_get(file, "events"));
    if (!error)
        error = own_read_changes(&reader, json_object_get(file, "changes"));
    if (error)
        return error;
    type->relationships = json_object_get(file, "relations");
    make_fields(&reader, json_object_get(file, "columns"), type);
    own_make_statements(arena, table, own);
    return own_make_contract(arena, table, own, problem);
}
