/* The texts of the prompts. Does not depend on providers. */
#include "experiments/advice/advice_prompt.h"

#include <string.h>

enum {
    PROMPT_MAX = 32 * 1024 * 1024,           /* bytes; a body of 1 MiB grows sixfold at most */
    NESTING_MAX = JSON_WRITER_DEPTH_MAX - 4, /* of the context; deeper values are omitted */
    INDENT = 2
};

static const char advice_task[] =
    "You are an experienced advisor on the design of A/B tests. Review the experiment described "
    "below: its hypothesis, setup, metrics, constraints, the calculated sample size and duration, "
    "and the warnings. Say what threatens a trustworthy result and what to change before launch. "
    "Be specific to this experiment; do not repeat the input.\n"
    "Answer with JSON only: no code fences and no words before or after it.\n";

static const char advice_shape[] = "{\n"
                                   "  \"brief_assessment\": \"two or three sentences\",\n"
                                   "  \"key_risks\": [\"...\"],\n"
                                   "  \"design_improvements\": [\"...\"],\n"
                                   "  \"metric_recommendations\": [\"...\"],\n"
                                   "  \"interpretation_pitfalls\": [\"...\"],\n"
                                   "  \"additional_checks\": [\"...\"]\n"
                                   "}\n";

static const char hypotheses_task[] =
    "You are an experienced advisor on the design of A/B tests. Propose %lld distinct, testable "
    "hypotheses for the product described below. Each names one concrete change, the metric that "
    "it moves, the direction, and a rationale of one sentence that rests on the baseline and the "
    "traffic given. No two may test the same change.\n"
    "Answer with JSON only: no code fences and no words before or after it.\n";

static const char hypotheses_shape[] = "{\n"
                                       "  \"hypotheses\": [\n"
                                       "    {\n"
                                       "      \"change\": \"...\",\n"
                                       "      \"rationale\": \"...\",\n"
                                       "      \"primary_metric\": \"...\",\n"
                                       "      \"expected_direction\": \"increase or decrease\"\n"
                                       "    }\n"
                                       "  ]\n"
                                       "}\n";

static void write_given(struct json_writer *writer, const json_t *value);

static void write_members(struct json_writer *writer, const json_t *value)
{
    json_t *object = (json_t *)(uintptr_t)value; /* iterated, not changed */

    writer_open_object(writer);
    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
        if (json_is_null(json_object_iter_value(at)))
            continue;
        writer_key(writer, json_object_iter_key(at));
        write_given(writer, json_object_iter_value(at));
    }
    writer_close_object(writer);
}

/* A value without the null members of its objects. */
static void write_given(struct json_writer *writer, const json_t *value)
{
    if (writer->depth >= NESTING_MAX && (json_is_object(value) || json_is_array(value))) {
        writer_null(writer);
    } else if (json_is_object(value)) {
        write_members(writer, value);
    } else if (json_is_array(value)) {
        writer_open_array(writer);
        for (size_t i = 0; i < json_array_size(value); i++)
            write_given(writer, json_array_get(value, i));
        writer_close_array(writer);
    } else {
        writer_value(writer, value);
    }
}

/* Instruction, context, schema. */
static const char *compose(struct arena *arena, const char *task, const json_t *context,
                           const char *shape)
{
    struct text prompt;
    struct json_writer writer;

    text_start(&prompt, arena, PROMPT_MAX);
    text_append_string(&prompt, task);
    text_append_string(&prompt, "\nExperiment:\n");
    writer_start(&writer, &prompt);
    writer.ascii = true;
    writer.indent = INDENT;
    write_given(&writer, context);
    text_append_string(&prompt, "\n\nThe JSON has exactly this shape:\n");
    text_append_string(&prompt, shape);
    return prompt.bytes;
}

const char *advice_prompt(struct arena *arena, const json_t *context)
{
    return compose(arena, advice_task, context, advice_shape);
}

const char *hypotheses_prompt(struct arena *arena, const json_t *context, int64_t count)
{
    return compose(arena, arena_print(arena, hypotheses_task, (long long)count), context,
                   hypotheses_shape);
}

/* The blocks of a design under the names that the context has for them. */
static void write_blocks(struct json_writer *writer, const struct experiment_payload *payload)
{
    for (size_t i = 0; i < payload_schema.field_count; i++) {
        const struct field *block = &payload_schema.fields[i];
        const void *value = *(const void *const *)((const char *)payload + block->offset);

        if (!value)
            continue;
        writer_key(writer, strcmp(block->name, "project") == 0 ? "project_context" : block->name);
        schema_write(writer, block->schema, value);
    }
}

const char *advice_context(struct arena *arena, const struct experiment_payload *payload,
                           const struct calculation *calculation)
{
    const struct object_list *warnings = &calculation->warnings;
    struct text context;
    struct json_writer writer;

    text_start(&context, arena, PROMPT_MAX);
    writer_start(&writer, &context);
    writer_open_object(&writer);
    write_blocks(&writer, payload);
    writer_key(&writer, "calculation_results");
    schema_write(&writer, &calculation_results_schema, calculation->results);
    writer_key(&writer, "warnings");
    writer_open_array(&writer);
    for (size_t i = 0; i < warnings->count; i++)
        schema_write(&writer, &calculation_warning_schema,
                     (const char *)warnings->items + i * calculation_warning_schema.size);
    writer_close_array(&writer);
    writer_close_object(&writer);
    return context.bytes;
}
