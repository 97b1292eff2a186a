/* Resolves targets, and answers questions with them: with models, or from the expectations. */
#include "support/regression/target.h"
#include "base/clock.h"
#include "crypto/token.h"
#include "support/candidates/experiment.h"
#include "support/programs/data_files.h"
#include "support/traces/trace_store.h"

#include <math.h>
#include <string.h>

enum { CASE_MEMORY = 256 * 1024 * 1024, EXCERPT_CHARACTERS = 120, JSON_MAX = 1 << 20 };

/* The simulated answers of a provider that is not called. */
struct simulated_provider {
    const char *provider;       /* NULL = any other */
    double quality, factuality; /* more than the least */
    int64_t milliseconds;
};
static const struct simulated_provider simulated_providers[] = {
    {"ollama", 0, 0, 180}, {"mistral", 2, 1, 420}, {"orch", 4, 3, 640}, {NULL, 0, 0, 500}};

static struct models_run asking(const struct regression_tools *tools, const struct target *target)
{
    return (struct models_run){.models = target->asks ? tools->models : NULL,
                               .profile = &target->profile,
                               .db = tools->db,
                               .arena = tools->arena};
}

/* Whether a profile asks a provider first, for any node; NULL = any provider of models. */
static bool asks_models(const struct registry_profile *profile, const char *provider)
{
    for (int node = 0; node < MODEL_NODE__MAX; node++)
        for (int fast = 0; fast < 2; fast++) {
            const struct registry_provider *first =
                registry_chain_of(profile, (enum model_node)node, fast != 0).targets[0].provider;

            if (first->kind != PROVIDER_EMBEDDED && (!provider || strcmp(first->id, provider) == 0))
                return true;
        }
    return false;
}

/* The service's own setup calls the active profile, which may cost money. */
static enum error check_paid(const struct regression_tools *tools,
                             const struct regression_plan *plan, const struct target *target)
{
    const struct models_run run = asking(tools, target);
    const char *paid = models_paid(&run);

    if (plan->calls || !*paid)
        return ERROR_NONE;
    return problem_set(tools->problem, ERROR_FORBIDDEN, "paid_apis",
                       "%s would ask paid providers (%s): allow it by --allow-paid-apis or "
                       "LLM_BENCHMARK_ALLOW_PAID_APIS, or simulate it by "
                       "--mock-experiment-runtime",
                       target->name, paid);
}

static enum error resolve_experiment(const struct regression_tools *tools,
                                     const struct regression_plan *plan, struct target *target)
{
    struct experiment experiment;
    enum error error = ERROR_NONE;

    target->simulated = plan->simulated;
    target->provider_id = "experiment";
    target->model = ARENA_NEW(tools->arena, struct registry_model);
    target->trace = "mock-experiment";
    if (strcmp(target->name, "current") != 0) {
        error = experiment_read(tools->arena, tools->settings, target->name, &experiment,
                                tools->problem);
        if (error == ERROR_NOT_FOUND)
            error = problem_set(tools->problem, ERROR_NOT_FOUND, "experiment_not_found",
                                "experiment not found: %s", target->name);
        if (!error)
            overlay_put(tools->arena, &target->overlay, experiment.id, experiment.settings,
                        experiment.prompts, false);
    }
    return error || target->simulated ? error : check_paid(tools, plan, target);
}

enum error target_resolve(const struct regression_tools *tools, const struct regression_plan *plan,
                          const char *name, struct target *target)
{
    const struct registry *registry = tools->models ? models_registry(tools->models) : NULL;

    *target = (struct target){.name = name, .asks = registry != NULL};
    overlay_of_files(tools->arena, tools->settings, &target->overlay);
    if (registry)
        target->profile = *registry->active;
    if (!registry || strcmp(name, "current") == 0 ||
        !registry_profile_of(registry, name, &target->profile))
        return resolve_experiment(tools, plan, target);
    target->is_provider = true;
    target->simulated = !plan->calls;
    target->needs_models = asks_models(&target->profile, NULL);
    target->provider_id = target->profile.strong.provider->id;
    target->model = target->profile.strong.model;
    target->trace = "mock";
    return ERROR_NONE;
}

/* As review counts them (review/extract.c). */
static int64_t quoted_documents(const struct graph_outcome *outcome)
{
    int64_t count = 0;

    for (size_t i = 0; i < outcome->source_count; i++) {
        bool known = false;

        for (size_t j = 0; j < i && !known; j++)
            known = strcmp(outcome->sources[j].doc_id, outcome->sources[i].doc_id) == 0;
        count += !known;
    }
    return count;
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

/* Whether a provider of the target answered any call. A fallback does not count. */
static bool was_answered(const struct target *target, const struct models_run *run)
{
    for (size_t i = 0; i < run->call_count; i++)
        if (run->calls[i].provider && asks_models(&target->profile, run->calls[i].provider))
            return true;
    return false;
}

enum stand_in { STAND_IN_NONE, STAND_IN_USELESS, STAND_IN_LOST };

/* The substitute of the target: another provider or the embedded engine, because the target did not
 * answer (lost) or because its answer was unusable. */
static enum stand_in stand_in_of(const struct target *target, const struct graph_outcome *outcome)
{
    const struct models_run *run = outcome->models;
    enum stand_in stand_in = STAND_IN_NONE;

    for (size_t i = 0; i < run->fallback_count; i++) {
        const struct model_fallback *fallback = &run->fallbacks[i];
        bool writes = strcmp(fallback->node, model_node_names[MODEL_GENERATE]) == 0;

        if (!fallback->rejected && asks_models(&target->profile, fallback->from_provider) &&
            (writes || !was_answered(target, run)))
            return STAND_IN_LOST;
        if (fallback->rejected && writes)
            stand_in = STAND_IN_USELESS;
    }
    return stand_in;
}

/* The outcome of a case. An answer of a substitute is never scored as the target's own. */
static struct execution execution_of(const struct target *target, struct arena *arena,
                                     const struct graph_outcome *outcome, double milliseconds)
{
    enum stand_in stand_in = target->needs_models ? stand_in_of(target, outcome) : STAND_IN_NONE;
    struct execution execution = {.answer = outcome->answer,
                                  .quality_score = outcome->quality,
                                  .factuality_score = outcome->factuality,
                                  .citations = citations_of(arena, outcome),
                                  .citation_count = quoted_documents(outcome),
                                  .duration_ms = {true, (int64_t)(milliseconds + 0.5)},
                                  .cost_usd = {true, outcome->cost},
                                  .route = route_kind_names[outcome->route],
                                  .silent = target->needs_models &&
                                            !was_answered(target, outcome->models)};

    if (outcome->error || stand_in == STAND_IN_LOST)
        execution.answer = "[PROVIDER_UNAVAILABLE]";
    else if (stand_in == STAND_IN_USELESS) {
        execution.answer = "";
        execution.quality_score = execution.factuality_score = 0;
        execution.citations = (struct object_list){0};
        execution.citation_count = 0;
        execution.route = "unknown";
    }
    return execution;
}

/* Answers a case as the service would, and stores its trace apart from those of users. */
static enum error execute(const struct regression_tools *tools, struct arena *arena,
                          const struct target *target, const struct curated_case *item,
                          struct execution *execution)
{
    const struct overlay *overlay = &target->overlay;
    const struct document_call call = {tools->db, arena, item->tenant_id, tools->problem};
    const struct trace_call trace = {tools->db, arena, item->tenant_id, tools->problem};
    const struct graph_tools graph = {.cache = tools->cache,
                                      .call = &call,
                                      .settings = &overlay->settings,
                                      .synonyms = tools->synonyms,
                                      .models = target->asks ? tools->models : NULL,
                                      .profile = &target->profile,
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
                                .origin = target->is_provider ? "benchmark" : "regression"};
    double milliseconds;

    token_uuid(uuid);
    start.trace_id = request.trace_id = arena_print(
        arena, "%s-%s", target->is_provider ? "provider-benchmark" : "regression", uuid);
    request.deadline = started + tools->settings->request_timeout_sec * 1000000;
    graph_run(&graph, &request, outcome);
    milliseconds = (double)(clock_monotonic_microseconds() - started) / 1000;
    *execution = execution_of(target, arena, outcome, milliseconds);
    execution->trace_id = start.trace_id;
    return keep_trace(&trace, &start, outcome, milliseconds);
}

/* A copy from the arena, for what outlives the memory of its case. */
static struct object_list copy_citations(struct arena *arena, const struct object_list *list)
{
    struct citation *copies = ARENA_ARRAY(arena, struct citation, list->count + 1);

    for (size_t i = 0; i < list->count; i++) {
        const struct citation *citation = &((const struct citation *)list->items)[i];

        copies[i] = (struct citation){.index = citation->index,
                                      .doc_id = arena_copy_string(arena, citation->doc_id),
                                      .title = arena_copy_string(arena, citation->title),
                                      .excerpt = arena_copy_string(arena, citation->excerpt)};
    }
    return (struct object_list){list->count, copies};
}

/* In separate memory: a run has many cases, and keeps only the reported data of each. */
static enum error execute_apart(const struct regression_tools *tools, const struct target *target,
                                const struct curated_case *item, struct execution *execution)
{
    struct arena *arena = arena_create(CASE_MEMORY);
    enum error error;

    if (!arena)
        return problem_set(tools->problem, ERROR_SYSTEM, "out_of_memory", "out of memory");
    error = execute(tools, arena, target, item, execution);
    if (!error) {
        execution->answer = arena_copy_string(tools->arena, execution->answer);
        execution->citations = copy_citations(tools->arena, &execution->citations);
        execution->trace_id = arena_copy_string(tools->arena, execution->trace_id);
    }
    arena_destroy(arena);
    return error;
}

/* The very words that are expected. */
static const char *expected_answer(struct arena *arena, const struct curated_case *item)
{
    const struct curated_expected *expected = &item->expected;
    struct text text;

    text_start(&text, arena, JSON_MAX);
    for (size_t i = 0; i < expected->contains.count; i++)
        text_append_format(&text, "%s%s", text.length ? " " : "", expected->contains.items[i]);
    for (size_t i = 0; i < expected->any_count; i++)
        if (expected->any[i].count)
            text_append_format(&text, "%s%s", text.length ? " " : "", expected->any[i].items[0]);
    if (!text.length)
        text_append_format(&text, "Mock provider response for %s", item->query);
    return text.bytes;
}

static struct object_list expected_citations(struct arena *arena, const struct target *target,
                                             const char *answer, int64_t count)
{
    const char *model = target->is_provider ? target->model->name : target->name;
    struct citation *citations = ARENA_ARRAY(arena, struct citation, (size_t)count + 1);

    for (int64_t i = 0; i < count; i++)
        citations[i] = (struct citation){
            .index = i + 1,
            .doc_id = arena_print(arena, "%s-doc-%lld", target->provider_id, (long long)i + 1),
            .title = arena_print(arena, "%s:%s", target->provider_id, model),
            .excerpt = utf8_copy_prefix(arena, answer, EXCERPT_CHARACTERS)};
    return (struct object_list){(size_t)count, citations};
}

static double scored(struct optional_number least, double otherwise, double more)
{
    return fmin(100, fmax(otherwise, least.given ? least.value : otherwise) + more);
}

/* The simulated answer of a run without an engine. */
static void simulate(struct arena *arena, const struct target *target,
                     const struct curated_case *item, struct execution *execution)
{
    const struct curated_expected *expected = &item->expected;
    const struct simulated_provider *simulated = simulated_providers;
    int64_t citations = expected->citations_least.given && expected->citations_least.value > 1
                            ? expected->citations_least.value
                            : 1;
    const char *answer = expected_answer(arena, item);

    while (simulated->provider && strcmp(simulated->provider, target->provider_id) != 0)
        simulated++;
    *execution = (struct execution){
        .answer = answer,
        .quality_score = scored(expected->min_quality, 75, simulated->quality),
        .factuality_score = scored(expected->min_factuality, 80, simulated->factuality),
        .citations = expected_citations(arena, target, answer, citations),
        .citation_count = citations,
        .duration_ms = {true, simulated->milliseconds},
        .cost_usd = {true, models_cost(target->model, models_estimate_tokens(item->query),
                                       models_estimate_tokens(answer))},
        .route = expected->route ? expected->route : "auto",
        .trace_id = arena_print(arena, "%s-%s-%s", target->trace,
                                data_file_slug(arena, target->name), item->case_id)};
}

enum error target_answer(const struct regression_tools *tools, const struct target *target,
                         const struct curated_case *item, struct execution *execution)
{
    const struct models_run run = asking(tools, target);
    enum error error;

    if (target->simulated) {
        simulate(tools->arena, target, item, execution);
        return ERROR_NONE;
    }
    error = models_check_day(&run, tools->problem);
    return error ? error : execute_apart(tools, target, item, execution);
}
