/* Results of calls as texts. */
#include "orchestrator/runs/kept_answer.h"

#include <string.h>

enum { TEXT_MAX = 64 << 20 };

#define OWNER struct llm_tool_call
static const struct field call_fields[] = {STRING(OWNER, id), STRING(OWNER, name),
                                           STRING(OWNER, arguments)};
#undef OWNER
static SCHEMA(call_schema, struct llm_tool_call, "KeptToolCall", call_fields);

#define OWNER struct llm_thought
static const struct field thought_fields[] = {STRING(OWNER, text, .nullable = true),
                                              STRING(OWNER, signature, .nullable = true),
                                              STRING(OWNER, sealed, .nullable = true)};
#undef OWNER
static SCHEMA(thought_schema, struct llm_thought, "KeptThought", thought_fields);

struct kept_choice {
    const char *text, *finish, *stopped_by, *refusal, *logprobs;
    OBJECT_LIST(struct llm_tool_call, tool_calls);
    OBJECT_LIST(struct llm_thought, thoughts);
};

#define OWNER struct kept_choice
static const struct field choice_fields[] = {
    STRING(OWNER, text),
    STRING(OWNER, finish, .nullable = true),
    STRING(OWNER, stopped_by, .nullable = true),
    STRING(OWNER, refusal, .nullable = true),
    STRING(OWNER, logprobs, .nullable = true),
    OBJECTS(OWNER, tool_calls, call_schema),
    OBJECTS(OWNER, thoughts, thought_schema),
};
#undef OWNER
static SCHEMA(choice_schema, struct kept_choice, "KeptChoice", choice_fields);

struct kept_row {
    const char *service_tier;
    struct optional_integer input_tokens, output_tokens, reasoning_tokens;
    int64_t nano_usd;
    OBJECT_LIST(struct kept_choice, choices);
};

#define OWNER struct kept_row
static const struct field row_fields[] = {
    STRING(OWNER, service_tier, .nullable = true),
    NULLABLE_INTEGER(OWNER, input_tokens),
    NULLABLE_INTEGER(OWNER, output_tokens),
    NULLABLE_INTEGER(OWNER, reasoning_tokens),
    INTEGER(OWNER, nano_usd),
    OBJECTS(OWNER, choices, choice_schema),
};
#undef OWNER
static SCHEMA(row_schema, struct kept_row, "KeptAnswer", row_fields);

const char *kept_answer_write(struct arena *arena, const struct result *result,
                              const struct llm_choice *choices, size_t count)
{
    struct kept_choice *rows = ARENA_ARRAY(arena, struct kept_choice, count);
    const struct kept_row row = {.service_tier = result->service_tier,
                                 .input_tokens = result->input_tokens,
                                 .output_tokens = result->output_tokens,
                                 .reasoning_tokens = result->reasoning_tokens,
                                 .nano_usd = result->cost.value,
                                 .choices = {count, rows}};

    for (size_t i = 0; i < count; i++)
        rows[i] = (struct kept_choice){
            .text = choices[i].text,
            .finish = choices[i].finish,
            .stopped_by = choices[i].stopped_by,
            .refusal = choices[i].refusal,
            .logprobs = choices[i].logprobs,
            .tool_calls = {choices[i].tool_call_count,
                           (struct llm_tool_call *)choices[i].tool_calls},
            .thoughts = {choices[i].thought_count, (struct llm_thought *)choices[i].thoughts}};
    return schema_json(arena, TEXT_MAX, &row_schema, &row);
}

static void set_choices(struct arena *arena, const struct kept_row *row, struct result *result)
{
    struct llm_choice *choices = ARENA_ARRAY(arena, struct llm_choice, row->choices.count);
    const struct kept_choice *kept = row->choices.items;

    for (size_t i = 0; i < row->choices.count; i++)
        choices[i] = (struct llm_choice){.text = kept[i].text,
                                         .length = strlen(kept[i].text),
                                         .finish = kept[i].finish,
                                         .stopped_by = kept[i].stopped_by,
                                         .refusal = kept[i].refusal,
                                         .logprobs = kept[i].logprobs,
                                         .tool_calls = kept[i].tool_calls.items,
                                         .tool_call_count = kept[i].tool_calls.count,
                                         .thoughts = kept[i].thoughts.items,
                                         .thought_count = kept[i].thoughts.count};
    result->choices = choices;
    result->choice_count = row->choices.count;
    result->text = *choices[0].text ? choices[0].text : NULL;
    result->finish = choices[0].finish;
    result->refusal = choices[0].refusal;
    result->tool_calls = choices[0].tool_calls;
    result->tool_call_count = choices[0].tool_call_count;
}

bool kept_answer_read(struct arena *arena, const char *text, const struct model *model,
                      struct kept_answer *answer)
{
    struct kept_row row = {0};

    if (!schema_from_json(arena, &row_schema, text, &row) || !row.choices.count)
        return false;
    *answer = (struct kept_answer){.result = {.model = model,
                                              .executed = model,
                                              .adapter_name = adapter_name_of(arena, model),
                                              .status = RUN_SUCCEEDED,
                                              .failure_code = FAILURE_NONE,
                                              .service_tier = row.service_tier,
                                              .duration_ms = GIVEN_INTEGER(0),
                                              .input_tokens = row.input_tokens,
                                              .output_tokens = row.output_tokens,
                                              .reasoning_tokens = row.reasoning_tokens,
                                              .cost = GIVEN_INTEGER(0),
                                              .details = "{\"from_answer_cache\":true}"},
                                   .nano_usd = row.nano_usd};
    set_choices(arena, &row, &answer->result);
    return true;
}

/* What a provider claims is no more than a sum can take. */
static int64_t counted(struct optional_integer tokens)
{
    static const int64_t most = INT64_C(1000000000000);

    return tokens.value < 0 ? 0 : tokens.value > most ? most : tokens.value;
}

void kept_answer_use(struct run *run, const struct kept_answer *answer)
{
    static const struct payer nobody = {"", "", ""};
    const struct payer *payer = run->worker->key ? &run->worker->key->payer : &nobody;
    const struct result *result = &answer->result;
    const struct usage saved = {.day = "",
                                .key_id = payer->key_id,
                                .team_id = payer->team_id,
                                .customer_id = payer->customer_id,
                                .model_id = result->model->id,
                                .provider = result->model->provider,
                                .saved_calls = 1,
                                .saved_tokens =
                                    counted(result->input_tokens) + counted(result->output_tokens),
                                .saved_nano_usd = answer->nano_usd};

    run_add_step(run, result);
    usage_add(run->arena, &run->usage, &saved);
}
