/* The prompt, the call and the parsing of the reply. */
#include "livedata/query/model.h"

#include "base/string_list.h"
#include "livedata/timestamp.h"
#include "net/fetch.h"

#include <string.h>

enum {
    PROMPT_BYTES_MAX = 64 * 1024,
    ANSWER_BYTES_MAX = 1024 * 1024,
    ATTEMPTS = 2,
    TEXT_SEARCHED_MAX = 20000,
    BRACES_TRIED = 50
};

static const char form[] =
    "Answer with one JSON object and nothing else, in this form:\n"
    "{\"entity\": name, \"select\": \"rows|record|count|sum|average|min|max|distinct|quantile|"
    "metric\", \"column\": path or null, \"metric\": name or null, \"key\": id or null, "
    "\"filters\": [{\"column\": path, \"op\": \"=|!=|<|<=|>|>=|between|in|not_in|contains|is_null|"
    "is_not_null\", \"values\": [...]}], \"period\": {\"from\": time or null, \"to\": time or "
    "null} "
    "or null, \"group_by\": [paths, and one of hour, day, week, month], \"order\": {\"by\": "
    "\"value\" or path, \"descending\": true or false} or null, \"limit\": number or null, "
    "\"compare\": {\"from\": time, \"to\": time} or null, \"quantile\": number or null}\n"
    "A path is a column of the entity, or `relation.column` of a related one. Times are ISO 8601. "
    "`to` is not included. If the question cannot be answered whole from these entities, answer "
    "{}.\n";

static void describe_entity(struct text *prompt, const struct entity_type *type)
{
    text_append_format(prompt, "\nEntity %s (%s), key %s\n", type->name, type->description,
                       type->primary_key);
    for (size_t i = 0; i < type->field_count; i++) {
        const struct entity_field *field = &type->fields[i];
        const struct string_list *values =
            field->column->values.count ? &field->column->values : &field->values;

        text_append_format(prompt, "  %s %s: %s", field->name,
                           column_type_names[field->column->type], field->text);
        for (size_t j = 0; j < values->count; j++)
            text_append_format(prompt, "%s%s", j ? ", " : " — one of ", values->items[j]);
        text_append_string(prompt, "\n");
    }
    for (size_t i = 0; i < type->relation_count; i++)
        text_append_format(prompt, "  relation %s, by %s\n", type->relations[i].to->name,
                           type->relations[i].column->name);
}

static void describe(struct text *prompt, const struct catalog *catalog,
                     const struct string_list *allowed)
{
    for (size_t i = 0; i < catalog->entity_count; i++)
        if (string_list_has(allowed, catalog->entities[i].table->name))
            describe_entity(prompt, &catalog->entities[i]);
    for (size_t i = 0; i < catalog->metric_count; i++) {
        const struct live_metric *metric = &catalog->metrics[i];
        const struct entity_type *type = catalog_entity_of_table(catalog, metric->table);

        if (metric->measure && string_list_has(allowed, metric->table->name))
            text_append_format(prompt, "\nMetric %s of %s: %s", metric->name,
                               type ? type->name : "no entity", metric->description);
    }
}

/* NULL when the entities alone are too long: no model is asked about a part. */
static const char *prompt_for(const struct plan_context *context, const struct catalog *catalog,
                              const struct string_list *allowed, const char *question,
                              const char *refusal)
{
    char now[TIMESTAMP_TEXT];
    struct text prompt;

    timestamp_format_seconds(context->now, now);
    text_start(&prompt, context->arena, PROMPT_BYTES_MAX);
    text_append_string(&prompt, "Plan the answer to a question over these entities.\n");
    describe(&prompt, catalog, allowed);
    text_append_format(&prompt, "\n\nIt is %s now; the calendar is that of %s.\n%s\nQuestion: %s\n",
                       now, context->zone, form, question);
    if (refusal)
        text_append_format(&prompt, "\nYour last plan was refused: %s\nCorrect it.\n", refusal);
    return prompt.overflowed ? NULL : prompt.bytes;
}

static const char *ask(struct arena *arena, const struct livedata_settings *settings,
                       const char *prompt)
{
    double seconds = settings->orchestrator_timeout_seconds;
    struct json_writer writer;
    struct json_fault fault;
    struct fetch_answer answer;
    struct text body;
    json_t *json;

    text_start(&body, arena, (size_t)2 * PROMPT_BYTES_MAX);
    writer_start(&writer, &body);
    writer_open_object(&writer);
    writer_key_string(&writer, "prompt", prompt);
    writer_key_string(&writer, "model", settings->orchestrator_model);
    writer_close_object(&writer);
    struct fetch_request request = {
        .url = arena_print(arena, "%s/api/v1/orchestrate", settings->orchestrator_url),
        .body = body.bytes,
        .body_length = body.length,
        .headers = {{"Content-Type", "application/json"}},
        .header_count = 1,
        .answer_max = ANSWER_BYTES_MAX,
        .private_too = true,
        .policy = {.connect_seconds = 5,
                   .attempt_seconds = seconds,
                   .total_seconds = seconds,
                   .attempts = 1,
                   .pause_factor = 1}};

    fetch(arena, &request, &answer);
    if (answer.outcome != FETCH_ANSWERED || answer.status / 100 != 2 ||
        json_read(arena, answer.body, answer.length, JSON_DEPTH_LIMIT, &json, &fault))
        return NULL;
    return json_string_value(json_object_get(json, "output_text"));
}

static bool read_plan(struct arena *arena, const json_t *json, struct typed_plan *plan)
{
    struct schema_errors errors = {.arena = arena};
    const json_t *inner = json_object_get(json, "plan");

    *plan = (struct typed_plan){0};
    return json_object_size(json) &&
           schema_decode(&typed_plan_schema, json_is_object(inner) ? inner : json, "plan", plan,
                         &errors, arena) == ERROR_NONE;
}

/* How long the object is that begins there, by its braces outside strings; 0 when it does not end.
 */
static size_t object_length(const char *text)
{
    size_t depth = 0;
    bool quoted = false;

    for (const char *at = text; *at; at++) {
        if (quoted && *at == '\\' && at[1])
            at++;
        else if (*at == '"')
            quoted = !quoted;
        else if (!quoted && *at == '{')
            depth++;
        else if (!quoted && *at == '}' && --depth == 0)
            return (size_t)(at - text) + 1;
    }
    return 0;
}

/* The first object among the first braces. Raw line ends inside strings, which models often write,
 * become blanks. */
bool model_find_plan(struct arena *arena, const char *text, struct typed_plan *plan)
{
    char *copy = arena_copy_string(arena, text);
    const char *at = strchr(copy, '{');

    if (strlen(text) > TEXT_SEARCHED_MAX)
        return false;
    for (char *byte = copy; *byte; byte++)
        if (*byte == '\n' || *byte == '\r' || *byte == '\t')
            *byte = ' ';
    for (int i = 0; at && i < BRACES_TRIED; i++, at = strchr(at + 1, '{')) {
        size_t length = object_length(at);
        struct json_fault fault;
        json_t *json;

        if (length && json_read(arena, at, length, JSON_DEPTH_LIMIT, &json, &fault) == ERROR_NONE)
            return read_plan(arena, json, plan);
    }
    return false;
}

static bool is_allowed(const struct compiled_plan *compiled, const struct string_list *allowed)
{
    for (size_t i = 0; i < compiled->tables.count; i++)
        if (!string_list_has(allowed, compiled->tables.items[i]))
            return false;
    return true;
}

bool model_propose(const struct plan_context *context, const struct catalog *catalog,
                   const struct string_list *allowed, const char *question, struct typed_plan *plan)
{
    struct problem why = {0};

    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        const char *prompt =
            prompt_for(context, catalog, allowed, question, attempt ? why.text : NULL);
        const char *text = prompt ? ask(context->arena, context->settings, prompt) : NULL;
        struct compiled_plan compiled;

        if (!text || !model_find_plan(context->arena, text, plan))
            return false;
        if (typed_compile(context->arena, catalog, plan, &compiled, &why) == ERROR_NONE)
            return is_allowed(&compiled, allowed);
    }
    return false;
}
