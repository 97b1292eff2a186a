/* Request bodies of the routes that call models. */
#ifndef ASSAY_ORCHESTRATOR_BODIES_H
#define ASSAY_ORCHESTRATOR_BODIES_H

#include "base/schema.h"
#include "http/request.h"
#include "orchestrator/runs/orchestrate.h"

struct orchestrate_body {
    const char *prompt;
    const char *model;
    struct string_list models;
    int adapter_hint;
    int64_t quorum;
    int merge_strategy;
    bool cancel_on_quorum;
    bool reasoning;
    json_t *metadata;
    bool dry_run;
    bool decompose;
    const char *session_id;
};
SCHEMA_OF(orchestrate_body_schema, struct orchestrate_body);

#define PROMPT_HELP "At most ORCH_MAX_PROMPT_CHARS characters."
#define PROMPT(OWNER)                                                                              \
    STRING(OWNER, prompt, .required = true, .min_length = 1,                                       \
           .max_length = ORCHESTRATOR_PROMPT_CHARS_MAX, .help = PROMPT_HELP)
#define MODEL(OWNER)                                                                               \
    STRING(OWNER, model, .nullable = true, .min_length = 1, .max_length = 120,                     \
           .help = "By id, name or alias; none asks the default one.")

/* Adds a fault of the field: its text is longer than the limit of prompts. */
MUST_CHECK enum error prompt_refuse_length(struct request *request, const char *field);
/* The same if the text is longer. */
MUST_CHECK enum error prompt_check_length(struct request *request, const char *field,
                                          const char *text);

/* Checks the rules that the schema cannot express. */
MUST_CHECK enum error orchestrate_body_check(struct request *request);

struct orchestration_request orchestration_request_of(const struct orchestrate_body *body);

#endif
