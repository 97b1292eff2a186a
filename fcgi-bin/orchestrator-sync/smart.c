/* The routed answer, whole or with its candidates as they come. */
#include "orchestrator-sync/smart.h"

#include "http/stream.h"
#include "orchestrator/bodies.h"
#include "orchestrator/plan/assess.h"
#include "orchestrator/runs/smart.h"
#include "orchestrator/service.h"
#include "orchestrator/task_answer.h"

#include <string.h>

enum { EVENT_MAX = 64 << 20 };

struct smart_body {
    const char *prompt;
    const char *model, *reliability_level, *pattern;
    bool dry_run;
};

static bool has_prompt(const void *object)
{
    return !is_blank(((const struct smart_body *)object)->prompt);
}

static const struct schema_rule rules[] = {
    {"errors.schemas.prompt_blank", has_prompt, NULL},
};

#define OWNER struct smart_body
static const struct field body_fields[] = {
    PROMPT(OWNER),
    MODEL(OWNER),
    STRING(OWNER, reliability_level, .nullable = true,
           .help = "quick, standard, high or maximum; instead of a pattern."),
    STRING(OWNER, pattern, .nullable = true,
           .help = "sonar, single, dual, five_models, five_models_compare, consensus or maximum."),
    BOOLEAN(OWNER, dry_run, .default_value = 0),
};
#undef OWNER
SCHEMA(smart_body_schema, struct smart_body, "SmartRequest", body_fields, RULES(rules),
       .example = "{\"prompt\":\"What is Python?\"}");

#define OWNER struct dissent
static const struct field dissent_fields[] = {STRING(OWNER, perspective),
                                              NUMBER(OWNER, support_ratio, ROUNDED(6))};
#undef OWNER
static SCHEMA(dissent_schema, struct dissent, "Dissent", dissent_fields);

struct smart_answer {
    const char *answer;
    int task_type, complexity_level, pattern_used, reliability_level;
    bool was_decomposed, used_consensus, used_roles;
    int64_t total_llm_calls;
    const char *model_id, *verification, *task_id;
    int status, execution_mode;
    const char *adapter_name, *output_text;
    int failure_code;
    const char *failure_message, *trace_id;
    struct string_list models_used;
    bool single_model;
    const struct accounting_answer *accounting;
    const char *consensus_status;
    struct optional_number consensus_score, cluster_confidence;
    OBJECT_LIST(struct dissent, dissenting_views);
};

#define OWNER struct smart_answer
#define COMMON_FIELDS                                                                              \
    STRING(OWNER, answer, .nullable = true, .help = "Null when it failed."),                       \
        CHOICE(OWNER, task_type, task_type_names, .choice_count = TASK_TYPE__MAX),                 \
        CHOICE(OWNER, complexity_level, complexity_level_names,                                    \
               .choice_count = COMPLEXITY_LEVEL__MAX),                                             \
        CHOICE(OWNER, pattern_used, execution_pattern_names,                                       \
               .choice_count = EXECUTION_PATTERN__MAX),                                            \
        CHOICE(OWNER, reliability_level, reliability_level_names,                                  \
               .choice_count = RELIABILITY_LEVEL__MAX),                                            \
        BOOLEAN(OWNER, was_decomposed), BOOLEAN(OWNER, used_consensus),                            \
        BOOLEAN(OWNER, used_roles), INTEGER(OWNER, total_llm_calls), STRING(OWNER, model_id),      \
        STRING(OWNER, verification, .nullable = true,                                              \
               .help = "What the verifier says of the answer; never part of it."),                 \
        STRING(OWNER, task_id),                                                                    \
        CHOICE(OWNER, status, run_status_names, .choice_count = RUN_STATUS__MAX),                  \
        CHOICE(OWNER, execution_mode, execution_mode_names, .choice_count = EXECUTION_MODE__MAX),  \
        STRING(OWNER, adapter_name), STRING(OWNER, output_text, .nullable = true),                 \
        CHOICE(OWNER, failure_code, failure_code_names, .choice_count = FAILURE_CODE__MAX,         \
               .nullable = true),                                                                  \
        STRING(OWNER, failure_message, .nullable = true),                                          \
        STRINGS(OWNER, models_used, .help = "Whose answers the answer is made of."),               \
        BOOLEAN(OWNER, single_model,                                                               \
                .help = "It is of one model alone: whatever agrees, agrees with itself."),         \
        STRING(OWNER, trace_id, .nullable = true), OBJECT(OWNER, accounting, accounting_schema)

static const struct field answer_fields[] = {COMMON_FIELDS};
SCHEMA(smart_answer_schema, struct smart_answer, "Smart", answer_fields);

static const struct field v2_fields[] = {
    COMMON_FIELDS,
    STRING(OWNER, consensus_status, .nullable = true, .help = "accept or escalate."),
    NULLABLE_NUMBER(OWNER, consensus_score, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, cluster_confidence, ROUNDED(6)),
    OBJECTS(OWNER, dissenting_views, dissent_schema),
};
#undef OWNER
SCHEMA(smart_v2_answer_schema, struct smart_answer, "SmartV2", v2_fields);

static void add_consensus(const struct consensus *consensus, struct smart_answer *answer)
{
    answer->consensus_status = consensus->accepted ? "accept" : "escalate";
    answer->consensus_score = GIVEN_NUMBER(consensus->score);
    answer->cluster_confidence = consensus->weighted;
    answer->dissenting_views = (struct object_list){consensus->dissent_count, consensus->dissents};
}

static const struct smart_answer *answer_of(struct request *request, const struct smart *smart)
{
    const struct run *run = &smart->run.task_run.run;
    struct smart_answer *answer = ARENA_NEW(request->arena, struct smart_answer);

    *answer = (struct smart_answer){
        .answer = smart->answer_text,
        .task_type = smart->task_type,
        .complexity_level = smart->complexity.level,
        .pattern_used = smart->treatment.pattern,
        .reliability_level = smart->treatment.level,
        .was_decomposed = smart->was_decomposed,
        .used_consensus = smart->used_consensus,
        .used_roles = smart->used_roles,
        .total_llm_calls = run->calls,
        .model_id = smart->run.model->id,
        .verification = smart->verification,
        .task_id = run->task_id,
        .status = smart->run.outcome.status,
        .execution_mode = smart->run.outcome.execution_mode,
        .adapter_name = smart->run.outcome.adapter_name,
        .output_text = smart->answer_text,
        .failure_code = smart->run.outcome.failure_code,
        .failure_message = smart->run.outcome.failure_message,
        .models_used = smart->models_used,
        .single_model = smart->models_used.count == 1,
        .trace_id = run->trace_id,
        .accounting = accounting_of(run, smart->run.results, smart->run.result_count)};
    if (smart->used_consensus)
        add_consensus(&smart->consensus, answer);
    return answer;
}

/* The event `accepted`. */
struct accepted_event {
    const char *model_id, *task_id;
};

#define OWNER struct accepted_event
static const struct field accepted_fields[] = {STRING(OWNER, model_id), STRING(OWNER, task_id)};
#undef OWNER
static SCHEMA(accepted_schema, struct accepted_event, "SmartAccepted", accepted_fields);

/* The event `candidate`. */
struct candidate_event {
    int64_t index;
    const char *text;
};

#define OWNER struct candidate_event
static const struct field candidate_fields[] = {INTEGER(OWNER, index), STRING(OWNER, text)};
#undef OWNER
static SCHEMA(candidate_schema, struct candidate_event, "SmartCandidate", candidate_fields);

/* A client that reads events. */
struct subscriber {
    struct request *request;
    struct reply *reply;
    struct stream stream;
    bool open;
};

static void send_event(struct subscriber *subscriber, const char *name, const struct schema *schema,
                       const void *object)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, subscriber->request->arena, EVENT_MAX);
    writer_start(&writer, &text);
    writer.spaced = true;
    schema_write(&writer, schema, object);
    stream_event(&subscriber->stream, name, NULL, text.bytes);
}

static void send_accepted(const struct pattern_run *run, void *context)
{
    struct subscriber *subscriber = context;

    reply_add_header(subscriber->reply, "Cache-Control", "no-cache");
    subscriber->open =
        !stream_open(subscriber->request, subscriber->reply, STREAM_EVENTS, &subscriber->stream);
    if (subscriber->open)
        send_event(subscriber, "accepted", &accepted_schema,
                   &(struct accepted_event){.model_id = run->model->id,
                                            .task_id = run->task_run.run.task_id});
}

static void send_candidate(const struct candidate *candidate, void *context)
{
    struct subscriber *subscriber = context;

    if (subscriber->open)
        send_event(
            subscriber, "candidate", &candidate_schema,
            &(struct candidate_event){.index = (int64_t)candidate->index, .text = candidate->text});
}

static bool wants_events(const struct request *request)
{
    const char *accept = request_header(request, "HTTP_ACCEPT");

    return accept && strstr(accept, "text/event-stream");
}

static enum error handle(struct request *request, struct reply *reply, bool second)
{
    const struct smart_body *body = request->body;
    const struct smart_request wanted = {.prompt = body->prompt,
                                         .model = body->model,
                                         .reliability_level = body->reliability_level,
                                         .pattern = body->pattern,
                                         .dry_run = body->dry_run,
                                         .second = second};
    struct smart *smart = ARENA_NEW(request->arena, struct smart);
    struct subscriber subscriber = {.request = request, .reply = reply};
    const struct schema *schema = second ? &smart_v2_answer_schema : &smart_answer_schema;
    struct db *db;
    enum error error = prompt_check_length(request, "prompt", body->prompt);

    if (!error)
        error = service_database(request, &db);
    if (wants_events(request)) {
        smart->run.on_accepted = send_accepted;
        smart->run.on_candidate = send_candidate;
        smart->run.context = &subscriber;
    }
    if (!error)
        error = smart_run(smart, service_worker(request), request->arena, db, &wanted,
                          &request->problem);
    if (error)
        return service_storage_error(request, error, "replace_task_snapshot");
    if (subscriber.open) {
        send_event(&subscriber, "complete", schema, answer_of(request, smart));
        return ERROR_NONE;
    }
    error = task_answer_refuse(request, reply, &smart->run.task_run, &smart->run.outcome);
    if (error)
        return error;
    reply->object = answer_of(request, smart);
    return ERROR_NONE;
}

enum error smart_handle(struct request *request, struct reply *reply)
{
    return handle(request, reply, false);
}

enum error smart_v2_handle(struct request *request, struct reply *reply)
{
    return handle(request, reply, true);
}
