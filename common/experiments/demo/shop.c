/* The tests of the demonstration: numbers are here, texts in config/demo. */
#include "experiments/demo/shop.h"

#include "base/clock.h"
#include "experiments/analyses/results_analysis.h"
#include "experiments/demo/project.h"
#include "experiments/demo/shop_events.h"

#include <string.h>

/* Names in config/demo/<language>/experiments.yaml. */
struct shop_texts {
    const char *name, *description, *market;
    const char *change, *visitors, *problem, *hypothesis, *validate, *result;
    const char *included, *excluded, *technical, *legal, *risks, *context;
    const char *metric, *secondary, *guardrail, *dimension;
    struct string_list segments;
};

struct shop_file {
    const struct shop_texts *checkout, *pricing, *onboarding;
};

#define TEXT(member) STRING(OWNER, member, .required = true, .min_length = 1)
#define OWNER struct shop_texts
static const struct field texts_fields[] = {TEXT(name),
                                            TEXT(description),
                                            TEXT(market),
                                            TEXT(change),
                                            TEXT(visitors),
                                            TEXT(problem),
                                            TEXT(hypothesis),
                                            TEXT(validate),
                                            TEXT(result),
                                            TEXT(included),
                                            TEXT(excluded),
                                            TEXT(technical),
                                            TEXT(legal),
                                            TEXT(risks),
                                            TEXT(context),
                                            TEXT(metric),
                                            TEXT(secondary),
                                            TEXT(guardrail),
                                            TEXT(dimension),
                                            STRINGS(OWNER, segments, .required = true,
                                                    .min_length = SHOP_SEGMENTS,
                                                    .max_length = SHOP_SEGMENTS)};
#undef OWNER
static SCHEMA(texts_schema, struct shop_texts, "DemoExperiment", texts_fields);

#define OWNER struct shop_file
static const struct field file_fields[] = {
    OBJECT(OWNER, checkout, texts_schema, .required = true),
    OBJECT(OWNER, pricing, texts_schema, .required = true),
    OBJECT(OWNER, onboarding, texts_schema, .required = true)};
#undef OWNER
static SCHEMA(file_schema, struct shop_file, "DemoExperiments", file_fields);

/* Percent of its baseline by which a guardrail may get worse. */
static const double guardrail_margin = 10;

struct shop_test {
    const char *preset, *prefix;
    double mde_pct, expected_uplift_pct;
    double baseline;  /* of amounts in euros or dollars */
    double guardrail; /* percent */
    struct shop_model model;
};

/* Its interval lies above the smallest effect that is worth it. */
static const struct shop_test checkout = {.preset = "checkout_conversion",
                                          .prefix = "shopper",
                                          .mde_pct = 12,
                                          .expected_uplift_pct = 15,
                                          .baseline = 0.062,
                                          .guardrail = 2.4,
                                          .model = {.seed = 30,
                                                    .people_a_day = 1250,
                                                    .outcome = {0.062, 0.0775},
                                                    .secondary = {0.31, 0.322},
                                                    .guardrail = {0.024, 0.0235},
                                                    .first_segment = 0.62,
                                                    .hours = 1.5}};

/* The planned sample is complete, the gain is significant, and its interval holds the smallest
 * effect that is worth it. */
static const struct shop_test pricing = {.preset = "pricing_sensitivity",
                                         .prefix = "customer",
                                         .mde_pct = 2,
                                         .expected_uplift_pct = 3,
                                         .baseline = 45,
                                         .guardrail = 3.8,
                                         .model = {.seed = 43,
                                                   .people_a_day = 300,
                                                   .outcome = {45, 45.95},
                                                   .deviation = 14,
                                                   .correlation = 0.5,
                                                   .secondary = {0.44, 0.445},
                                                   .guardrail = {0.038, 0.0385},
                                                   .first_segment = 0.55,
                                                   .stratified = true,
                                                   .hours = 3}};

/* Three fifths of the planned sample, and no difference that chance would not explain. */
static const struct shop_test onboarding = {.preset = "onboarding_completion",
                                            .prefix = "member",
                                            .mde_pct = 5,
                                            .expected_uplift_pct = 6,
                                            .baseline = 0.34,
                                            .guardrail = 12,
                                            .model = {.seed = 52,
                                                      .people_a_day = 520,
                                                      .outcome = {0.34, 0.347},
                                                      .secondary = {0.21, 0.214},
                                                      .guardrail = {0.12, 0.121},
                                                      .first_segment = 0.4,
                                                      .stratified = true,
                                                      .hours = 5}};

/* A test with its texts, currency and events. */
struct shop {
    const struct shop_test *test;
    const struct shop_texts *texts;
    const struct demo_currency *currency;
    const struct locale *locale;
    const struct shop_run *run;
};

static const struct observed_results *results_of(const struct shop *shop, struct arena *arena)
{
    struct results_reply *analysis = ARENA_NEW(arena, struct results_reply);
    struct observed_results *observed = ARENA_NEW(arena, struct observed_results);
    struct problem problem;
    const struct results_call call = {shop->locale, arena, &problem};

    if (results_analyze(&call, &shop->run->observed, analysis))
        return NULL;
    *observed = (struct observed_results){
        .request = &shop->run->observed, .analysis = analysis, .saved_at = store_now(arena)};
    return observed;
}

static void set_texts(struct experiment_payload *payload, const struct shop *shop,
                      struct arena *arena)
{
    const struct shop_texts *texts = shop->texts;
    struct payload_project *project = ARENA_NEW(arena, struct payload_project);
    struct payload_hypothesis *hypothesis = ARENA_NEW(arena, struct payload_hypothesis);
    struct payload_constraints *constraints = ARENA_NEW(arena, struct payload_constraints);
    struct payload_context *context = ARENA_NEW(arena, struct payload_context);

    *project = *payload->project;
    *constraints = *payload->constraints;
    project->project_name = texts->name;
    project->project_description = texts->description;
    project->market = texts->market;
    *hypothesis = (struct payload_hypothesis){.change_description = texts->change,
                                              .target_audience = texts->visitors,
                                              .business_problem = texts->problem,
                                              .hypothesis_statement = texts->hypothesis,
                                              .what_to_validate = texts->validate,
                                              .desired_result = texts->result};
    constraints->technical_constraints = texts->technical;
    constraints->legal_or_ethics_constraints = texts->legal;
    constraints->known_risks = texts->risks;
    *context = (struct payload_context){.llm_context = texts->context,
                                        .observed_results = results_of(shop, arena)};
    payload->project = project;
    payload->hypothesis = hypothesis;
    payload->constraints = constraints;
    payload->additional_context = context;
}

static void set_metrics(struct experiment_payload *payload, const struct shop *shop,
                        struct arena *arena)
{
    const struct shop_test *test = shop->test;
    struct payload_metrics *metrics = ARENA_NEW(arena, struct payload_metrics);
    struct guardrail_metric *guardrail = ARENA_NEW(arena, struct guardrail_metric);
    const char **secondary = ARENA_NEW(arena, const char *);
    double scale = test->model.deviation != 0 ? shop->currency->scale : 1;

    *metrics = *payload->metrics;
    *secondary = shop->texts->secondary;
    *guardrail = *(const struct guardrail_metric *)metrics->guardrail_metrics.items;
    guardrail->name = shop->texts->guardrail;
    guardrail->baseline_rate = (struct optional_number)GIVEN_NUMBER(test->guardrail);
    guardrail->non_inferiority_margin_pct = (struct optional_number)GIVEN_NUMBER(guardrail_margin);
    metrics->primary_metric_name = shop->texts->metric;
    metrics->baseline_value = test->baseline * scale;
    metrics->mde_pct = test->mde_pct;
    metrics->expected_uplift_pct = (struct optional_number)GIVEN_NUMBER(test->expected_uplift_pct);
    if (test->model.deviation != 0) {
        metrics->std_dev = (struct optional_number)GIVEN_NUMBER(test->model.deviation * scale);
        metrics->cuped_pre_experiment_std = metrics->std_dev;
        metrics->cuped_correlation = (struct optional_number)GIVEN_NUMBER(test->model.correlation);
    }
    metrics->secondary_metrics = (struct string_list){1, secondary};
    metrics->guardrail_metrics.items = guardrail;
    metrics->guardrail_metrics.count = 1;
    payload->metrics = metrics;
}

static const struct experiment_payload *design_of(const struct shop *shop, struct arena *arena)
{
    struct experiment_payload *payload = demo_preset(shop->test->preset, arena);
    struct payload_setup *setup = ARENA_NEW(arena, struct payload_setup);

    *setup = *payload->setup;
    setup->expected_daily_traffic = shop->test->model.people_a_day;
    setup->audience_share_in_test = 1;
    setup->inclusion_criteria = shop->texts->included;
    setup->exclusion_criteria = shop->texts->excluded;
    payload->setup = setup;
    set_metrics(payload, shop, arena);
    set_texts(payload, shop, arena);
    return payload;
}

static const struct shop_run *draw(const struct shop *shop, struct arena *arena)
{
    const struct shop_names names = {.prefix = shop->test->prefix,
                                     .metric = shop->texts->metric,
                                     .secondary = shop->texts->secondary,
                                     .guardrail = shop->texts->guardrail,
                                     .dimension = shop->texts->dimension,
                                     .segments = shop->texts->segments};

    return shop_draw(arena, &shop->test->model, &names, shop->currency, clock_unix_microseconds());
}

/* The events of a test, all of them or none. */
static enum error send_events(const struct live_call *call, const struct shop *shop,
                              const char *project_id)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error
                 : db_finish(call->db, shop_send(call, project_id, shop->run), call->problem);
}

static enum error make_test(const struct live_call *call, struct shop *shop, struct demo_made *made)
{
    const struct project_call saving = {
        .db = call->db, .arena = call->arena, .problem = call->problem};
    const struct experiment_payload *design = NULL;
    struct project project;
    bool has_events = false;
    enum error error = demo_project_find(&saving, shop->texts->name, &project);

    if (error || project.is_archived)
        return error;
    if (project.id) {
        error = demo_project_has_events(call, project.id, &has_events);
        if (error || has_events)
            return error;
    }
    shop->run = draw(shop, call->arena);
    design = design_of(shop, call->arena);
    if (!project.id) {
        error = project_create(&saving, design, &project);
        made->projects += !error;
    }
    if (!error && !project.last_analysis_run_id) {
        error = demo_project_analyse(&saving, shop->locale, design, &project);
        made->analyses += !error;
    }
    if (!error)
        error = send_events(call, shop, project.id);
    made->runs += !error;
    return error;
}

enum error shop_make(const struct live_call *call, const struct demo_files *files,
                     struct demo_made *made)
{
    const struct locale *locale = locale_get(language_find(files->language));
    struct demo_currency currency;
    struct shop_file file;
    enum error error =
        demo_file_read(call->arena, files, "experiments.yaml", &file_schema, &file, call->problem);

    if (!error)
        error = demo_currency_read(call->arena, files, &currency, call->problem);
    if (error)
        return error;
    struct shop shops[] = {
        {.test = &checkout, .texts = file.checkout, .currency = &currency, .locale = locale},
        {.test = &pricing, .texts = file.pricing, .currency = &currency, .locale = locale},
        {.test = &onboarding, .texts = file.onboarding, .currency = &currency, .locale = locale}};

    for (size_t i = 0; i < COUNT_OF(shops) && !error; i++)
        error = make_test(call, &shops[i], made);
    return error;
}
