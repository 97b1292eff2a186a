/* Records go in batches, exposures before outcomes; what was taken is marked, so that a round that
 * dies in between sends its last batch again. */
#include "support/candidates/split_report.h"
#include "base/clock.h"
#include "base/instant.h"
#include "base/log.h"
#include "net/fetch.h"

#include <math.h>
#include <string.h>

enum {
    REASONS_MOST = 1 << 20, /* bytes that are kept of a decision */
    SAID_MOST = 200,
    EVERYBODY = 100, /* percent */
    BASELINE_LEAST = 30,
    MICROSECONDS = 1000000
};
/* Where too little is known of a tenant's answers. */
static const double usual_quality = 75, usual_deviation = 20, usual_rate = 0.05;
static const double least_rate = 0.001, most_rate = 0.99, least_deviation = 1, least_quality = 1;

static const char primary_metric[] = "quality";
static const char *const guardrails[] = {"thumbs_down", "escalated"};

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

/* Asks the experiments service; `document` is its answer. */
static enum error ask(const struct candidate_call *call, const char *path, const struct text *body,
                      const char *key, json_t **document)
{
    const char *base = call->settings->ab_base_url;
    size_t length = strlen(base);
    struct json_fault fault;
    struct fetch_answer answer;
    struct fetch_request request = {
        .body = body ? body->bytes : NULL,
        .body_length = body ? body->length : 0,
        .headers = {{"Authorization",
                     arena_print(call->arena, "Bearer %s", call->settings->ab_api_key)},
                    {"Content-Type", "application/json"},
                    {"Idempotency-Key", key}},
        .header_count = key ? 3 : 2,
        .answer_max = (size_t)call->settings->ab_answer_bytes,
        .private_too = true, /* our operator has named it */
        .policy = {.connect_seconds = call->settings->ab_connect,
                   .attempt_seconds = call->settings->ab_timeout,
                   .total_seconds = call->settings->ab_timeout,
                   .attempts = 1}};

    if (body && body->overflowed)
        return problem_set(call->problem, ERROR_TOO_LARGE, "split_too_large",
                           "%s: a batch is larger than AB_MAX_REQUEST_BYTES", path);
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

static double between(double value, double least, double most)
{
    return fmin(fmax(value, least), most);
}

static void write_guardrail(struct json_writer *writer, const char *name, double rate,
                            double margin)
{
    writer_open_object(writer);
    writer_key_string(writer, "name", name);
    writer_key_string(writer, "metric_type", "binary");
    writer_key_number(writer, "baseline_rate", between(rate, least_rate, most_rate) * EVERYBODY);
    writer_key_string(writer, "direction", "increase_is_bad");
    writer_key_number(writer, "non_inferiority_margin_pct", margin);
    writer_close_object(writer);
}

static void write_words(struct json_writer *writer, const struct split *split)
{
    writer_key(writer, "project");
    writer_open_object(writer);
    writer_key_string(writer, "project_name", split->experiment_id);
    writer_key_string(writer, "domain", "support");
    writer_key_string(writer, "product_type", "question answering");
    writer_key_string(writer, "platform", "support");
    writer_key_string(writer, "market", split->tenant_id);
    writer_key_string(writer, "project_description", "A share of live conversations.");
    writer_close_object(writer);
    writer_key(writer, "hypothesis");
    writer_open_object(writer);
    writer_key_string(writer, "change_description", split->experiment_id);
    writer_key_string(writer, "target_audience", "Conversations of the tenant");
    writer_key_string(writer, "business_problem", "Weak answers");
    writer_key_string(writer, "hypothesis_statement", "Answers are better and harm nobody.");
    writer_key_string(writer, "what_to_validate", "Quality, votes against, escalations");
    writer_key_string(writer, "desired_result", "Better answers");
    writer_close_object(writer);
}

static void write_setup(struct json_writer *writer, const struct split *split, int64_t daily)
{
    writer_key(writer, "setup");
    writer_open_object(writer);
    writer_key_string(writer, "experiment_type", "ab");
    writer_key_string(writer, "randomization_unit", "conversation");
    writer_key(writer, "traffic_split");
    writer_open_array(writer);
    writer_integer(writer, EVERYBODY - split->percentage);
    writer_integer(writer, split->percentage);
    writer_close_array(writer);
    writer_key_integer(writer, "expected_daily_traffic", daily);
    writer_key_integer(writer, "audience_share_in_test", 1);
    writer_key_integer(writer, "variants_count", 2);
    writer_key_string(writer, "inclusion_criteria", "");
    writer_key_string(writer, "exclusion_criteria", "");
    writer_close_object(writer);
}

static void write_metrics(struct json_writer *writer, const struct support_settings *settings,
                          const struct split_baseline *baseline)
{
    bool known = baseline->conversations >= BASELINE_LEAST;
    const double rates[] = {known ? baseline->down_rate : usual_rate,
                            known ? baseline->escalated_rate : usual_rate};

    writer_key(writer, "metrics");
    writer_open_object(writer);
    writer_key_string(writer, "primary_metric_name", primary_metric);
    writer_key_string(writer, "metric_type", "continuous");
    writer_key_number(writer, "baseline_value",
                      known ? fmax(baseline->quality_mean, least_quality) : usual_quality);
    writer_key_number(writer, "std_dev",
                      known ? fmax(baseline->quality_deviation, least_deviation) : usual_deviation);
    writer_key_number(writer, "mde_pct", settings->split_mde);
    writer_key_number(writer, "alpha", 0.05);
    writer_key_number(writer, "power", 0.8);
    writer_key(writer, "secondary_metrics");
    writer_open_array(writer);
    writer_string(writer, "thumbs_up");
    writer_close_array(writer);
    writer_key(writer, "guardrail_metrics");
    writer_open_array(writer);
    for (size_t i = 0; i < sizeof guardrails / sizeof guardrails[0]; i++)
        write_guardrail(writer, guardrails[i], rates[i], settings->split_margin);
    writer_close_array(writer);
    writer_close_object(writer);
    writer_key(writer, "constraints");
    writer_open_object(writer);
    writer_key_boolean(writer, "seasonality_present", false);
    writer_key_boolean(writer, "active_campaigns_present", false);
    writer_key_boolean(writer, "returning_users_present", true);
    writer_key_string(writer, "interference_risk", "low");
    writer_key_string(writer, "technical_constraints", "");
    writer_key_string(writer, "legal_or_ethics_constraints", "");
    writer_key_string(writer, "known_risks", "");
    writer_key_string(writer, "deadline_pressure", "low");
    writer_key_boolean(writer, "long_test_possible", true);
    writer_key_integer(writer, "n_looks", settings->split_looks);
    writer_close_object(writer);
}

static void start_body(const struct candidate_call *call, struct text *body,
                       struct json_writer *writer)
{
    text_start(body, call->arena, (size_t)call->settings->ab_request_bytes);
    writer_start(writer, body);
    writer_open_object(writer);
}

/* The project that stands for the split. Asked for again it is the same one. */
static enum error found_project(const struct candidate_call *call, struct split *split)
{
    struct split_baseline baseline;
    struct text body;
    struct json_writer writer;
    json_t *document = NULL;
    enum error error = split_read_baseline(call->db, split->tenant_id, &baseline, call->problem);

    if (error)
        return error;
    start_body(call, &body, &writer);
    write_words(&writer, split);
    write_setup(&writer, split, 1 + baseline.conversations / 30);
    write_metrics(&writer, call->settings, &baseline);
    writer_close_object(&writer);
    error = ask(call, "/api/v1/projects", &body, split->split_id, &document);
    if (error)
        return error;
    split->project_id = json_string_value(json_object_get(document, "id"));
    if (!split->project_id)
        return problem_set(call->problem, ERROR_UNAVAILABLE, "split_not_taken",
                           "/api/v1/projects: the answer has no id");
    return split_set_project(call->db, split->split_id, split->project_id, call->problem);
}

static void write_event(struct json_writer *writer, const struct split_event *event)
{
    writer_open_object(writer);
    writer_key_string(writer, "user_id", event->unit);
    writer_key_string(writer, "occurred_at", event->occurred_at);
    if (event->metric) {
        writer_key_string(writer, "metric", event->metric);
        writer_key_number(writer, "value", event->value);
        writer_key_string(writer, "idempotency_key", event->key);
    } else {
        writer_key_integer(writer, "variation_index", event->arm);
    }
    writer_close_object(writer);
}

/* One batch; `count` is its size. */
static enum error send_batch(const struct candidate_call *call, const struct split *split,
                             bool exposures, size_t *count)
{
    const char *what = exposures ? "exposures" : "conversions";
    struct object_list events;
    struct text body;
    struct json_writer writer;
    json_t *ignored = NULL;
    enum error error =
        split_waiting(call->db, call->arena, split->split_id, exposures, &events, call->problem);

    *count = events.count;
    if (error || !events.count)
        return error;
    start_body(call, &body, &writer);
    writer_key(&writer, what);
    writer_open_array(&writer);
    for (size_t i = 0; i < events.count; i++)
        write_event(&writer, &((const struct split_event *)events.items)[i]);
    writer_close_array(&writer);
    writer_close_object(&writer);
    error =
        ask(call, arena_print(call->arena, "/api/v1/experiments/%s/%s", split->project_id, what),
            &body, NULL, &ignored);
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

    return !split->read_at || !instant_parse(split->read_at, &read_at) ||
           clock_unix_microseconds() - read_at >=
               call->settings->ab_decision_interval * MICROSECONDS;
}

static const char *reasons_of(const struct candidate_call *call, const json_t *document)
{
    struct text text;
    struct json_writer writer;
    const json_t *reason;
    size_t i;

    text_start(&text, call->arena, REASONS_MOST);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    json_array_foreach(json_object_get(document, "reasons"), i, reason)
    {
        writer_open_object(&writer);
        writer_key_string(&writer, "code", json_string_value(json_object_get(reason, "code")));
        writer_key_string(&writer, "text", json_string_value(json_object_get(reason, "text")));
        writer_close_object(&writer);
    }
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
    enum error error = split->project_id ? ERROR_NONE : found_project(call, split);

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
        if (error == ERROR_UNAVAILABLE) { /* the next one may fare better */
            first = error;
            error = ERROR_NONE;
        }
    }
    return error ? error : first;
}

/* The first reason of a `no_ship` that says harm; NULL = it does not harm, or nobody knows. */
static const char *harm_of(const struct candidate_call *call, const struct split *split)
{
    static const char *const harms[] = {"guardrail_vetoed", "significant_loss"};
    struct json_fault fault;
    const json_t *reason;
    json_t *reasons = NULL;
    size_t i;

    if (strcmp(split->verdict, "no_ship") != 0 || !split->reasons ||
        json_read(call->arena, split->reasons, strlen(split->reasons), 4, &reasons, &fault))
        return NULL;
    for (size_t harm = 0; harm < sizeof harms / sizeof harms[0]; harm++) {
        json_array_foreach(reasons, i, reason)
        {
            const char *code = json_string_value(json_object_get(reason, "code"));

            if (code && strcmp(code, harms[harm]) == 0)
                return harms[harm];
        }
    }
    return NULL;
}

/* The experiment answers nobody any more: files first, so that who dies in between begins anew. */
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

static enum error look_at(const struct candidate_call *call, const struct split *split,
                          struct watch_finding *finding)
{
    const char *harm = harm_of(call, split);

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
            error = look_at(call, split, &items[findings->count++]);
    }
    return error;
}
