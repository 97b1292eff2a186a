/* Parses the text of an answer into structs. Does not depend on providers. */
#include "experiments/advice/advice_reading.h"

#include "base/string_list.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { ANSWER_DEPTH_MAX = 32, ITEM_TEXT_MAX = 65536 };

const char *const reading_codes[READING__MAX] = {
    [READING_EMPTY] = "empty_response",       [READING_NO_OBJECT] = "missing_json_object",
    [READING_INVALID] = "invalid_json",       [READING_NO_HYPOTHESES] = "missing_hypotheses",
    [READING_NONE_LEFT] = "empty_hypotheses",
};

const char *const hypothesis_directions[2] = {"increase", "decrease"};

struct span {
    const char *start;
    size_t length;
};

static struct span trim(struct span span)
{
    while (span.length && isspace((unsigned char)*span.start))
        span.start++, span.length--;
    while (span.length && isspace((unsigned char)span.start[span.length - 1]))
        span.length--;
    return span;
}

static const char *trimmed_text(struct arena *arena, const char *text)
{
    struct span span = trim((struct span){text, strlen(text)});

    return arena_copy(arena, span.start, span.length);
}

/* The lines between the first and the last one, when both are fences. */
static struct span without_fences(struct span span)
{
    const char *first_end = memchr(span.start, '\n', span.length);
    const char *last = first_end ? memrchr(span.start, '\n', span.length) : NULL;
    size_t rest = last ? (size_t)(span.start + span.length - last - 1) : 0;

    if (!last || last == first_end || strncmp(span.start, "```", 3) != 0 || rest < 3 ||
        strncmp(last + 1, "```", 3) != 0)
        return span;
    return trim((struct span){first_end + 1, (size_t)(last - first_end - 1)});
}

static enum reading read_object(struct arena *arena, const char *text, json_t **object)
{
    struct span span = without_fences(trim((struct span){text, strlen(text)}));
    const char *open = memchr(span.start, '{', span.length);
    const char *close = memrchr(span.start, '}', span.length);
    struct json_fault fault;

    if (!span.length)
        return READING_EMPTY;
    if (!open || !close || close < open)
        return READING_NO_OBJECT;
    if (json_read(arena, open, (size_t)(close - open + 1), ANSWER_DEPTH_MAX, object, &fault))
        return READING_INVALID;
    return READING_DONE;
}

static const char *string_of(struct arena *arena, const json_t *value)
{
    return json_is_string(value) ? trimmed_text(arena, json_string_value(value)) : "";
}

/* A text as it is, anything else as JSON; "" for null. */
static const char *item_text(struct arena *arena, const json_t *value)
{
    struct json_writer writer;
    struct text text;

    if (json_is_string(value) || json_is_null(value))
        return string_of(arena, value);
    text_start(&text, arena, ITEM_TEXT_MAX);
    writer_start(&writer, &text);
    writer_value(&writer, value);
    return text.bytes;
}

/* Adds an item unless it is empty or stands there already. */
static void add_item(struct string_list *list, const char *item)
{
    if (*item)
        string_list_add_new(list, item);
}

/* At most so many pieces: every end of a line of either kind makes one more. */
static size_t count_lines(const char *text)
{
    size_t lines = 1;

    for (; *text; text++)
        lines += *text == '\n' || *text == '\r';
    return lines;
}

static struct string_list lines_of(struct arena *arena, const char *text)
{
    struct string_list list = {.items = ARENA_ARRAY(arena, const char *, count_lines(text))};

    while (*text) {
        size_t length = strcspn(text, "\r\n");
        struct span line = trim((struct span){text, length});

        add_item(&list, arena_copy(arena, line.start, line.length));
        text += length + (text[length] != '\0');
    }
    return list;
}

static struct string_list list_of(struct arena *arena, const json_t *value)
{
    struct string_list list = {.items = ARENA_ARRAY(arena, const char *, json_array_size(value))};

    if (json_is_string(value))
        return lines_of(arena, json_string_value(value));
    for (size_t i = 0; i < json_array_size(value); i++)
        add_item(&list, item_text(arena, json_array_get(value, i)));
    return list;
}

enum reading reading_advice(struct arena *arena, const char *text, struct advice_text *advice)
{
    json_t *object;
    enum reading reading = read_object(arena, text, &object);

    if (reading)
        return reading;
    *advice = (struct advice_text){
        .brief_assessment = string_of(arena, json_object_get(object, "brief_assessment")),
        .key_risks = list_of(arena, json_object_get(object, "key_risks")),
        .design_improvements = list_of(arena, json_object_get(object, "design_improvements")),
        .metric_recommendations = list_of(arena, json_object_get(object, "metric_recommendations")),
        .interpretation_pitfalls =
            list_of(arena, json_object_get(object, "interpretation_pitfalls")),
        .additional_checks = list_of(arena, json_object_get(object, "additional_checks"))};
    if (!*advice->brief_assessment && !advice->key_risks.count &&
        !advice->design_improvements.count && !advice->metric_recommendations.count &&
        !advice->interpretation_pitfalls.count && !advice->additional_checks.count)
        return READING_EMPTY;
    return READING_DONE;
}

enum reading reading_hypotheses(struct arena *arena, const char *text, size_t count,
                                struct object_list *hypotheses)
{
    struct hypothesis *items = ARENA_ARRAY(arena, struct hypothesis, count);
    json_t *object;
    enum reading reading = read_object(arena, text, &object);
    const json_t *list = reading ? NULL : json_object_get(object, "hypotheses");

    *hypotheses = (struct object_list){0, items};
    if (reading)
        return reading;
    if (!json_is_array(list))
        return READING_NO_HYPOTHESES;
    for (size_t i = 0; i < json_array_size(list) && hypotheses->count < count; i++) {
        const json_t *item = json_array_get(list, i);
        const char *change = string_of(arena, json_object_get(item, "change"));
        const char *direction = string_of(arena, json_object_get(item, "expected_direction"));

        if (*change)
            items[hypotheses->count++] = (struct hypothesis){
                .change = change,
                .rationale = string_of(arena, json_object_get(item, "rationale")),
                .primary_metric = string_of(arena, json_object_get(item, "primary_metric")),
                .expected_direction = strcasecmp(direction, hypothesis_directions[1]) == 0};
    }
    return hypotheses->count ? READING_DONE : READING_NONE_LEFT;
}
