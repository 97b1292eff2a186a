/* The body of an orchestration. */
#include "orchestrator/bodies.h"

#include "orchestrator/plan/assess.h"
#include "orchestrator/service.h"

static bool has_prompt(const void *object)
{
    return !is_blank(((const struct orchestrate_body *)object)->prompt);
}

#define OWNER struct orchestrate_body
static const struct field fields[] = {
    STRING(OWNER, prompt, .required = true, .min_length = 1,
           .max_length = ORCHESTRATOR_PROMPT_CHARS_MAX, .help = PROMPT_HELP),
    STRING(OWNER, model, .nullable = true, .min_length = 1, .max_length = 120,
           .help = "One model, by id, name or alias; none at all asks the default one."),
    STRINGS(OWNER, models, .max_length = 8, .help = "Several of them; instead of `model`."),
    CHOICE(OWNER, adapter_hint, adapter_hint_names, .choice_count = ADAPTER_HINT__MAX,
           .default_value = HINT_AUTO),
    INTEGER(OWNER, quorum, .default_value = 1, .lower = AT_LEAST(1), .upper = AT_MOST(8),
            .help = "How many must succeed; not more than there are."),
    CHOICE(OWNER, merge_strategy, merge_strategy_names, .choice_count = MERGE_STRATEGY__MAX,
           .default_value = MERGE_FIRST_SUCCESS),
    BOOLEAN(OWNER, cancel_on_quorum, .default_value = 1,
            .help = "Whether the rest is cancelled when so many have."),
    BOOLEAN(OWNER, reasoning, .default_value = 0),
    JSON_OBJECT(
        OWNER, metadata,
        .help = "Stored with the task; `trace_id` in it is echoed, and with `strict_model` true a "
                "model that the browser cannot verify is refused."),
    BOOLEAN(OWNER, dry_run, .default_value = 0),
    BOOLEAN(OWNER, decompose, .default_value = 1,
            .help = "Whether a complex prompt to one model may be split."),
    STRING(OWNER, session_id, .nullable = true, .max_length = 200,
           .help = "Earlier turns of the session go before the prompt."),
};
#undef OWNER

static const struct schema_rule rules[] = {
    {"errors.schemas.prompt_blank", has_prompt, NULL},
};

SCHEMA(orchestrate_body_schema, struct orchestrate_body, "OrchestrateRequest", fields, RULES(rules),
       .example = "{\"prompt\":\"What is Python?\"}");

struct orchestration_request orchestration_request_of(const struct orchestrate_body *body)
{
    return (struct orchestration_request){.prompt = body->prompt,
                                          .plan = {.model = body->model,
                                                   .models = body->models,
                                                   .adapter_hint = body->adapter_hint,
                                                   .quorum = body->quorum,
                                                   .merge_strategy = body->merge_strategy,
                                                   .cancel_on_quorum = body->cancel_on_quorum,
                                                   .reasoning = body->reasoning},
                                          .metadata = body->metadata,
                                          .dry_run = body->dry_run,
                                          .decompose = body->decompose,
                                          .session_id = body->session_id};
}

enum error prompt_refuse_length(struct request *request, const char *field)
{
    return request_fault(request, "body", field, "string_too_long",
                         arena_print(request->arena, "String should have at most %lld characters",
                                     (long long)service_settings(request)->max_prompt_chars));
}

enum error prompt_check_length(struct request *request, const char *field, const char *text)
{
    return utf8_count(text) <= (size_t)service_settings(request)->max_prompt_chars
               ? ERROR_NONE
               : prompt_refuse_length(request, field);
}

enum error orchestrate_body_check(struct request *request)
{
    const struct orchestrate_body *body = request->body;

    if (body->model && body->models.count)
        return request_fault(request, "body", NULL, "value_error",
                             "Value error, Use either 'model' or 'models', not both.");
    return prompt_check_length(request, "prompt", body->prompt);
}
