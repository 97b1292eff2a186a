/* Running the cases and judging what came of them. */
#include "support/regression/run.h"
#include "base/clock.h"
#include "base/number.h"
#include "crypto/token.h"
#include "support/candidates/experiment.h"
#include "support/improvement/files.h"
#include "support/regression/draw.h"
#include "support/regression/report.h"
#include "support/traces/trace_store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CASE_MEMORY = 256 * 1024 * 1024, SEVERITY_DEFAULT = 1 };

#define GATE_ALPHA 0.05
#define GATE_POWER 0.8

void regression_plan_start(struct regression_plan *plan, const struct support_settings *settings)
{
    *plan =
        (struct regression_plan){.baseline = "current",
                                 .candidate = "current",
                                 .seed = 42,
                                 .gate = {settings->regression_most, settings->regression_pass_rate,
                                          GATE_ALPHA, GATE_POWER, settings->regression_drop},
                                 .report_folder = "reports/regression"};
}

/* What a name stands for. */
static enum error resolve(const struct regression_tools *tools, const char *name,
                          struct overlay *overlay)
{
    struct experiment experiment;
    enum error error;

    overlay_of_files(tools->arena, tools->settings, overlay);
    if (strcmp(name, "current") == 0)
        return ERROR_NONE;
    error = experiment_read(tools->arena, tools->settings, name, &experiment, tools->problem);
    if (error == ERROR_NOT_FOUND)
        return problem_set(tools->problem, ERROR_NOT_FOUND, "experiment_not_found",
                           "experiment not found: %s", name);
    if (!error)
        overlay_put(tools->arena, overlay, experiment.id, experiment.settings, experiment.prompts,
                    false);
    return error;
}

static const char *citations_json(struct arena *arena, const struct graph_outcome *outcome)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, arena, 1 << 20);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t i = 0; i < outcome->source_count; i++) {
        writer_open_object(&writer);
        writer_key_integer(&writer, "index", (int64_t)i + 1);
        writer_key_string(&writer, "doc_id", outcome->sources[i].doc_id);
        writer_key_string(&writer, "title", outcome->sources[i].title);
        writer_key_string(&writer, "excerpt", outcome->sources[i].excerpt);
        writer_close_object(&writer);
    }
    writer_close_array(&writer);
    return text.bytes;
}

static enum error keep_trace(const struct trace_call *call, const struct trace_start *start,
                             const struct graph_outcome *outcome, double milliseconds)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = trace_begin(call, start);
    if (!error)
        error = trace_finish(call, start->trace_id, outcome, milliseconds);
    return db_finish(call->db, error, call->problem);
}

/* Answers a case as the service would, and keeps its trace apart from people's. */
static enum error execute(const struct regression_tools *tools, struct arena *arena,
                          const struct overlay *overlay, const struct curated_case *item,
                          struct execution *execution)
{
    const struct document_call call = {tools->db, arena, item->tenant_id, tools->problem};
    const struct trace_call trace = {tools->db, arena, item->tenant_id, tools->problem};
    const struct graph_tools graph = {.cache = tools->cache,
                                      .call = &call,
                                      .settings = &overlay->settings,
                                      .synonyms = tools->synonyms,
                                      .models = tools->models,
                                      .prompts = overlay->prompts,
                                      .experiment_id = overlay->experiment_id,
                                      .mark = overlay->mark};
    char uuid[TOKEN_UUID_TEXT];
    struct graph_outcome *outcome = ARENA_NEW(arena, struct graph_outcome);
    int64_t started = clock_monotonic_microseconds();
    struct graph_request request = {
        .question = item->query, .session_id = "", .user_id = "", .request_id = ""};
    struct trace_start start = {.session_id = "",
                                .question = item->query,
                                .channel = item->channel,
                                .experiment_id = overlay->experiment_id,
                                .origin = "regression"};
    double milliseconds;

    token_uuid(uuid);
    start.trace_id = request.trace_id = arena_print(arena, "regression-%s", uuid);
    request.deadline = started + tools->settings->request_timeout_sec * 1000000;
    graph_run(&graph, &request, outcome);
    milliseconds = (double)(clock_monotonic_microseconds() - started) / 1000;
    *execution =
        (struct execution){.answer = outcome->error ? "[PROVIDER_UNAVAILABLE]" : outcome->answer,
                           .quality = outcome->quality,
                           .factuality = outcome->factuality,
                           .citations = citations_json(arena, outcome),
                           .citation_count = (int64_t)outcome->source_count,
                           .duration_ms = {true, (int64_t)(milliseconds + 0.5)},
                           .cost_usd = {true, outcome->cost},
                           .route = route_kind_names[outcome->route],
                           .trace_id = start.trace_id};
    return keep_trace(&trace, &start, outcome, milliseconds);
}

/* What a run without an engine takes for an answer: the very words that are expected. */
static void simulate(struct arena *arena, const char *target, const struct curated_case *item,
                     struct execution *execution)
{
    const struct curated_expected *expected = &item->expected;
    int64_t citations = expected->citations_least.given && expected->citations_least.value > 1
                            ? expected->citations_least.value
                            : 1;
    struct text answer, list;

    text_start(&answer, arena, 1 << 20);
    for (size_t i = 0; i < expected->contains.count; i++)
        text_append_format(&answer, "%s%s", answer.length ? " " : "", expected->contains.items[i]);
    for (size_t i = 0; i < expected->any_count; i++)
        if (expected->any[i].count)
            text_append_format(&answer, "%s%s", answer.length ? " " : "",
                               expected->any[i].items[0]);
    if (!answer.length)
        text_append_format(&answer, "Mock provider response for %s", item->query);
    text_start(&list, arena, 1 << 20);
    for (int64_t i = 1; i <= citations; i++)
        text_append_format(&list,
                           "%s{\"index\":%lld,\"doc_id\":\"experiment-doc-%lld\","
                           "\"title\":\"experiment\",\"excerpt\":\"\"}",
                           i > 1 ? "," : "[", (long long)i, (long long)i);
    text_append_byte(&list, ']');
    *execution = (struct execution){
        .answer = answer.bytes,
        .quality = fmax(75, expected->min_quality.given ? expected->min_quality.value : 75),
        .factuality =
            fmax(80, expected->min_factuality.given ? expected->min_factuality.value : 80),
        .citations = list.bytes,
        .citation_count = citations,
        .duration_ms = {true, 500},
        .cost_usd = {true, 0},
        .route = expected->route ? expected->route : "auto",
        .trace_id = arena_print(arena, "mock-experiment-%s-%s", improvement_slug(arena, target),
                                item->case_id)};
}

static int severity_of(const struct curated_case *item)
{
    for (size_t i = 0; i < item->tags.count; i++) {
        int64_t value;

        if (strncmp(item->tags.items[i], "severity:", 9) == 0 &&
            integer_parse(item->tags.items[i] + 9, &value) && value >= 1 &&
            value <= PAIRED_SEVERITY_MAX)
            return (int)value;
    }
    return SEVERITY_DEFAULT;
}

/* In memory of its own: a run has many cases, and keeps of each only what is reported. */
static enum error execute_apart(const struct regression_tools *tools, const struct overlay *overlay,
                                const struct curated_case *item, struct execution *execution)
{
    struct arena *arena = arena_create(CASE_MEMORY);
    enum error error;

    if (!arena)
        return problem_set(tools->problem, ERROR_SYSTEM, "out_of_memory", "out of memory");
    error = execute(tools, arena, overlay, item, execution);
    if (!error) {
        execution->answer = arena_copy_string(tools->arena, execution->answer);
        execution->citations = arena_copy_string(tools->arena, execution->citations);
        execution->trace_id = arena_copy_string(tools->arena, execution->trace_id);
    }
    arena_destroy(arena);
    return error;
}

static enum error answer(const struct regression_tools *tools, const struct regression_plan *plan,
                         const char *target, const struct overlay *overlay,
                         const struct curated_case *item, struct execution *execution)
{
    if (!plan->simulated)
        return execute_apart(tools, overlay, item, execution);
    simulate(tools->arena, target, item, execution);
    return ERROR_NONE;
}

static enum error run_case(const struct regression_tools *tools, const struct regression_plan *plan,
                           const struct overlay *baseline, const struct overlay *candidate,
                           const struct curated_case *item, struct case_outcome *outcome)
{
    enum error error = answer(tools, plan, plan->baseline, baseline, item, &outcome->baseline);

    outcome->item = item;
    outcome->severity = severity_of(item);
    if (!error)
        error = answer(tools, plan, plan->candidate, candidate, item, &outcome->candidate);
    if (error)
        return error;
    outcome->baseline_lost = execution_is_infrastructure(tools->arena, &outcome->baseline);
    outcome->candidate_lost = execution_is_infrastructure(tools->arena, &outcome->candidate);
    outcome->baseline_failures =
        expectations_failed(tools->arena, &item->expected, &outcome->baseline);
    outcome->candidate_failures =
        expectations_failed(tools->arena, &item->expected, &outcome->candidate);
    return ERROR_NONE;
}

static int compare_cases(const void *a, const void *b)
{
    return strcmp(((const struct curated_case *)a)->case_id,
                  ((const struct curated_case *)b)->case_id);
}

static struct curated_set sample(struct arena *arena, const struct curated_set *set,
                                 const struct regression_plan *plan)
{
    struct curated_set part = {NULL, (size_t)plan->max_cases};
    const int64_t *drawn;

    if (plan->max_cases <= 0 || set->count <= (size_t)plan->max_cases)
        return *set;
    drawn = draw_sample(arena, (int64_t)set->count, plan->max_cases, plan->seed);
    part.cases = ARENA_ARRAY(arena, struct curated_case, part.count + 1);
    for (size_t i = 0; i < part.count; i++)
        part.cases[i] = set->cases[drawn[i]];
    qsort(part.cases, part.count, sizeof *part.cases, compare_cases);
    return part;
}

static enum error run_cases(const struct regression_tools *tools,
                            const struct regression_plan *plan, const struct curated_set *set,
                            struct case_outcome *outcomes)
{
    struct overlay *baseline = ARENA_NEW(tools->arena, struct overlay),
                   *candidate = ARENA_NEW(tools->arena, struct overlay);
    enum error error = resolve(tools, plan->baseline, baseline);

    if (!error)
        error = resolve(tools, plan->candidate, candidate);
    for (size_t i = 0; i < set->count && !error; i++) {
        error = run_case(tools, plan, baseline, candidate, &set->cases[i], &outcomes[i]);
        if (!error && tools->on_case)
            error =
                tools->on_case(tools->context, (int64_t)i + 1, (int64_t)set->count, tools->problem);
    }
    return error;
}

enum error regression_run(const struct regression_tools *tools, const struct regression_plan *plan,
                          struct regression_result *result)
{
    int64_t started = clock_monotonic_microseconds();
    struct curated_set all, set;
    struct case_outcome *outcomes;
    enum error error = curated_read(tools->arena, plan->dataset, &all, tools->problem);

    if (error)
        return error;
    all = curated_of(tools->arena, &all, plan->tenant);
    set = sample(tools->arena, &all, plan);
    outcomes = ARENA_ARRAY(tools->arena, struct case_outcome, set.count + 1);
    error = run_cases(tools, plan, &set, outcomes);
    if (!error)
        error = report_write(tools, plan, outcomes, set.count, result);
    result->seconds = (double)(clock_monotonic_microseconds() - started) / 1e6;
    return error;
}
