/* POST /api/v1/llm/advice: advice on a design, however complete it is. */
#include "experiments-advice/advice.h"

#include "experiments-advice/ask.h"
#include "experiments/advice/advice_prompt.h"

struct advice_request {
    json_t *project_context;
    json_t *hypothesis;
    json_t *setup;
    json_t *metrics;
    json_t *constraints;
    json_t *additional_context;
    json_t *calculation_results;
    json_t *warnings;
    const json_t *document;
};

#define OWNER struct advice_request
static const struct field request_fields[] = {
    JSON_OBJECT(OWNER, project_context, .required = true, .help = "What is tested, and for whom."),
    JSON_OBJECT(OWNER, hypothesis, .nullable = true),
    JSON_OBJECT(OWNER, setup, .nullable = true),
    JSON_OBJECT(OWNER, metrics, .nullable = true),
    JSON_OBJECT(OWNER, constraints, .nullable = true),
    JSON_OBJECT(OWNER, additional_context, .nullable = true),
    JSON_OBJECT(OWNER, calculation_results, .nullable = true,
                .help = "The results block of a sized design."),
    JSON_OBJECTS(OWNER, warnings, .nullable = true, .help = "Its warnings."),
};
#undef OWNER

const struct schema advice_request_schema = {
    .name = "AdviceRequest",
    .help = "A design to be reviewed; members that stand here besides are passed on too.",
    .size = sizeof(struct advice_request),
    .fields = request_fields,
    .field_count = COUNT_OF(request_fields),
    .extra = EXTRA_KEEP,
    .document = offsetof(struct advice_request, document),
    .example = "{\"project_context\":{\"project_name\":\"Checkout\",\"market\":\"DE\"},"
               "\"hypothesis\":{\"change_description\":\"Larger button\"},"
               "\"metrics\":{\"metric_type\":\"binary\",\"baseline_value\":0.042,\"mde_pct\":5}}"};

enum error advice_handle(struct request *request, struct reply *reply)
{
    const struct advice_request *asked = request->body;
    struct suggestion suggestion;

    reply->object =
        ask_for_advice(request, advice_prompt(request->arena, asked->document), &suggestion);
    return ask_refusal(request, &suggestion);
}
