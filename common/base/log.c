/* Writes each event as one line in one write. Does not depend on requests. */
#include "base/log.h"
#include "base/cause.h"
#include "base/clock.h"
#include "base/json.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = LOG_FIELDS_MAX * LOG_VALUE_MAX * 6 + 4096 };

const char *const log_level_names[LOG_LEVEL__MAX + 1] = {"DEBUG", "INFO",     "WARNING",
                                                         "ERROR", "CRITICAL", NULL};
const char *const log_format_names[LOG_FORMAT__MAX + 1] = {"plain", "json", NULL};

static struct {
    const char *logger;
    enum log_level minimum;
    enum log_format format;
    struct arena *arena;
} state = {.logger = "assay", .minimum = LOG_INFO, .format = LOG_JSON};

void log_open(const char *logger, enum log_level minimum, enum log_format format)
{
    state.logger = logger;
    state.minimum = minimum;
    state.format = format;
}

void log_begin(struct log_line *line, enum log_level level, const char *event)
{
    line->level = level;
    line->event = event;
    line->count = 0;
}

static void add_field(struct log_line *line, struct log_field field)
{
    if (line->count < LOG_FIELDS_MAX)
        line->fields[line->count++] = field;
}

void log_text(struct log_line *line, const char *name, const char *value)
{
    if (value)
        add_field(line, (struct log_field){.name = name, .type = LOG_TEXT, .text = value});
}

void log_integer(struct log_line *line, const char *name, int64_t value)
{
    add_field(line, (struct log_field){.name = name, .type = LOG_INTEGER, .integer = value});
}

void log_number(struct log_line *line, const char *name, double value)
{
    add_field(line, (struct log_field){.name = name, .type = LOG_NUMBER, .number = value});
}

/* At its place in the order of names, unless the line has it already. */
static void insert_text(struct log_line *line, const char *name, const char *value)
{
    int place = 0;

    while (place < line->count && strcmp(line->fields[place].name, name) < 0)
        place++;
    if (!value || line->count == LOG_FIELDS_MAX ||
        (place < line->count && strcmp(line->fields[place].name, name) == 0))
        return;
    memmove(&line->fields[place + 1], &line->fields[place],
            (size_t)(line->count - place) * sizeof line->fields[0]);
    line->fields[place] = (struct log_field){.name = name, .type = LOG_TEXT, .text = value};
    line->count++;
}

/* The ids within a traceparent, "00-<32 digits>-<16 digits>-01". */
struct trace_ids {
    char trace[33], span[17];
};
enum { TRACE_AT = 3, SPAN_AT = 36 };

/* What the work is for (base/cause.h). `ids` must live as long as the line. */
static void add_cause(struct log_line *line, struct trace_ids *ids)
{
    const char *trace = cause_trace();

    insert_text(line, "request_id", cause_request_id());
    if (!trace || strlen(trace) != CAUSE_TRACE - 1)
        return;
    memcpy(ids->trace, trace + TRACE_AT, sizeof ids->trace - 1);
    memcpy(ids->span, trace + SPAN_AT, sizeof ids->span - 1);
    insert_text(line, "span_id", ids->span);
    insert_text(line, "trace_id", ids->trace);
}

/* Text that precedes a credential in headers, queries and messages, in any case. */
static const char *const introductions[] = {"bearer ",  "api-key: ", "api_key: ", "apikey: ",
                                            "api-key=", "api_key=",  "apikey=",   "llm-token: "};

/* A quick test: each of them ends in one of these bytes, and most values contain neither. */
static bool may_hold_credentials(const char *text)
{
    return text[strcspn(text, " =")] || strstr(text, "://");
}

static void mask_after(char *text, const char *introduction)
{
    char *at = text;

    while ((at = strcasestr(at, introduction)) != NULL)
        for (at += strlen(introduction); *at && !isspace((unsigned char)*at) && *at != '&'; at++)
            *at = '*';
}

void log_mask_credentials(char *text)
{
    char *at = text;

    if (!may_hold_credentials(text))
        return;
    for (size_t i = 0; i < sizeof introductions / sizeof introductions[0]; i++)
        mask_after(text, introductions[i]);
    while ((at = strstr(at, "://")) != NULL) {
        char *authority = at + 3;
        char *end = authority + strcspn(authority, "/?# \t\"'");
        char *user_end = NULL;

        for (char *p = authority; p < end; p++)
            if (*p == '@')
                user_end = p;
        for (char *p = authority; user_end && p < user_end; p++)
            *p = '*';
        at = end;
    }
}

/* A masked copy of valid UTF-8, cut to LOG_VALUE_MAX. */
static char *safe_value(const char *value)
{
    size_t length = strnlen(value, LOG_VALUE_MAX);
    char *copy;

    length = utf8_valid_prefix(value, length);
    copy = arena_copy(state.arena, value, length);
    log_mask_credentials(copy);
    return copy;
}

static void write_field(struct json_writer *writer, const struct log_field *field)
{
    if (field->type == LOG_TEXT)
        writer_string(writer, safe_value(field->text));
    else if (field->type == LOG_INTEGER)
        writer_integer(writer, field->integer);
    else
        writer_number(writer, field->number);
}

static void json_line(const struct log_line *line, const char *now, struct text *out)
{
    struct json_writer writer;

    writer_start(&writer, out);
    writer.ascii = true;
    writer_open_object(&writer);
    writer_key(&writer, "fields");
    writer_open_object(&writer);
    for (int i = 0; i < line->count; i++) {
        writer_key(&writer, line->fields[i].name);
        write_field(&writer, &line->fields[i]);
    }
    writer_close_object(&writer);
    writer_key_string(&writer, "level", log_level_names[line->level]);
    writer_key_string(&writer, "logger", state.logger);
    writer_key_string(&writer, "message", line->event);
    writer_key_string(&writer, "timestamp", now);
    writer_close_object(&writer);
}

static void plain_line(const struct log_line *line, const char *now, struct text *out)
{
    text_append_format(out, "%s %s %s: %s", now, log_level_names[line->level], state.logger,
                       line->event);
    for (int i = 0; i < line->count; i++) {
        struct json_writer writer;

        text_append_format(out, " %s=", line->fields[i].name);
        writer_start(&writer, out);
        writer.ascii = true;
        write_field(&writer, &line->fields[i]);
    }
}

void log_write(struct log_line *line)
{
    char now[CLOCK_TEXT_MAX];
    struct trace_ids ids = {{0}, {0}};
    struct text out;
    jmp_buf no_memory;

    if (line->level < state.minimum)
        return;
    if (!state.arena && !(state.arena = arena_create(4 * LINE_MAX_BYTES)))
        return;
    add_cause(line, &ids);
    clock_format(clock_unix_microseconds(), now);
    if (setjmp(no_memory) == 0) {
        arena_on_exhausted(state.arena, &no_memory);
        text_start(&out, state.arena, LINE_MAX_BYTES);
        if (state.format == LOG_JSON)
            json_line(line, now, &out);
        else
            plain_line(line, now, &out);
        text_append_byte(&out, '\n');
        /* When the log cannot be written, there is no other channel. */
        (void)!write(STDERR_FILENO, out.bytes, out.length);
    }
    arena_on_exhausted(state.arena, NULL);
    arena_reset(state.arena);
}

void log_event(enum log_level level, const char *event, const char *detail)
{
    struct log_line line;

    log_begin(&line, level, event);
    log_text(&line, "detail", detail);
    log_write(&line);
}
