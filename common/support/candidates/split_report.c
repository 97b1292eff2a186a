/* Sends records in batches, exposures before outcomes. Accepted records are marked, so that after a
 * crash in between the last batch is sent again. */
#include "support/candidates/split_report.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/schema.h"
#include "base/timestamp.h"
#include "net/fetch.h"

#include <math.h>
#include <string.h>

enum {
    REASONS_MOST = 1 << 20, /* bytes stored of a decision */
    SAID_MOST = 200,
    EVERYBODY = 100, /* percent */
    BASELINE_LEAST = 30,
    MICROSECONDS = 1000000
};
/* Defaults when too little is known about a tenant's answers. */
static const double usual_quality = 75, usual_deviation = 20, usual_rate = 0.05;
static const double least_rate = 0.001, most_rate = 0.99, least_deviation = 1, least_quality = 1;

bool split_is_reported(const struct support_settings *settings)
{
    return settings->ab_base_url && settings->ab_api_key;
}

static enum error say_refused(const struct candidate_call *call, const char *path,
                              const struct fetch_answer *answer)
{
    if (answer->outcome != FETCH_ANSWERED)
        return problem_set(call->problem, ERROR_UNAVAILABLE, "split_not_taken", "%s: %s", path,
                           fetch_outcome_name(answer->outcome));
    return problem_set(call->problem, ERROR_UNAVAILABLE, "split_not_taken", "%s: %d %s", path,
                       answer->status,
                       arena_copy(call->arena, answer->body,
                                  answer->length < SAID_MOST ? answer->length : SAID_MOST));
}

/* Calls the experiments service; `document` is its answer. A NULL body is a GET. */
static enum error ask(const struct candidate_call *call, const char *path, const char *body,
                      const char *key, json_t **document)
{
    const char *base = call->settings->ab_base_url;
    size_t length = strlen(base);
    struct json_fault fault;
    struct fetch_answer answer;
    struct fetch_request request = {
        .body = body,
        .body_length = body ? strlen(body) : 0,
        .headers = {{"Authorization",
                     arena_print(call->arena, "Bearer %s", call->settings->ab_api_key)},
                    {"Content-Type", "application/json"},
                    {"Idempotency-Key", key}},
        .header_count = key ? 3 : 2,
        .answer_max = (size_t)call->settings->ab_answer_bytes,
        .private_too = true, /* configured by the operator */
        .policy = {.connect_seconds = call->settings->ab_connect,
                   .attempt_seconds = call->settings->ab_timeout,
                   .total_seconds = call->settings->ab_timeout,
                   .attempts = 1}};

    while (length && base[length - 1] == '/')
        length--;
    request.url = arena_print(call->arena, "%.*s%s", (int)length, base, path);
    fetch(call->arena, &request, &answer);
    if (answer.outcome != FETCH_ANSWERED || answer.status < 200 || answer.status > 299)
        return say_refused(call, path, &answer);
    if (json_read(call->arena, answer.body, answer.length, 32, document, &fault))
        return problem_set(call->problem, ERROR_UNAVAILABLE, "split_not_taken",
                           "%s: the answer is not JSON", path);
    return ERROR_NONE;
}

static enum error post(const struct candidate_call *call, const char *path, const char *body,
                       const char *key, json_t **document)
{
    if (!body)
        return problem_set(call->problem, ERROR_TOO_LARGE, "split_too_large",
                           "%s: a batch is larger than AB_MAX_REQUEST_BYTES", path);
    return ask(call, path, body, key, document);
}

static double between(double value, double least, double most)
{
    return fmin(fmax(value, least), most);
}

/* The project of a split in the format of the experiments service. */
struct project_part {
    const char *project_name, *domain, *product_type, *platform, *market, *project_description;
};

#define OWNER struct project_part
static const struct field project_fields[] = {
    STRING(OWNER, project_name), STRING(OWNER, domain), STRING(OWNER, product_type),
    STRING(OWNER, platform),     STRING(OWNER, market), STRING(OWNER, project_description)};
#undef OWNER
static SCHEMA(project_schema, struct project_part, "SplitProject", project_fields);

struct hypothesis_part {
    const char *change_description, *target_audience, *business_problem, *hypothesis_statement,
        *what_to_validate, *desired_result;
};

#define OWNER struct hypothesis_part
static const struct field hypothesis_fields[] = {
    STRING(OWNER, change_description), STRING(OWNER, target_audience),
    STRING(OWNER, business_problem),   STRING(OWNER, hypothesis_statement),
    STRING(OWNER, what_to_validate),   STRING(OWNER, desired_result)};
#undef OWNER
static SCHEMA(hypothesis_schema, struct hypothesis_part, "SplitHypothesis", hypothesis_fields);

struct setup_part {
    const char *experiment_type, *randomization_unit;
    struct integer_list traffic_split;
    int64_t expected_daily_traffic, audience_share_in_test, variants_count;
    const char *inclusion_criteria, *exclusion_criteria;
};

#define OWNER struct setup_part
static const struct field setup_fields[] = {
    STRING(OWNER, experiment_type),         STRING(OWNER, randomization_unit),
    INTEGERS(OWNER, traffic_split),         INTEGER(OWNER, expected_daily_traffic),
    INTEGER(OWNER, audience_share_in_test), INTEGER(OWNER, variants_count),
    STRING(OWNER, inclusion_criteria),      STRING(OWNER, exclusion_criteria)};
#undef OWNER
static SCHEMA(setup_schema, struct setup_part, "SplitSetup", setup_fields);

struct guardrail {
    const char *name, *metric_type;
    double baseline_rate;
    const char *direction;
    double non_inferiority_margin_pct;
};

#define OWNER struct guardrail
static const struct field guardrail_fields[] = {
    STRING(OWNER, name), STRING(OWNER, metric_type), NUMBER(OWNER, baseline_rate),
    STRING(OWNER, direction), NUMBER(OWNER, non_inferiority_margin_pct)};
#undef OWNER
static SCHEMA(guardrail_schema, struct guardrail, "SplitGuardrail", guardrail_fields);

struct metrics_part {
    const char *primary_metric_name, *metric_type;
    double baseline_value, std_dev, mde_pct, alpha, power;
    struct string_list secondary_metrics;
    OBJECT_LIST(struct guardrail, guardrail_metrics);
};

#define OWNER struct metrics_part
static const struct field metrics_fields[] = {STRING(OWNER, primary_metric_name),
                                              STRING(OWNER, metric_type),
                                              NUMBER(OWNER, baseline_value),
                                              NUMBER(OWNER, std_dev),
                                              NUMBER(OWNER, mde_pct),
                                              NUMBER(OWNER, alpha),
                                              NUMBER(OWNER, power),
                                              STRINGS(OWNER, secondary_metrics),
                                              OBJECTS(OWNER, guardrail_metrics, guardrail_schema)};
#undef OWNER
static SCHEMA(metrics_schema, struct metrics_part, "SplitMetrics", metrics_fields);

struct constraints_part {
    bool seasonality_present, active_campaigns_present, returning_users_present;
    const char *interference_risk, *technical_constraints, *legal_or_ethics_constraints,
        *known_risks, *deadline_pressure;
    bool long_test_possible;
    int64_t n_looks;
};

#define OWNER struct constraints_part
static const struct field constraints_fields[] = {BOOLEAN(OWNER, seasonality_present),
                                                  BOOLEAN(OWNER, active_campaigns_present),
                                                  BOOLEAN(OWNER, returning_users_present),
                                                  STRING(OWNER, interference_risk),
                                                  STRING(OWNER, technical_constraints),
                                                  STRING(OWNER, legal_or_ethics_constraints),
                                                  STRING(OWNER, known_risks),
                                                  STRING(OWNER, deadline_pressure),
                                                  BOOLEAN(OWNER, long_test_possible),
                                                  INTEGER(OWNER, n_looks)};
#undef OWNER
static SCHEMA(constraints_schema, struct constraints_part, "SplitConstraints", constraints_fields);

struct project_body {
    const struct project_part *project;
    const struct hypothesis_part *hypothesis;
    const struct setup_part *setup;
    const struct metrics_part *metrics;
    const struct constraints_part *constraints;
};

#define OWNER struct project_body
static const struct field body_fields[] = {
    OBJECT(OWNER, project, project_schema), OBJECT(OWNER, hypothesis, hypothesis_schema),
    OBJECT(OWNER, setup, setup_schema), OBJECT(OWNER, metrics, metrics_schema),
    OBJECT(OWNER, constraints, constraints_schema)};
#undef OWNER
static SCHEMA(body_schema, struct project_body, "SplitProjectBody", body_fields);

static struct guardrail guardrail_of(const char *name, double rate, double margin)
{
    return (struct guardrail){.name = name,
                              .metric_type = "binary",
                              .baseline_rate = between(rate, least_rate, most_rate) * EVERYBODY,
                              .direction = "increase_is_bad",
                              .non_inferiority_margin_pct = margin};
}

static struct metrics_part metrics_of(const struct support_settings *settings,
                                      const struct split_baseline *baseline,
                                      struct guardrail guardrails[2])
{
    static const char *secondary[] = {"thumbs_up"};
    bool known = baseline->conversations >= BASELINE_LEAST;

    guardrails[0] = guardrail_of("thumbs_down", known ? baseline->down_rate : usual_rate,
                                 settings->split_margin);
    guardrails[1] = guardrail_of("escalated", known ? baseline->escalated_rate : usual_rate,
                                 settings->split_margin);
    return (struct metrics_part){
        .primary_metric_name = "quality",
        .metric_type = "continuous",
        .baseline_value = known ? fmax(baseline->quality_mean, least_quality) : usual_quality,
        .std_dev = known ? fmax(baseline->quality_deviation, least_deviation) : usual_deviation,
        .mde_pct = settings->split_mde,
        .alpha = 0.05,
        .power = 0.8,
        .secondary_metrics = {1, secondary},
        .guardrail_metrics = {2, guardrails}};
}

static const char *project_json(const struct candidate_call *call, const struct split *split,
                                const struct split_baseline *baseline)
{
    const struct project_part project = {.project_name = split->experiment_id,
                                         .domain = "support",
                                         .product_type = "question answering",
                                         .platform = "support",
                                         .market = split->tenant_id,
                                         .project_description = "A share of live conversations."};
    const struct hypothesis_part hypothesis = {
        .change_description = split->experiment_id,
        .target_audience = "Conversations of the tenant",
        .business_problem = "Weak answers",
        .hypothesis_statement = "Answers are better and harm nobody.",
        .what_to_validate = "Quality, votes against, escalations",
        .desired_result = "Better answers"};
    int64_t shares[] = {EVERYBODY - split->rollout_percentage, split->rollout_percentage};
    const struct setup_part setup = {.experiment_type = "ab",
                                     .randomization_unit = "conversation",
                                     .traffic_split = {2, shares},
                                     .expected_daily_traffic = 1 + baseline->conversations / 30,
                                     .audience_share_in_test = 1,
                                     .variants_count = 2,
                                     .inclusion_criteria = "",
                                     .exclusion_criteria = ""};
    struct guardrail guardrails[2];
    const struct metrics_part metrics = metrics_of(call->settings, baseline, guardrails);
    const struct constraints_part constraints = {.returning_users_present = true,
                                                 .interference_risk = "low",
                                                 .technical_constraints = "",
                                                 .legal_or_ethics_constraints = "",
                                                 .known_risks = "",
                                                 .deadline_pressure = "low",
                                                 .long_test_possible = true,
                                                 .n_looks = call->settings->split_looks};

    return schema_json(call->arena, (size_t)call->settings->ab_request_bytes, &body_schema,
                       &(struct project_body){.project = &project,
                                              .hypothesis = &hypothesis,
                                              .setup = &setup,
                                              .metrics = &metrics,
                                              .constraints = &constraints});
}

/* Creates the project of the split; the service answers a repeated request with the same one. */
static enum error create_project(const struct candidate_call *call, struct split *split)
{
    struct split_baseline baseline;
    json_t *document = NULL;
    enum error error = split_read_baseline(call->db, split->tenant_id, &baseline, call->problem);

    if (!error)
        error = post(call, "/api/v1/projects", project_json(call, split, &baseline),
                     split->split_id, &document);
    if (error)
        return error;
    split->project_id = json_string_value(json_object_get(document, "id"));
    if (!split->project_id)
        return problem_set(call->problem, ERROR_UNAVAILABLE, "split_not_taken",
                           "/api/v1/projects: the answer has no id");
    return split_set_project(call->db, split->split_id, split->project_id, call->problem);
}

#define OWNER struct split_event
static const struct field exposure_fields[] = {STRING(OWNER, user_id), STRING(OWNER, occurred_at),
                                               INTEGER(OWNER, variation_index)};
static const struct field outcome_fields[] = {STRING(OWNER, user_id), STRING(OWNER, occurred_at),
                                              STRING(OWNER, metric), NUMBER(OWNER, value),
                                              STRING(OWNER, idempotency_key)};
#undef OWNER
static SCHEMA(exposure_schema, struct split_event, "SplitExposure", exposure_fields);
static SCHEMA(outcome_schema, struct split_event, "SplitOutcome", outcome_fields);

struct batch_body {
    OBJECT_LIST(struct split_event, exposures);
    OBJECT_LIST(struct split_event, conversions);
};

#define OWNER struct batch_body
static const struct field exposures_fields[] = {OBJECTS(OWNER, exposures, exposure_schema)};
static const struct field conversions_fields[] = {OBJECTS(OWNER, conversions, outcome_schema)};
#undef OWNER
static SCHEMA(exposures_schema, struct batch_body, "SplitExposures", exposures_fields);
static SCHEMA(conversions_schema, struct batch_body, "SplitConversions", conversions_fields);

/* Sends one batch; `count` is its size. */
static enum error send_batch(const struct candidate_call *call, const struct split *split,
                             bool exposures, size_t *count)
{
    const char *what = exposures ? "exposures" : "conversions", *body;
    struct object_list events;
    json_t *ignored = NULL;
    enum error error =
        split_waiting(call->db, call->arena, split->split_id, exposures, &events, call->problem);

    *count = events.count;
    if (error || !events.count)
        return error;
    body = schema_json(call->arena, (size_t)call->settings->ab_request_bytes,
                       exposures ? &exposures_schema : &conversions_schema,
                       &(struct batch_body){.exposures = events, .conversions = events});
    error =
        post(call, arena_print(call->arena, "/api/v1/experiments/%s/%s", split->project_id, what),
             body, NULL, &ignored);
    return error ? error : split_sent(call->db, &events, call->problem);
}

static enum error send_events(const struct candidate_call *call, const struct split *split,
                              struct split_tally *tally)
{
    size_t exposures, outcomes = 0;
    enum error error = send_batch(call, split, true, &exposures);

    if (!error)
        error = send_batch(call, split, false, &outcomes);
    if (error)
        return error;
    tally->exposures += (int64_t)exposures;
    tally->outcomes += (int64_t)outcomes;
    tally->more |= exposures == SPLIT_EVENTS_MOST || outcomes == SPLIT_EVENTS_MOST;
    return ERROR_NONE;
}

static bool decision_is_due(const struct candidate_call *call, const struct split *split)
{
    int64_t read_at;

    return !split->read_at || !timestamp_from_text(split->read_at, &read_at) ||
           clock_unix_microseconds() - read_at >=
               call->settings->ab_decision_interval * MICROSECONDS;
}

static const char *reasons_of(const struct candidate_call *call, const json_t *document)
{
    const json_t *reason;
    struct json_writer writer;
    struct text text;
    size_t i;

    text_start(&text, call->arena, REASONS_MOST);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    json_array_foreach(json_object_get(document, "reasons"), i, reason) schema_write(
        &writer, &split_reason_schema,
        &(struct split_reason){.code = json_string_value(json_object_get(reason, "code")),
                               .text = json_string_value(json_object_get(reason, "text"))});
    writer_close_array(&writer);
    return text.bytes;
}

static enum error read_decision(const struct candidate_call *call, const struct split *split)
{
    const char *path =
        arena_print(call->arena, "/api/v1/experiments/%s/decision", split->project_id);
    json_t *document = NULL;
    const char *verdict, *confidence;
    enum error error = ask(call, path, NULL, NULL, &document);

    if (error)
        return error;
    verdict = json_string_value(json_object_get(document, "verdict"));
    confidence = json_string_value(json_object_get(document, "confidence"));
    if (!verdict || !confidence)
        return problem_set(call->problem, ERROR_UNAVAILABLE, "split_not_taken",
                           "%s: the answer has no verdict", path);
    return split_set_verdict(call->db, split->split_id, verdict, confidence,
                             reasons_of(call, document), call->problem);
}

static enum error report_one(const struct candidate_call *call, struct split *split, bool now,
                             struct split_tally *tally)
{
    enum error error = split->project_id ? ERROR_NONE : create_project(call, split);

    if (!error)
        error = send_events(call, split, tally);
    if (error || !split->live || (!now && !decision_is_due(call, split)))
        return error;
    error = read_decision(call, split);
    tally->decisions += !error;
    return error;
}

enum error split_report(const struct candidate_call *call, bool now, struct split_tally *tally)
{
    struct object_list rows;
    enum error error, first = ERROR_NONE;

    *tally = (struct split_tally){0};
    if (!split_is_reported(call->settings))
        return ERROR_NONE;
    error = split_list_open(call->db, call->arena, &rows, call->problem);
    for (size_t i = 0; i < rows.count && !error; i++) {
        struct split *split = &((struct split *)rows.items)[i];

        error = report_one(call, split, now, tally);
        tally->splits += !error;
        if (error == ERROR_UNAVAILABLE) { /* the next one may succeed */
            first = error;
            error = ERROR_NONE;
        }
    }
    return error ? error : first;
}

/* The first reason of a `no_ship` that means harm; NULL = no harm, or unknown. */
static const char *harm_of(const struct split *split)
{
    static const char *const harms[] = {"guardrail_vetoed", "significant_loss"};
    const struct split_reason *reasons = split->reasons.items;

    if (strcmp(split->verdict, "no_ship") != 0)
        return NULL;
    for (size_t harm = 0; harm < COUNT_OF(harms); harm++)
        for (size_t i = 0; i < split->reasons.count; i++)
            if (reasons[i].code && strcmp(reasons[i].code, harms[harm]) == 0)
                return harms[harm];
    return NULL;
}

/* Withdraws the experiment: files first, so that an interrupted run starts again. */
static enum error withdraw(const struct candidate_call *call, const struct split *split,
                           const char *reason)
{
    const char *at;
    enum error error = candidate_roll_back(call, split->experiment_id, reason, &at);

    if (error == ERROR_CONFLICT) /* it was not deployed */
        error = candidate_complete(call, split->experiment_id);
    if (!error)
        error = candidate_unstage(call, split->experiment_id);
    return error ? error : split_withdraw(call->db, split, call->problem);
}

static enum error check_split(const struct candidate_call *call, const struct split *split,
                              struct watch_finding *finding)
{
    const char *harm = harm_of(split);

    *finding = (struct watch_finding){
        .experiment_id = split->experiment_id,
        .reason = arena_print(call->arena, "decision_%s", harm ? harm : split->verdict),
        .rolled_back = harm != NULL};
    return harm ? withdraw(call, split, finding->reason) : ERROR_NONE;
}

enum error split_watch(const struct candidate_call *call, struct object_list *findings)
{
    struct watch_finding *items = ARENA_ARRAY(call->arena, struct watch_finding, SPLITS_MOST);
    struct object_list rows;
    enum error error = split_list_open(call->db, call->arena, &rows, call->problem);

    *findings = (struct object_list){.items = items};
    for (size_t i = 0; i < rows.count && !error; i++) {
        const struct split *split = &((const struct split *)rows.items)[i];

        if (split->live && split->verdict)
            error = check_split(call, split, &items[findings->count++]);
    }
    return error;
}
