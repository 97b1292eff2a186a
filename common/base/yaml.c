/* Converts libyaml's events to JSON text, which the strict reader then reads. The same rules for
 * duplicate keys, UTF-8 and depth apply. */
#include "base/yaml.h"

#include "base/number.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

enum { YAML_BYTES_MAX = 4 * 1024 * 1024, YAML_DEPTH_MAX = 32 };

struct reading {
    const char *path;
    yaml_parser_t parser;
    yaml_event_t event; /* the current event */
    struct json_writer writer;
    struct problem *problem;
    int depth;
    bool in_map[YAML_DEPTH_MAX];
    bool at_key[YAML_DEPTH_MAX]; /* of a map: a key comes next */
    bool begun;                  /* the document has a value */
};

static enum error refuse(struct reading *reading, size_t line, const char *what)
{
    return problem_set(reading->problem, ERROR_MALFORMED, "config_malformed", "%s, line %zu: %s",
                       reading->path, line + 1, what);
}

/* A number as JSON spells it: -?digits[.digits][e…], no leading zero. */
static bool is_number(const char *text)
{
    const char *digits = text + (*text == '-');
    double value;

    if (!isdigit((unsigned char)*digits) || (digits[0] == '0' && isdigit((unsigned char)digits[1])))
        return false;
    if (text[strlen(text) - 1] == '.' || isspace((unsigned char)text[strlen(text) - 1]))
        return false;
    return strspn(digits, "0123456789.eE+-") == strlen(digits) && number_parse(text, &value);
}

static void write_plain(struct json_writer *writer, const char *text)
{
    if (!*text || strcmp(text, "null") == 0 || strcmp(text, "~") == 0)
        writer_null(writer);
    else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        writer_boolean(writer, *text == 't');
    else if (is_number(text))
        writer_raw(writer, text);
    else
        writer_string(writer, text);
}

static enum error take_scalar(struct reading *reading, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    int at = reading->depth - 1;

    if (event->data.scalar.anchor ||
        (event->data.scalar.tag && !event->data.scalar.quoted_implicit))
        return refuse(reading, event->start_mark.line, "anchors and tags are not read");
    if (strlen(text) != event->data.scalar.length)
        return refuse(reading, event->start_mark.line, "a NUL character");
    if (at >= 0 && reading->in_map[at] && reading->at_key[at]) {
        writer_key(&reading->writer, text);
        reading->at_key[at] = false;
        return ERROR_NONE;
    }
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        write_plain(&reading->writer, text);
    else
        writer_string(&reading->writer, text);
    if (at >= 0)
        reading->at_key[at] = true;
    return ERROR_NONE;
}

static enum error open_scope(struct reading *reading, const yaml_event_t *event, bool map)
{
    int at = reading->depth - 1;

    if (at >= 0 && reading->in_map[at] && reading->at_key[at])
        return refuse(reading, event->start_mark.line, "a key that is no scalar");
    if (reading->depth == YAML_DEPTH_MAX)
        return refuse(reading, event->start_mark.line, "too many levels");
    if (at >= 0)
        reading->at_key[at] = true;
    reading->in_map[reading->depth] = map;
    reading->at_key[reading->depth++] = true;
    if (map)
        writer_open_object(&reading->writer);
    else
        writer_open_array(&reading->writer);
    return ERROR_NONE;
}

static void close_scope(struct reading *reading, bool map)
{
    reading->depth--;
    if (map)
        writer_close_object(&reading->writer);
    else
        writer_close_array(&reading->writer);
}

static enum error take_event(struct reading *reading, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (reading->begun)
            return refuse(reading, event->start_mark.line, "a second document");
        reading->begun = true;
        return ERROR_NONE;
    case YAML_ALIAS_EVENT:
        return refuse(reading, event->start_mark.line, "aliases are not read");
    case YAML_SCALAR_EVENT:
        return take_scalar(reading, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_scope(reading, event, false);
    case YAML_MAPPING_START_EVENT:
        return open_scope(reading, event, true);
    case YAML_SEQUENCE_END_EVENT:
        close_scope(reading, false);
        return ERROR_NONE;
    case YAML_MAPPING_END_EVENT:
        close_scope(reading, true);
        return ERROR_NONE;
    default:
        return ERROR_NONE;
    }
}

static enum error take_events(struct reading *reading)
{
    enum error error = ERROR_NONE;
    bool ended = false;

    while (!error && !ended) {
        if (!yaml_parser_parse(&reading->parser, &reading->event))
            return reading->parser.error == YAML_MEMORY_ERROR
                       ? problem_set(reading->problem, ERROR_SYSTEM, "out_of_memory",
                                     "no memory for %s", reading->path)
                       : refuse(reading, reading->parser.problem_mark.line,
                                reading->parser.problem ? reading->parser.problem : "not YAML");
        ended = reading->event.type == YAML_STREAM_END_EVENT;
        error = take_event(reading, &reading->event);
        yaml_event_delete(&reading->event);
    }
    return error;
}

static void end_reading(void *thing)
{
    struct reading *reading = thing;

    yaml_event_delete(&reading->event);
    yaml_parser_delete(&reading->parser);
}

static enum error read_bytes(struct arena *arena, const char *path, struct text *bytes,
                             struct problem *problem)
{
    struct arena_guard *guard = arena_guard(arena, arena_close_file);
    FILE *file = guard->thing = fopen(path, "re");
    char piece[8192];
    size_t count;

    if (!file)
        return problem_set(problem, errno == ENOENT ? ERROR_NOT_FOUND : ERROR_SYSTEM,
                           "config_unreadable", "%s: %s", path, strerror(errno));
    text_start(bytes, arena, YAML_BYTES_MAX);
    while ((count = fread(piece, 1, sizeof piece, file)) > 0)
        text_append(bytes, piece, count);
    arena_guard_end(guard);
    return bytes->overflowed ? problem_set(problem, ERROR_TOO_LARGE, "config_unreadable",
                                           "%s: the file is too large", path)
                             : ERROR_NONE;
}

enum error yaml_read(struct arena *arena, const char *name, const char *bytes, size_t length,
                     json_t **document, struct problem *problem)
{
    struct reading *reading = ARENA_NEW(arena, struct reading);
    struct arena_guard *guard = arena_guard(arena, end_reading);
    struct json_fault fault;
    struct text json;
    enum error error;

    reading->path = name;
    reading->problem = problem;
    if (!yaml_parser_initialize(&reading->parser))
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for %s", name);
    guard->thing = reading;
    text_start(&json, arena, 4 * (size_t)YAML_BYTES_MAX);
    writer_start(&reading->writer, &json);
    yaml_parser_set_input_string(&reading->parser, (const unsigned char *)bytes, length);
    error = take_events(reading);
    arena_guard_end(guard);
    if (error)
        return error;
    if (!json.length)
        text_append_string(&json, "null");
    if (json.overflowed ||
        json_read(arena, json.bytes, json.length, YAML_DEPTH_MAX + 1, document, &fault))
        return problem_set(problem, ERROR_MALFORMED, "config_malformed", "%s: %s", name,
                           json.overflowed ? "too large" : fault.text);
    return ERROR_NONE;
}

enum error yaml_read_file(struct arena *arena, const char *path, json_t **document,
                          struct problem *problem)
{
    struct text bytes;
    enum error error = read_bytes(arena, path, &bytes, problem);

    return error ? error : yaml_read(arena, path, bytes.bytes, bytes.length, document, problem);
}
