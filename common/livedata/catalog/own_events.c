/* The event types of a domain's entity: what each does with the row, and where its values are. */
#include "livedata/catalog/own_read.h"

#include "base/list.h"
#include "base/number.h"

#include <string.h>

enum { TYPE_LONGEST = 64, PATH_LONGEST = 200 };

const char *const mapping_actions[] = {"insert", "upsert", "delete", "count", NULL};

static const char *const change_members[] = {"table", "key", "columns", NULL};
static const char *const event_members[] = {"does", "key",      "version", "columns",
                                            "add",  "required", NULL};

static bool is_type(const char *name)
{
    size_t length = strlen(name);

    return length && length <= TYPE_LONGEST &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.-") == length;
}

static bool is_path(const char *path)
{
    size_t depth = 1, length = path ? strlen(path) : 0;

    if (!length || length > PATH_LONGEST || *path == '.' || path[length - 1] == '.' ||
        strstr(path, ".."))
        return false;
    for (const char *at = path; *at; at++)
        depth += *at == '.';
    return depth <= OWN_DEPTH_MAX;
}

/* A path of the file, or `preset` when it has none. */
static enum error read_path(const struct own_reader *reader, const char *place, const json_t *event,
                            const char *member, const char *preset, const char **path)
{
    const json_t *value = json_object_get(event, member);

    *path = value ? json_string_value(value) : preset;
    if (is_path(*path))
        return ERROR_NONE;
    return own_fault(reader, arena_print(reader->arena, "%s.%s", place, member),
                     "is the name of a member of the event; for one inside others, their names "
                     "with dots between");
}

static bool can_be_counted(const struct table_column *column)
{
    return column->type == COLUMN_INTEGER || column->type == COLUMN_NUMBER;
}

/* What is added: a member of the event, or the same number each time. */
static enum error read_amount(const struct own_reader *reader, const char *place,
                              const json_t *value, struct column_source *source)
{
    char number[NUMBER_TEXT_MAX];

    if (!can_be_counted(&reader->columns[source->column]))
        return own_fault(reader, place, "only integer and decimal columns can be added to");
    if (json_is_string(value) && is_path(json_string_value(value))) {
        source->path = json_string_value(value);
        return ERROR_NONE;
    }
    if (!json_is_number(value))
        return own_fault(reader, place, "is a number, or the name of a member of the event");
    if (json_is_integer(value))
        integer_format(json_integer_value(value), number);
    else
        number_format(json_number_value(value), number);
    source->amount = arena_copy_string(reader->arena, number);
    return ERROR_NONE;
}

static enum error read_source(const struct own_reader *reader, const char *place,
                              const char *column, const json_t *value,
                              struct event_mapping *mapping)
{
    struct column_source *source =
        ARRAY_ADD(reader->arena, mapping->columns, mapping->column_count);

    place = arena_print(reader->arena, "%s.%.60s", place, column);
    if (!own_find_column(reader, column, &source->column))
        return own_no_column(reader, place, column);
    if (source->column == reader->own->key)
        return own_fault(reader, place, "is the key: `key` of the event says where it is");
    if (mapping->action == MAPPING_COUNT) {
        reader->own->counts[source->column] = true;
        return read_amount(reader, place, value, source);
    }
    source->path = json_string_value(value);
    return is_path(source->path) ? ERROR_NONE
                                 : own_fault(reader, place, "is the name of a member of the event");
}

/* A map of columns and paths, or a list of columns whose members have their names. */
static enum error read_sources(const struct own_reader *reader, const char *place,
                               const json_t *value, struct event_mapping *mapping)
{
    enum error error = ERROR_NONE;
    const char *column;
    json_t *item;
    size_t i;

    if (!json_object_size(value) && !json_array_size(value))
        return own_fault(reader, place, "is a map of columns and members of the event");
    json_object_foreach((json_t *)value, column, item)
    {
        if (!error)
            error = read_source(reader, place, column, item, mapping);
    }
    json_array_foreach(value, i, item)
    {
        column = json_string_value(item);
        if (!error)
            error = column && mapping->action != MAPPING_COUNT
                        ? read_source(reader, place, column, item, mapping)
                        : own_fault(reader, place, "is a map of columns and what is added");
    }
    return error;
}

static enum error read_required(const struct own_reader *reader, const char *place,
                                const json_t *value, struct event_mapping *mapping)
{
    const json_t *item;
    size_t i;

    place = arena_print(reader->arena, "%s.required", place);
    if (value && !json_is_array(value))
        return own_fault(reader, place, "is a list of columns");
    json_array_foreach(value, i, item)
    {
        const char *name = json_string_value(item);
        size_t column, j = 0;

        if (!own_find_column(reader, name, &column))
            return own_no_column(reader, place, name);
        while (j < mapping->column_count && mapping->columns[j].column != column)
            j++;
        if (j == mapping->column_count)
            return own_fault(reader, place, "%s is not among the columns of this event", name);
        mapping->columns[j].required = true;
    }
    return ERROR_NONE;
}

static enum error read_action(const struct own_reader *reader, const char *place,
                              const json_t *event, struct event_mapping *mapping)
{
    const char *does = json_string_value(json_object_get(event, "does"));
    int position = 0;

    while (does && mapping_actions[position] && strcmp(mapping_actions[position], does) != 0)
        position++;
    if (!does || !mapping_actions[position])
        return own_fault(reader, arena_print(reader->arena, "%s.does", place), "is %s",
                         own_words(reader->arena, mapping_actions));
    mapping->action = (enum mapping_action)position;
    if ((mapping->action == MAPPING_COUNT) != (json_object_get(event, "add") != NULL))
        return own_fault(reader, place,
                         "`count`, and only it, needs `add`: columns and what is "
                         "added to them");
    if (json_object_get(event, "columns") &&
        (mapping->action == MAPPING_COUNT || mapping->action == MAPPING_DELETE))
        return own_fault(reader, place, "`columns` is for insert and upsert");
    return ERROR_NONE;
}

static enum error read_event(const struct own_reader *reader, const char *name, const json_t *event,
                             struct event_mapping *mapping)
{
    const char *place = arena_print(reader->arena, "events.%.70s", name);
    const json_t *sources;
    enum error error;

    *mapping = (struct event_mapping){.event_type = name};
    if (!is_type(name))
        return own_fault(reader, place,
                         "is no event type: lower-case letters, digits, dots, - "
                         "and _, at most %d",
                         TYPE_LONGEST);
    error = own_check_members(reader, place, event, event_members);
    if (!error)
        error = read_action(reader, place, event, mapping);
    if (!error)
        error = read_path(reader, place, event, "key", reader->table->primary_key, &mapping->key);
    if (!error)
        error = read_path(reader, place, event, "version", "version", &mapping->version);
    if (error)
        return error;
    sources = json_object_get(event, mapping->action == MAPPING_COUNT ? "add" : "columns");
    if (sources)
        error = read_sources(reader,
                             arena_print(reader->arena, "%s.%s", place,
                                         mapping->action == MAPPING_COUNT ? "add" : "columns"),
                             sources, mapping);
    return error;
}

/* Without `columns` an event sets all that are not counted, from members with their names. */
static void fill_sources(const struct own_reader *reader, struct event_mapping *mapping)
{
    if (mapping->column_count || mapping->action == MAPPING_COUNT ||
        mapping->action == MAPPING_DELETE)
        return;
    for (size_t i = 0; i < reader->table->column_count; i++)
        if (i != reader->own->key && !reader->own->counts[i])
            *ARRAY_ADD(reader->arena, mapping->columns, mapping->column_count) =
                (struct column_source){.column = i, .path = reader->columns[i].name};
}

/* A column is either counted or set: only then the order of arrival does not matter. */
static enum error check_sources(const struct own_reader *reader,
                                const struct event_mapping *mapping)
{
    for (size_t i = 0; i < mapping->column_count; i++)
        if (mapping->action != MAPPING_COUNT && reader->own->counts[mapping->columns[i].column])
            return own_fault(
                reader,
                arena_print(reader->arena, "events.%s.columns.%s", mapping->event_type,
                            reader->columns[mapping->columns[i].column].name),
                "another event adds to this column; a column is either added to or set");
    return ERROR_NONE;
}

enum error own_read_events(struct own_reader *reader, const json_t *events)
{
    struct own_entity *own = reader->own;
    enum error error = ERROR_NONE;
    const char *name;
    json_t *event;

    if (!json_object_size(events) || json_object_size(events) > OWN_EVENTS_MAX)
        return own_fault(reader, "events", "is a map of 1 to %d event types", OWN_EVENTS_MAX);
    own->events = ARENA_ARRAY(reader->arena, struct event_mapping, json_object_size(events));
    json_object_foreach((json_t *)events, name, event)
    {
        if (!error)
            error = read_event(reader, name, event, &own->events[own->event_count++]);
    }
    for (size_t i = 0; !error && i < own->event_count; i++) {
        fill_sources(reader, &own->events[i]);
        error = check_sources(reader, &own->events[i]);
        if (!error)
            error = read_required(
                reader, arena_print(reader->arena, "events.%s", own->events[i].event_type),
                json_object_get(json_object_get(events, own->events[i].event_type), "required"),
                &own->events[i]);
    }
    return error;
}

enum error own_read_changes(struct own_reader *reader, const json_t *changes)
{
    struct event_mapping *mapping = &reader->own->changes;
    const json_t *columns = json_object_get(changes, "columns");
    enum error error;

    if (!changes)
        return ERROR_NONE;
    *mapping = (struct event_mapping){.event_type = "change data",
                                      .action = MAPPING_INSERT,
                                      .version = "version",
                                      .of_changes = true};
    reader->own->source_table = json_string_value(json_object_get(changes, "table"));
    error = own_check_members(reader, "changes", changes, change_members);
    if (!error && !reader->own->source_table)
        error = own_fault(reader, "changes.table", "is the name of the source's table");
    if (!error)
        error =
            read_path(reader, "changes", changes, "key", reader->table->primary_key, &mapping->key);
    if (!error && columns)
        error = read_sources(reader, "changes.columns", columns, mapping);
    fill_sources(reader, mapping);
    return error ? error : check_sources(reader, mapping);
}
