/* Each line is read as JSON first. Sends nothing. */
#include "telemetry/log_export.h"

#include "base/json.h"
#include "base/protobuf.h"
#include "base/timestamp.h"
#include "telemetry/trace.h"

#include <stdio.h>
#include <string.h>

/* Fields of opentelemetry/proto/collector/logs/v1 and logs/v1/logs.proto. */
enum {
    REQUEST_RESOURCE_LOGS = 1,
    RESOURCE_LOGS_RESOURCE = 1,
    RESOURCE_LOGS_SCOPE_LOGS = 2,
    SCOPE_LOGS_SCOPE = 1,
    SCOPE_LOGS_RECORDS = 2,
    RECORD_TIME = 1,
    RECORD_SEVERITY = 2,
    RECORD_SEVERITY_TEXT = 3,
    RECORD_BODY = 5,
    RECORD_ATTRIBUTES = 6,
    RECORD_TRACE_ID = 9,
    RECORD_SPAN_ID = 10,
    RECORD_OBSERVED = 11
};

/* SeverityNumber. */
static const unsigned severities[LOG_LEVEL__MAX] = {
    [LOG_DEBUG] = 5, [LOG_INFO] = 9, [LOG_WARNING] = 13, [LOG_ERROR] = 17, [LOG_CRITICAL] = 21};

const char *log_export_service(struct arena *arena, const char *file)
{
    return arena_copy(arena, file, strcspn(file, "-"));
}

/* What nginx, the supervisors and libraries call their lines. */
static enum log_level level_of_text(const char *line)
{
    static const struct {
        const char *word;
        enum log_level level;
    } words[] = {{"[emerg]", LOG_CRITICAL},  {"[alert]", LOG_CRITICAL}, {"[crit]", LOG_CRITICAL},
                 {"CRITICAL", LOG_CRITICAL}, {"[error]", LOG_ERROR},    {"ERROR", LOG_ERROR},
                 {"rror:", LOG_ERROR},       {"[warn]", LOG_WARNING},   {"WARNING", LOG_WARNING}};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(line, words[i].word))
            return words[i].level;
    return LOG_INFO;
}

static enum log_level level_of_name(const char *name)
{
    for (int level = 0; level < LOG_LEVEL__MAX; level++)
        if (name && strcmp(name, log_level_names[level]) == 0)
            return (enum log_level)level;
    return LOG_INFO;
}

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static void append_severity(struct text *out, enum log_level level)
{
    protobuf_integer(out, RECORD_SEVERITY, severities[level]);
    protobuf_string(out, RECORD_SEVERITY_TEXT, log_level_names[level]);
}

static void append_field(struct text *out, const char *name, const json_t *value)
{
    if (json_is_string(value))
        otlp_append_text(out, RECORD_ATTRIBUTES, name, json_string_value(value));
    else if (json_is_integer(value))
        otlp_append_integer(out, RECORD_ATTRIBUTES, name, json_integer_value(value));
    else if (json_is_number(value))
        otlp_append_number(out, RECORD_ATTRIBUTES, name, json_number_value(value));
}

/* The trace and the span as base/log.c writes them; an id that is none is an attribute only. */
static void append_trace(struct text *out, const json_t *fields)
{
    const char *trace = text_of(fields, "trace_id"), *span = text_of(fields, "span_id");
    struct trace_context context;
    char traceparent[TRACEPARENT_MAX];
    int length =
        trace && span ? snprintf(traceparent, sizeof traceparent, "00-%s-%s-01", trace, span) : 0;

    if (length != TRACEPARENT_MAX - 1 || !trace_context_read(traceparent, &context))
        return;
    protobuf_bytes(out, RECORD_TRACE_ID, context.trace_id, TRACE_ID_BYTES);
    protobuf_bytes(out, RECORD_SPAN_ID, context.span_id, SPAN_ID_BYTES);
}

static int64_t time_of(const json_t *entry, int64_t otherwise)
{
    const char *text = text_of(entry, "timestamp");
    int64_t moment;

    return text && timestamp_from_iso(text, &moment) ? moment : otherwise;
}

static void append_entry(struct text *out, const struct log_source *source, const json_t *entry)
{
    json_t *fields = json_object_get(entry, "fields"), *value;
    const char *name, *logger = text_of(entry, "logger"), *body = text_of(entry, "message");

    protobuf_fixed64(out, RECORD_TIME, (uint64_t)time_of(entry, source->read_at) * 1000);
    append_severity(out, level_of_name(text_of(entry, "level")));
    otlp_append_any_text(out, RECORD_BODY, body ? body : "");
    if (logger)
        otlp_append_text(out, RECORD_ATTRIBUTES, "logger", logger);
    json_object_foreach(fields, name, value) append_field(out, name, value);
    append_trace(out, fields);
}

/* Of a query and of the path of a shared report, the length of what stands before the secret. */
static size_t before_secret(const char *at)
{
    static const char share[] = "/share/";

    if (*at == '?')
        return 1;
    return strncmp(at, share, sizeof share - 1) == 0 ? sizeof share - 1 : 0;
}

/* nginx writes request lines and referrers into its error log as they came. */
static void hide_secrets(char *line)
{
    char *to = line;

    for (const char *from = line; *from;) {
        size_t kept = before_secret(from);

        memmove(to, from, kept ? kept : 1);
        to += kept ? kept : 1;
        from += kept ? kept + strcspn(from + kept, " \"'") : 1;
    }
    *to = '\0';
    log_mask_credentials(line);
}

static void append_line(struct text *out, const struct log_source *source, char *line)
{
    hide_secrets(line);
    protobuf_fixed64(out, RECORD_TIME, (uint64_t)source->read_at * 1000);
    append_severity(out, level_of_text(line));
    otlp_append_any_text(out, RECORD_BODY, line);
}

/* False for a line below the least level, and for an empty one. */
static bool append_record(struct arena *arena, const struct log_source *source, char *line,
                          struct text *out)
{
    struct json_fault fault;
    json_t *entry = NULL;
    bool is_ours =
        *line == '{' && !json_read(arena, line, strlen(line), JSON_DEPTH_LIMIT, &entry, &fault);
    enum log_level level = is_ours ? level_of_name(text_of(entry, "level")) : level_of_text(line);
    size_t record;

    if (!*line || level < source->least)
        return false;
    record = protobuf_begin(out, SCOPE_LOGS_RECORDS);
    if (is_ours)
        append_entry(out, source, entry);
    else
        append_line(out, source, line);
    protobuf_fixed64(out, RECORD_OBSERVED, (uint64_t)source->read_at * 1000);
    otlp_append_text(out, RECORD_ATTRIBUTES, "log.file.name",
                     arena_print(arena, "%s.log", source->file));
    protobuf_end(out, record);
    return true;
}

size_t log_export_append(struct arena *arena, const struct log_source *source, const char *lines,
                         size_t length, struct text *out)
{
    size_t logs = protobuf_begin(out, REQUEST_RESOURCE_LOGS), scope, records = 0;
    char *at = arena_copy(arena, lines, length);

    otlp_append_resource(out, RESOURCE_LOGS_RESOURCE, source->service_name);
    scope = protobuf_begin(out, RESOURCE_LOGS_SCOPE_LOGS);
    otlp_append_scope(out, SCOPE_LOGS_SCOPE);
    while (*at) {
        char *line = at, *end = at + strcspn(at, "\n");

        at = *end ? end + 1 : end;
        *end = '\0';
        records += append_record(arena, source, line, out);
    }
    protobuf_end(out, scope);
    protobuf_end(out, logs);
    return records;
}
