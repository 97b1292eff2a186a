/* The examples as projects: presets with a name of their own, analyzed as /api/v1/analyze does. */
#include "experiments/demo/demo.h"

#include "experiments/analyses/results_analysis.h"
#include "experiments/demo/demo_events.h"
#include "experiments/demo/project.h"
#define ALPHA 0.05

static const struct demo {
    const char *name;
    const char *preset;
    double mde_pct;             /* 0 = the preset's */
    double expected_uplift_pct; /* the same */
    bool exported;
    demo_events *events;
    struct results_request observed; /* what the events amount to */
} demos[DEMO_COUNT] = {
    {"Demo - Checkout Conversion",
     "checkout_conversion",
     50,
     45,
     true,
     demo_checkout_events,
     {.metric_type = ANALYZER_BINARY,
      .binary = &(const struct binary_observation){84, 1992, 184, 2000, ALPHA}}},
    {"Demo - Pricing Sensitivity",
     "pricing_sensitivity",
     5.5,
     0,
     false,
     demo_pricing_events,
     {.metric_type = ANALYZER_CONTINUOUS,
      .continuous = &(const struct continuous_observation){47.292475, 12.112509, 400, 53.20505,
                                                           12.584953, 400, ALPHA}}},
    {"Demo - Onboarding Completion",
     "onboarding_completion",
     0,
     0,
     false,
     demo_onboarding_events,
     {.metric_type = ANALYZER_BINARY,
      .binary = &(const struct binary_observation){405, 1200, 422, 1200, ALPHA}}},
};

/* The observed data, analyzed as /api/v1/results does. NULL when that is refused. */
static const struct observed_results *results_of(const struct demo *demo,
                                                 const struct locale *locale, struct arena *arena)
{
    struct results_reply *analysis = ARENA_NEW(arena, struct results_reply);
    struct observed_results *observed = ARENA_NEW(arena, struct observed_results);
    struct problem problem;
    const struct results_call call = {locale, arena, &problem};

    if (results_analyze(&call, &demo->observed, analysis))
        return NULL;
    *observed = (struct observed_results){
        .request = &demo->observed, .analysis = analysis, .saved_at = store_now(arena)};
    return observed;
}

static const struct experiment_payload *design_of(const struct demo *demo,
                                                  const struct locale *locale, struct arena *arena)
{
    static const char note[] = "Seeded demo sample.";
    struct experiment_payload *payload = demo_preset(demo->preset, arena);
    struct payload_project *project = ARENA_NEW(arena, struct payload_project);
    struct payload_metrics *metrics = ARENA_NEW(arena, struct payload_metrics);
    struct payload_context *context = ARENA_NEW(arena, struct payload_context);

    *project = *payload->project;
    *metrics = *payload->metrics;
    *context = *payload->additional_context;
    project->project_name = demo->name;
    project->project_description = arena_print(arena, "%s %s", project->project_description, note);
    context->llm_context = arena_print(arena, "%s %s", context->llm_context, note);
    if (demo->mde_pct != 0)
        metrics->mde_pct = demo->mde_pct;
    if (demo->expected_uplift_pct != 0)
        metrics->expected_uplift_pct = (struct optional_number){true, demo->expected_uplift_pct};
    context->observed_results = results_of(demo, locale, arena);
    payload->project = project;
    payload->metrics = metrics;
    payload->additional_context = context;
    return payload;
}

/* Creates all of them or none, so that an interrupted run is repeated completely. */
static enum error make_events(const struct live_call *call, const struct demo *demo,
                              const char *project_id)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error : db_finish(call->db, demo->events(call, project_id), call->problem);
}

static enum error make_one(const struct live_call *call, const struct locale *locale,
                           const struct demo *demo, struct demo_made *made)
{
    const struct project_call saving = {
        .db = call->db, .arena = call->arena, .problem = call->problem};
    struct project project;
    bool has_events = false;
    enum error error = demo_project_find(&saving, demo->name, &project);

    if (!error && !project.id) {
        error = project_create(&saving, design_of(demo, locale, call->arena), &project);
        made->projects += !error;
    }
    if (error || project.is_archived)
        return error;
    if (!project.last_analysis_run_id) {
        error =
            demo_project_analyse(&saving, locale, design_of(demo, locale, call->arena), &project);
        made->analyses += !error;
    }
    if (!error && demo->exported && !project.last_exported_at) {
        error = project_add_export(&saving, project.id, EXPORT_MARKDOWN,
                                   project.last_analysis_run_id, &project);
        made->exports += !error;
    }
    if (!error)
        error = demo_project_has_events(call, project.id, &has_events);
    if (error || has_events)
        return error;
    error = make_events(call, demo, project.id);
    made->runs += !error;
    return error;
}

enum error demo_make(const struct live_call *call, const struct locale *locale,
                     struct demo_made *made)
{
    enum error error = ERROR_NONE;

    *made = (struct demo_made){0};
    for (size_t i = 0; i < DEMO_COUNT && !error; i++)
        error = make_one(call, locale, &demos[i], made);
    return error;
}
