/*
 * Reversible redaction of personal data: values become placeholders like `[EMAIL_1]`, and an answer
 * that holds placeholders gets the values back, as a whole or in pieces. One redaction is for texts
 * that belong together: the same value has the same placeholder in all of them. Placeholders that
 * somebody typed himself stay what they are; numbers then begin above his.
 */
#ifndef ASSAY_TEXT_REDACTION_H
#define ASSAY_TEXT_REDACTION_H

#include "base/json.h"
#include "text/personal_data.h"

enum { REDACTION_PLACEHOLDER_MAX = 24 };

struct redaction;

/* Lives as long as the arena. */
struct redaction *redaction_start(struct arena *arena);

/* Looks for placeholders that were typed. All texts of a request are shown to it before the first
 * one is hidden. */
void redaction_note_typed(struct redaction *redaction, const char *text);

/* The text with values replaced; the same text when there are none. NULL gives NULL, as in all
 * functions here. */
const char *redaction_hide(struct redaction *redaction, const char *text);

/* A JSON text: its strings, and with `numbers` its integers too, which then become strings. What is
 * no JSON is taken as a plain text. */
const char *redaction_hide_json(struct redaction *redaction, const char *json, bool numbers);

/* The same for a parsed value: names of members stay. */
const json_t *redaction_hide_value(struct redaction *redaction, const json_t *value);

/* The text with the values of its placeholders. In a JSON text they are escaped. */
const char *redaction_show(struct redaction *redaction, const char *text);
const char *redaction_show_json(struct redaction *redaction, const char *json);

/* Whether anything was hidden. */
bool redaction_hides(const struct redaction *redaction);

/* An answer that comes in pieces. The end of a piece that may be the beginning of a placeholder
 * waits for the next piece. Zeroed, with the redaction set. */
struct redaction_stream {
    struct redaction *redaction;
    bool is_json;
    size_t length;
    char waiting[REDACTION_PLACEHOLDER_MAX + 1];
};

/* Appends what can be told of the piece. */
void redaction_stream_take(struct redaction_stream *stream, const char *bytes, size_t length,
                           struct text *out);

/* Appends what waits. */
void redaction_stream_end(struct redaction_stream *stream, struct text *out);

#endif
