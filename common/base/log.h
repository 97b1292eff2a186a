/*
 * The log: one line per event on standard error, as a JSON object (or plain `key=value` text), in
 * ASCII for any values. Credentials inside values are masked. A line is one write, so lines of
 * several workers never mix. Fields are given in alphabetical order; `request_id`, `trace_id` and
 * `span_id` of the work at hand (base/cause.h) are added where a line has none.
 */
#ifndef ASSAY_BASE_LOG_H
#define ASSAY_BASE_LOG_H

#include <stdint.h>

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR, LOG_CRITICAL, LOG_LEVEL__MAX };
enum log_format { LOG_PLAIN, LOG_JSON, LOG_FORMAT__MAX };

extern const char *const log_level_names[LOG_LEVEL__MAX + 1];   /* NULL-terminated */
extern const char *const log_format_names[LOG_FORMAT__MAX + 1]; /* NULL-terminated */

enum {
    LOG_FIELDS_MAX = 16,
    LOG_VALUE_MAX = 1024, /* bytes of a value; longer ones are cut */
};

/* Lines below `minimum` are not written. `logger` names the program and must stay valid. */
void log_open(const char *logger, enum log_level minimum, enum log_format format);

struct log_field {
    const char *name;
    enum { LOG_TEXT, LOG_INTEGER, LOG_NUMBER } type;
    const char *text;
    int64_t integer;
    double number;
};

struct log_line {
    enum log_level level;
    const char *event;
    int count;
    struct log_field fields[LOG_FIELDS_MAX];
};

/* Begin, add fields, write. Values must stay valid until log_write. NULL texts are left out. */
void log_begin(struct log_line *line, enum log_level level, const char *event);
void log_text(struct log_line *line, const char *name, const char *value);
void log_integer(struct log_line *line, const char *name, int64_t value);
void log_number(struct log_line *line, const char *name, double value);
void log_write(struct log_line *line);

/* An event with one field, `detail`. */
void log_event(enum log_level level, const char *event, const char *detail);

/* Puts stars in place of credentials: what follows "Bearer ", "api_key=" and the like, and the user
 * part of URLs ("scheme://user:password@host"). */
void log_mask_credentials(char *text);

#endif
