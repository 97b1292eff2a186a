/* Patterns: decoded, run, answered. */
#include "orchestrator-sync/patterns.h"

#include "orchestrator/bodies.h"
#include "orchestrator/dispatch/embeddings.h"
#include "orchestrator/plan/assess.h"
#include "orchestrator/runs/several.h"
#include "orchestrator/runs/voting.h"
#include "orchestrator/service.h"
#include "orchestrator/task_answer.h"

#include <math.h>

static const double word_similarity_threshold = 0.6;

enum { DEFAULT_ROUNDS = 5, DEFAULT_VARIATIONS = 3 };

struct prompt_head {
    const char *prompt;
};

static bool has_prompt(const void *object)
{
    return !is_blank(((const struct prompt_head *)object)->prompt);
}

static const struct schema_rule prompt_rules[] = {
    {"errors.schemas.prompt_blank", has_prompt, NULL},
};

struct consensus_body {
    const char *prompt;
    const char *model;
    double similarity_threshold, consensus_target;
    int64_t max_rounds, variations_per_round;
    bool use_confidence_weighting, dry_run;
    struct string_list models;
    bool stop_early;
};

#define OWNER struct consensus_body
static const struct field consensus_fields[] = {
    PROMPT(OWNER),
    MODEL(OWNER),
    NUMBER(OWNER, similarity_threshold, .default_value = 0.85, .lower = AT_LEAST(0),
           .upper = AT_MOST(1)),
    NUMBER(OWNER, consensus_target, .default_value = 0.95, .lower = AT_LEAST(0),
           .upper = AT_MOST(1)),
    INTEGER(OWNER, max_rounds, .default_value = DEFAULT_ROUNDS, .lower = AT_LEAST(1),
            .upper = AT_MOST(20)),
    INTEGER(OWNER, variations_per_round, .default_value = DEFAULT_VARIATIONS, .lower = AT_LEAST(1),
            .upper = AT_MOST(9)),
    BOOLEAN(OWNER, use_confidence_weighting, .default_value = 1),
    BOOLEAN(OWNER, dry_run, .default_value = 0),
    STRINGS(OWNER, models, .max_length = VOTERS_MAX,
            .help = "2 to 16 different ones: each has one vote, and rounds do not count."),
    BOOLEAN(OWNER, stop_early, .default_value = 1,
            .help = "With `models`: ask no more once no further vote can change the verdict."),
};
#undef OWNER

static bool has_voters(const void *object)
{
    const struct consensus_body *body = object;

    return body->models.count != 1 && (!body->models.count || !body->model);
}

static const struct schema_rule consensus_rules[] = {
    {"errors.schemas.prompt_blank", has_prompt, NULL},
    {"errors.schemas.voters", has_voters, NULL},
};
SCHEMA(consensus_body_schema, struct consensus_body, "ConsensusRequest", consensus_fields,
       RULES(consensus_rules), .example = "{\"prompt\":\"Is water wet?\"}");

struct consensus_answer {
    double consensus_score;
    int64_t num_clusters;
    const char *best_response;
    struct optional_number weighted_score;
    int64_t total_rounds, total_llm_calls;
    bool needs_debate;
    int64_t top_cluster_size;
    struct string_list models_used;
    bool single_model;
    const struct votes *votes;
    const char *task_id;
    const struct accounting_answer *accounting;
};

#define OWNER struct consensus_answer
static const struct field consensus_answer_fields[] = {
    NUMBER(OWNER, consensus_score, ROUNDED(6), .help = "Share of the largest cluster."),
    INTEGER(OWNER, num_clusters),
    STRING(OWNER, best_response),
    NULLABLE_NUMBER(OWNER, weighted_score, ROUNDED(6)),
    INTEGER(OWNER, total_rounds),
    INTEGER(OWNER, total_llm_calls),
    BOOLEAN(OWNER, needs_debate),
    INTEGER(OWNER, top_cluster_size),
    STRINGS(OWNER, models_used, .help = "Whose answers were compared."),
    BOOLEAN(OWNER, single_model,
            .help = "All answers are of one model: it agrees with itself, with nobody else."),
    OBJECT(OWNER, votes, votes_schema, .help = "What their agreement is worth."),
    STRING(OWNER, task_id),
    OBJECT(OWNER, accounting, accounting_schema),
};
#undef OWNER
SCHEMA(consensus_answer_schema, struct consensus_answer, "Consensus", consensus_answer_fields);

struct compare_body {
    const char *prompt;
    struct string_list models;
    bool analyze, dry_run;
};

#define OWNER struct compare_body
static const struct field compare_fields[] = {
    PROMPT(OWNER),
    STRINGS(OWNER, models, .min_length = 1, .max_length = 10,
            .help = "1 to 10; none asks the default one."),
    BOOLEAN(OWNER, analyze, .default_value = 1,
            .help = "Let a model compare the answers that is none of them, where there is one."),
    BOOLEAN(OWNER, dry_run, .default_value = 0),
};
#undef OWNER
SCHEMA(compare_body_schema, struct compare_body, "CompareRequest", compare_fields,
       RULES(prompt_rules),
       .example = "{\"prompt\":\"Is water wet?\",\"models\":[\"Best\",\"GPT-5.4\"]}");

#define OWNER struct item
static const struct field compared_fields[] = {
    STRING(OWNER, model_id),
    STRING(OWNER, answer),
    STRING(OWNER, status, .help = "completed, failed, error, unknown_model or no_adapter."),
};
static SCHEMA(compared_schema, struct item, "ComparedAnswer", compared_fields);

static const struct field batch_row_fields[] = {STRING(OWNER, prompt), STRING(OWNER, answer),
                                                STRING(OWNER, status)};
#undef OWNER
static SCHEMA(batch_row_schema, struct item, "BatchResult", batch_row_fields);

struct compare_answer {
    OBJECT_LIST(struct item, answers);
    const char *analysis, *judge_model_id;
    int64_t total_models, succeeded, failed;
    const char *task_id;
    const struct accounting_answer *accounting;
};

#define OWNER struct compare_answer
static const struct field compare_answer_fields[] = {
    OBJECTS(OWNER, answers, compared_schema),
    STRING(OWNER, analysis, .nullable = true,
           .help = "It calls the answers by their numbers in this list, from 1."),
    STRING(OWNER, judge_model_id, .nullable = true, .help = "Who was asked to compare."),
    INTEGER(OWNER, total_models),
    INTEGER(OWNER, succeeded),
    INTEGER(OWNER, failed),
    STRING(OWNER, task_id, .nullable = true),
    OBJECT(OWNER, accounting, accounting_schema, .nullable = true),
};
#undef OWNER
SCHEMA(compare_answer_schema, struct compare_answer, "Comparison", compare_answer_fields);

struct debate_body {
    const char *topic;
    const char *initial_position, *model;
    bool dry_run;
};

#define OWNER struct debate_body
static const struct field debate_fields[] = {
    STRING(OWNER, topic, .required = true, .min_length = 1,
           .max_length = ORCHESTRATOR_PROMPT_CHARS_MAX, .help = PROMPT_HELP),
    STRING(OWNER, initial_position, .nullable = true, .max_length = ORCHESTRATOR_PROMPT_CHARS_MAX,
           .help = PROMPT_HELP),
    MODEL(OWNER),
    BOOLEAN(OWNER, dry_run, .default_value = 0),
};
#undef OWNER
SCHEMA(debate_body_schema, struct debate_body, "DebateRequest", debate_fields, RULES(prompt_rules),
       .example = "{\"topic\":\"Remote work\"}");

struct debate_answer_body {
    const char *initial_position, *challenge, *defense, *improved_response, *model_id;
    int64_t total_llm_calls;
    int status;
    int failure_code;
    const char *failure_message;
    const char *task_id;
    const struct accounting_answer *accounting;
};

#define OWNER struct debate_answer_body
static const struct field debate_answer_fields[] = {
    STRING(OWNER, initial_position, .nullable = true, .help = "Null where its call failed."),
    STRING(OWNER, challenge, .nullable = true),
    STRING(OWNER, defense, .nullable = true),
    STRING(OWNER, improved_response, .nullable = true),
    STRING(OWNER, model_id),
    INTEGER(OWNER, total_llm_calls),
    CHOICE(OWNER, status, run_status_names, .choice_count = RUN_STATUS__MAX),
    CHOICE(OWNER, failure_code, failure_code_names, .choice_count = FAILURE_CODE__MAX,
           .nullable = true),
    STRING(OWNER, failure_message, .nullable = true),
    STRING(OWNER, task_id),
    OBJECT(OWNER, accounting, accounting_schema),
};
#undef OWNER
SCHEMA(debate_answer_schema, struct debate_answer_body, "Debate", debate_answer_fields);

struct batch_body {
    struct string_list prompts;
    const char *model;
    bool dry_run;
};

#define OWNER struct batch_body
static const struct field batch_fields[] = {
    STRINGS(OWNER, prompts, .required = true, .min_length = 1, .max_length = 20),
    MODEL(OWNER),
    BOOLEAN(OWNER, dry_run, .default_value = 0),
};
#undef OWNER
SCHEMA(batch_body_schema, struct batch_body, "BatchRequest", batch_fields,
       .example = "{\"prompts\":[\"One?\",\"Two?\"]}");

struct batch_answer {
    OBJECT_LIST(struct item, results);
    int64_t total, succeeded, failed;
    const char *task_id;
    const struct accounting_answer *accounting;
};

#define OWNER struct batch_answer
static const struct field batch_answer_fields[] = {
    OBJECTS(OWNER, results, batch_row_schema),
    INTEGER(OWNER, total),
    INTEGER(OWNER, succeeded),
    INTEGER(OWNER, failed),
    STRING(OWNER, task_id),
    OBJECT(OWNER, accounting, accounting_schema),
};
#undef OWNER
SCHEMA(batch_answer_schema, struct batch_answer, "Batch", batch_answer_fields);

struct pipeline_body {
    const char *prompt;
    const char *model, *reliability_level;
    bool multi_model, dry_run;
};

#define OWNER struct pipeline_body
static const struct field pipeline_fields[] = {
    PROMPT(OWNER),
    MODEL(OWNER),
    STRING(OWNER, reliability_level, .nullable = true, .help = "Empty counts as not given."),
    BOOLEAN(OWNER, multi_model, .default_value = 0,
            .help = "Ask a model of every provider with a key."),
    BOOLEAN(OWNER, dry_run, .default_value = 0),
};
#undef OWNER
SCHEMA(pipeline_body_schema, struct pipeline_body, "PipelineRequest", pipeline_fields,
       RULES(prompt_rules), .example = "{\"prompt\":\"What is Python?\"}");

struct pipeline_answer {
    const char *answer;
    int task_type, pattern_used, reliability_level;
    int64_t total_llm_calls;
    const char *model_id;
    struct string_list models_used;
    int status, failure_code;
    const char *failure_message, *task_id;
    const struct accounting_answer *accounting;
};

#define OWNER struct pipeline_answer
static const struct field pipeline_answer_fields[] = {
    STRING(OWNER, answer, .nullable = true, .help = "Null when all calls failed."),
    CHOICE(OWNER, task_type, task_type_names, .choice_count = TASK_TYPE__MAX),
    CHOICE(OWNER, pattern_used, execution_pattern_names, .choice_count = EXECUTION_PATTERN__MAX),
    CHOICE(OWNER, reliability_level, reliability_level_names,
           .choice_count = RELIABILITY_LEVEL__MAX),
    INTEGER(OWNER, total_llm_calls),
    STRING(OWNER, model_id),
    STRINGS(OWNER, models_used),
    CHOICE(OWNER, status, run_status_names, .choice_count = RUN_STATUS__MAX),
    CHOICE(OWNER, failure_code, failure_code_names, .choice_count = FAILURE_CODE__MAX,
           .nullable = true),
    STRING(OWNER, failure_message, .nullable = true),
    STRING(OWNER, task_id),
    OBJECT(OWNER, accounting, accounting_schema),
};
#undef OWNER
SCHEMA(pipeline_answer_schema, struct pipeline_answer, "Pipeline", pipeline_answer_fields);

static enum error store_error(struct request *request, enum error error)
{
    return service_storage_error(request, error, "replace_task_snapshot");
}

static const struct accounting_answer *accounting(const struct pattern_run *run)
{
    return accounting_of(&run->task_run.run, run->results, run->result_count);
}

static void trace(struct reply *reply, const struct pattern_run *run)
{
    if (run->task_run.run.trace_id)
        reply_add_header(reply, "x-trace-id", run->task_run.run.trace_id);
}

/* The voters by their names, each once. */
static enum error resolve_voters(struct request *request, bool dry_run, const struct model **models,
                                 size_t *count)
{
    const struct consensus_body *body = request->body;
    const struct worker_context *worker = service_worker(request);
    enum error error = ERROR_NONE;

    *count = 0;
    for (size_t i = 0; !error && i < body->models.count; i++) {
        const char *name = body->models.items[i];
        const struct model *model = catalog_resolve(request->arena, worker->catalog, name);

        if (!model)
            return problem_set(&request->problem, ERROR_INVALID, "run_rejected",
                               "models.%zu: Unsupported model: %s", i, name);
        for (size_t j = 0; j < *count; j++)
            if (model_is_same(models[j], model))
                return problem_set(&request->problem, ERROR_INVALID, "run_rejected",
                                   "models.%zu: %s votes already.", i, model->id);
        error = pattern_check_adapter(worker, model, dry_run, &request->problem);
        models[(*count)++] = model;
    }
    return error;
}

/* Voters whose answers nothing can embed are compared by their words, which agree less. */
static double voting_threshold(const struct request *request, const struct consensus_body *body)
{
    return embeddings_are_configured(service_worker(request))
               ? body->similarity_threshold
               : fmin(body->similarity_threshold, word_similarity_threshold);
}

static enum error vote(struct request *request, struct pattern_run *run,
                       const struct model *const *models, size_t count, struct consensus *consensus,
                       struct votes *votes)
{
    const struct consensus_body *body = request->body;

    return votes_run(run, body->prompt, models, count,
                     &(struct vote_options){.similarity_threshold = voting_threshold(request, body),
                                            .target = body->consensus_target,
                                            .stop_early = body->stop_early},
                     consensus, votes);
}

static enum error hold_rounds(struct request *request, struct pattern_run *run,
                              struct consensus *consensus, struct votes *votes)
{
    const struct consensus_body *body = request->body;
    const struct consensus_options wanted = {.similarity_threshold = body->similarity_threshold,
                                             .target = body->consensus_target,
                                             .max_rounds = (int)body->max_rounds,
                                             .per_round = (int)body->variations_per_round,
                                             .use_confidence = body->use_confidence_weighting};
    enum error error = consensus_v1(run, body->prompt, &wanted, consensus);

    if (error || !consensus->best)
        return error;
    error = votes_weigh(run, body->prompt, &consensus->models_used, votes);
    votes->asked = (int64_t)consensus->models_used.count;
    return error;
}

static enum error run_consensus(struct request *request, struct db *db, struct pattern_run *run,
                                struct consensus *consensus, struct votes *votes)
{
    const struct consensus_body *body = request->body;
    const struct worker_context *worker = service_worker(request);
    const struct model *models[VOTERS_MAX];
    size_t count;
    struct pattern_request frame = {.route = "consensus",
                                    .prompt = body->prompt,
                                    .model = body->model,
                                    .dry_run = is_dry_run(worker, body->dry_run)};
    enum error error = resolve_voters(request, frame.dry_run, models, &count);

    if (error)
        return error;
    if (!frame.dry_run && !count && !embeddings_are_configured(worker))
        return problem_set(&request->problem, ERROR_UNAVAILABLE, "embeddings_missing",
                           "Embeddings client is not configured.");
    if (count)
        frame.model = models[0]->id;
    error = pattern_begin(run, worker, request->arena, db, &frame, &request->problem);
    if (!error)
        error = count ? vote(request, run, models, count, consensus, votes)
                      : hold_rounds(request, run, consensus, votes);
    return error ? error : pattern_end_text(run, consensus->best, &consensus->failure);
}

enum error consensus_handle(struct request *request, struct reply *reply)
{
    const struct consensus_body *body = request->body;
    struct pattern_run *run = ARENA_NEW(request->arena, struct pattern_run);
    struct consensus_answer *answer = ARENA_NEW(request->arena, struct consensus_answer);
    struct votes *votes = ARENA_NEW(request->arena, struct votes);
    struct consensus consensus = {0};
    struct db *db;
    enum error error = prompt_check_length(request, "prompt", body->prompt);

    if (!error)
        error = service_database(request, &db);
    if (!error)
        error = run_consensus(request, db, run, &consensus, votes);
    if (error)
        return store_error(request, error);
    error = task_answer_refuse(request, reply, &run->task_run, &run->outcome);
    if (error)
        return error;
    if (!consensus.best)
        return problem_set(&request->problem, ERROR_SYSTEM, "consensus_failed",
                           "No call of the model gave an answer.");
    *answer = (struct consensus_answer){.consensus_score = consensus.score,
                                        .num_clusters = (int64_t)consensus.cluster_count,
                                        .best_response = consensus.best,
                                        .weighted_score = consensus.weighted,
                                        .total_rounds = consensus.rounds,
                                        .total_llm_calls = run->task_run.run.calls,
                                        .needs_debate = consensus.needs_debate,
                                        .top_cluster_size = (int64_t)consensus.top_size,
                                        .models_used = consensus.models_used,
                                        .single_model = consensus.models_used.count == 1,
                                        .votes = votes,
                                        .task_id = run->task_run.run.task_id,
                                        .accounting = accounting(run)};
    reply->object = answer;
    return ERROR_NONE;
}

enum error compare_handle(struct request *request, struct reply *reply)
{
    const struct compare_body *body = request->body;
    struct comparison *comparison = ARENA_NEW(request->arena, struct comparison);
    struct compare_answer *answer = ARENA_NEW(request->arena, struct compare_answer);
    const char *fallback = plan_default_model(service_worker(request)->catalog);
    struct string_list models =
        body->models.count ? body->models : (struct string_list){1, &fallback};
    struct db *db;
    enum error error = prompt_check_length(request, "prompt", body->prompt);

    if (!error)
        error = service_database(request, &db);
    if (!error)
        error = compare_run(comparison, service_worker(request), request->arena, db, body->prompt,
                            &models, body->analyze, body->dry_run, &request->problem);
    if (error)
        return store_error(request, error);
    *answer =
        (struct compare_answer){.answers = {models.count, comparison->answers.items},
                                .analysis = comparison->analysis,
                                .judge_model_id = comparison->judge ? comparison->judge->id : NULL,
                                .total_models = (int64_t)models.count,
                                .succeeded = (int64_t)comparison->answers.succeeded,
                                .failed = (int64_t)comparison->answers.failed};
    if (comparison->was_run) {
        answer->task_id = comparison->run.task_run.run.task_id;
        answer->accounting = accounting(&comparison->run);
        trace(reply, &comparison->run);
    }
    reply->object = answer;
    return ERROR_NONE;
}

enum error debate_handle(struct request *request, struct reply *reply)
{
    const struct debate_body *body = request->body;
    struct debate *debate = ARENA_NEW(request->arena, struct debate);
    struct debate_answer_body *answer = ARENA_NEW(request->arena, struct debate_answer_body);
    struct db *db;
    enum error error = prompt_check_length(request, "topic", body->topic);

    if (!error && body->initial_position)
        error = prompt_check_length(request, "initial_position", body->initial_position);
    if (!error)
        error = service_database(request, &db);
    if (!error)
        error = debate_run(debate, service_worker(request), request->arena, db, body->topic,
                           body->initial_position, body->model, body->dry_run, &request->problem);
    if (error)
        return store_error(request, error);
    error = task_answer_refuse(request, reply, &debate->run.task_run, &debate->run.outcome);
    if (error)
        return error;
    *answer = (struct debate_answer_body){.initial_position = debate->position,
                                          .challenge = debate->challenge,
                                          .defense = debate->defense,
                                          .improved_response = debate->defense,
                                          .model_id = debate->run.model->id,
                                          .total_llm_calls = debate->run.task_run.run.calls,
                                          .status = debate->run.outcome.status,
                                          .failure_code = debate->run.outcome.failure_code,
                                          .failure_message = debate->run.outcome.failure_message,
                                          .task_id = debate->run.task_run.run.task_id,
                                          .accounting = accounting(&debate->run)};
    reply->object = answer;
    return ERROR_NONE;
}

/* Each prompt by the rules of one. */
static enum error check_prompts(struct request *request)
{
    const struct batch_body *body = request->body;

    for (size_t i = 0; i < body->prompts.count; i++) {
        const char *field = arena_print(request->arena, "prompts.%zu", i);
        enum error error;

        if (!*body->prompts.items[i])
            return request_fault(request, "body", field, "string_too_short",
                                 "String should have at least 1 character");
        if (is_blank(body->prompts.items[i]))
            return request_fault(request, "body", field, "value_error",
                                 "Value error, The prompt must not be blank.");
        error = prompt_check_length(request, field, body->prompts.items[i]);
        if (error)
            return error;
    }
    return ERROR_NONE;
}

enum error batch_handle(struct request *request, struct reply *reply)
{
    const struct batch_body *body = request->body;
    struct batch *batch = ARENA_NEW(request->arena, struct batch);
    struct batch_answer *answer = ARENA_NEW(request->arena, struct batch_answer);
    struct db *db;
    enum error error = check_prompts(request);

    if (error)
        return error;
    error = service_database(request, &db);
    if (!error)
        error = batch_run(batch, service_worker(request), request->arena, db, &body->prompts,
                          body->model, body->dry_run, &request->problem);
    if (error)
        return store_error(request, error);
    *answer = (struct batch_answer){.results = {batch->results.count, batch->results.items},
                                    .total = (int64_t)batch->results.count,
                                    .succeeded = (int64_t)batch->results.succeeded,
                                    .failed = (int64_t)batch->results.failed,
                                    .task_id = batch->run.task_run.run.task_id,
                                    .accounting = accounting(&batch->run)};
    trace(reply, &batch->run);
    reply->object = answer;
    return ERROR_NONE;
}

enum error pipeline_handle(struct request *request, struct reply *reply)
{
    const struct pipeline_body *body = request->body;
    struct pipeline *pipeline = ARENA_NEW(request->arena, struct pipeline);
    struct pipeline_answer *answer = ARENA_NEW(request->arena, struct pipeline_answer);
    struct db *db;
    enum error error = prompt_check_length(request, "prompt", body->prompt);

    if (!error)
        error = service_database(request, &db);
    if (!error)
        error = pipeline_run(pipeline, service_worker(request), request->arena, db, body->prompt,
                             body->model, body->reliability_level, body->multi_model, body->dry_run,
                             &request->problem);
    if (error)
        return store_error(request, error);
    error = task_answer_refuse(request, reply, &pipeline->run.task_run, &pipeline->run.outcome);
    if (error)
        return error;
    *answer = (struct pipeline_answer){.answer = pipeline->answer_text,
                                       .task_type = (int)pipeline->task_type,
                                       .pattern_used = (int)pipeline->treatment.pattern,
                                       .reliability_level = (int)pipeline->treatment.level,
                                       .total_llm_calls = pipeline->run.task_run.run.calls,
                                       .model_id = pipeline->run.model->id,
                                       .models_used = pipeline->models_used,
                                       .status = pipeline->run.outcome.status,
                                       .failure_code = pipeline->run.outcome.failure_code,
                                       .failure_message = pipeline->run.outcome.failure_message,
                                       .task_id = pipeline->run.task_run.run.task_id,
                                       .accounting = accounting(&pipeline->run)};
    reply->object = answer;
    return ERROR_NONE;
}
