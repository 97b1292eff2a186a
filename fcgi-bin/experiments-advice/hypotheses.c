/* POST /api/v1/hypotheses/generate: suggests hypotheses for a product. */
#include "experiments-advice/hypotheses.h"

#include "experiments-advice/ask.h"
#include "experiments/advice/advice_prompt.h"
#include "experiments/advice/advice_reading.h"

struct hypotheses_request {
    json_t *project_context;
    const char *business_problem;
    json_t *setup;
    json_t *metrics;
    json_t *constraints;
    int64_t count;
    const json_t *document;
};

struct hypotheses_reply {
    bool available;
    const char *provider;
    const char *model;
    OBJECT_LIST(struct hypothesis, hypotheses); /* struct hypothesis */
    const char *raw_text;
    const char *error;
    const char *error_code;
};

#define OWNER struct hypotheses_request
static const struct field request_fields[] = {
    JSON_OBJECT(OWNER, project_context, .required = true, .help = "What is tested, and for whom."),
    STRING(OWNER, business_problem, .nullable = true),
    JSON_OBJECT(OWNER, setup, .nullable = true),
    JSON_OBJECT(OWNER, metrics, .nullable = true),
    JSON_OBJECT(OWNER, constraints, .nullable = true),
    INTEGER(OWNER, count, .lower = AT_LEAST(1), .upper = AT_MOST(5), .default_value = 3,
            .help = "How many are wanted."),
};
#undef OWNER

const struct schema hypotheses_request_schema = {
    .name = "HypothesesRequest",
    .help = "What is known of a product; members that stand here besides are passed on too.",
    .size = sizeof(struct hypotheses_request),
    .fields = request_fields,
    .field_count = COUNT_OF(request_fields),
    .extra = EXTRA_KEEP,
    .document = offsetof(struct hypotheses_request, document),
    .example = "{\"project_context\":{\"project_name\":\"Checkout\",\"market\":\"DE\"},"
               "\"business_problem\":\"Carts are left\",\"count\":2}"};

#define OWNER struct hypothesis
static const struct field hypothesis_fields[] = {
    STRING(OWNER, change),
    STRING(OWNER, rationale),
    STRING(OWNER, primary_metric),
    CHOICE(OWNER, expected_direction, hypothesis_directions,
           .choice_count = COUNT_OF(hypothesis_directions)),
};
#undef OWNER
static SCHEMA(hypothesis_schema, struct hypothesis, "Hypothesis", hypothesis_fields);

#define OWNER struct hypotheses_reply
static const struct field reply_fields[] = {
    BOOLEAN(OWNER, available),
    STRING(OWNER, provider),
    STRING(OWNER, model),
    OBJECTS(OWNER, hypotheses, hypothesis_schema),
    STRING(OWNER, raw_text, .nullable = true),
    STRING(OWNER, error, .nullable = true),
    STRING(OWNER, error_code, .nullable = true),
};
#undef OWNER
SCHEMA(hypotheses_reply_schema, struct hypotheses_reply, "Hypotheses", reply_fields,
       .help = "What an advisor would test, or why there is no answer.");

/* What the reader fills in. */
struct wanted {
    size_t count;
    struct object_list found;
};

static const char *read_hypotheses(struct arena *arena, const char *text, void *content)
{
    struct wanted *wanted = content;

    return reading_codes[reading_hypotheses(arena, text, wanted->count, &wanted->found)];
}

enum error hypotheses_handle(struct request *request, struct reply *reply)
{
    const struct hypotheses_request *asked = request->body;
    struct hypotheses_reply *answer = ARENA_NEW(request->arena, struct hypotheses_reply);
    struct wanted *wanted = ARENA_NEW(request->arena, struct wanted);
    const struct advice_reader reader = {read_hypotheses, wanted};
    struct suggestion suggestion;

    wanted->count = (size_t)asked->count;
    ask(request, hypotheses_prompt(request->arena, asked->document, asked->count), &reader,
        &suggestion);
    *answer = (struct hypotheses_reply){.available = suggestion.available,
                                        .provider = suggestion.provider,
                                        .model = suggestion.model,
                                        .raw_text = suggestion.raw_text,
                                        .error = suggestion.error,
                                        .error_code = suggestion.error_code};
    if (suggestion.available)
        answer->hypotheses = wanted->found;
    reply->object = answer;
    return ask_refusal(request, &suggestion);
}
