/* Figures in the text form that scrapers read (Prometheus exposition format 0.0.4). */
#include "orchestrator-system/metrics.h"

#include "base/number.h"
#include "limits/limits.h"
#include "orchestrator/dispatch/browser_state.h"
#include "orchestrator/service.h"

enum { METRICS_MAX = 4 << 20 };

enum {
    SCRAPED_BUILD,
    SCRAPED_READINESS,
    SCRAPED_COMPONENT,
    SCRAPED_ACTIVE,
    SCRAPED_MODEL_ACTIVE, /* the rows of one function stand together */
    SCRAPED_MODEL_LIMIT,
    SCRAPED_MODEL_SATURATED,
    SCRAPED_TASKS,
    SCRAPED_STEPS,
    SCRAPED_EVENTS,
    SCRAPED_BREAKER_STATE,
    SCRAPED_BREAKER_FAILURES,
    SCRAPED_BREAKER_OPENS,
    SCRAPED_BREAKER_REFUSALS
};

const struct metric orchestrator_scraped[ORCHESTRATOR_SCRAPED] = {
    [SCRAPED_BUILD] = {"orch_build_info", METRIC_GAUGE, "What runs here.",
                       .labels = {"environment", "execution_profile", "storage_backend",
                                  "version"}},
    [SCRAPED_READINESS] = {"orch_readiness_state", METRIC_GAUGE,
                           "Readiness of the service, one series per state.", .labels = {"status"}},
    [SCRAPED_COMPONENT] = {"orch_component_state", METRIC_GAUGE, "State of each component.",
                           .labels = {"kind", "name", "required", "status"}},
    [SCRAPED_ACTIVE] = {"orch_execution_active_model_executions", METRIC_GAUGE,
                        "Calls of models that run now."},
    [SCRAPED_MODEL_ACTIVE] = {"orch_execution_model_active", METRIC_GAUGE,
                              "Calls of each model that run now.", .labels = {"model_id"}},
    [SCRAPED_MODEL_LIMIT] = {"orch_execution_model_limit", METRIC_GAUGE,
                             "Calls of each model that may run at a time.", .labels = {"model_id"}},
    [SCRAPED_MODEL_SATURATED] = {"orch_execution_model_saturated", METRIC_GAUGE,
                                 "Whether every place of a model is taken.",
                                 .labels = {"model_id"}},
    [SCRAPED_TASKS] = {"orch_storage_task_count", METRIC_GAUGE, "Tasks in the store."},
    [SCRAPED_STEPS] = {"orch_storage_step_count", METRIC_GAUGE, "Steps in the store."},
    [SCRAPED_EVENTS] = {"orch_storage_event_count", METRIC_GAUGE, "Events in the store."},
    [SCRAPED_BREAKER_STATE] = {"orch_browser_circuit_breaker_state", METRIC_GAUGE,
                               "State of the browser's breaker.",
                               .labels = {"adapter_name", "state"}},
    [SCRAPED_BREAKER_FAILURES] = {"orch_browser_circuit_breaker_consecutive_failures", METRIC_GAUGE,
                                  "Failures of the browser in a row.", .labels = {"adapter_name"}},
    [SCRAPED_BREAKER_OPENS] = {"orch_browser_circuit_breaker_open_count", METRIC_GAUGE,
                               "How often its breaker has opened.", .labels = {"adapter_name"}},
    [SCRAPED_BREAKER_REFUSALS] = {"orch_browser_circuit_breaker_fail_fast_rejections", METRIC_GAUGE,
                                  "Calls that the open breaker has refused.",
                                  .labels = {"adapter_name"}},
};

static void head(struct text *out, int metric)
{
    metric_write_head(&orchestrator_scraped[metric], out);
}

static void value_of_label(struct text *out, const char *value)
{
    for (; *value; value++) {
        if (*value == '\\' || *value == '"')
            text_append_byte(out, '\\');
        if (*value == '\n')
            text_append_string(out, "\\n");
        else
            text_append_byte(out, *value);
    }
}

struct label {
    const char *name, *value;
};

/* Labels are given in the order of their names. */
static void sample(struct text *out, int metric, const struct label *labels, size_t count,
                   double value)
{
    char number[NUMBER_TEXT_MAX];
    bool whole = value == (double)(int64_t)value;

    text_append_string(out, orchestrator_scraped[metric].name);
    for (size_t i = 0; i < count; i++) {
        text_append_format(out, "%s%s=\"", i ? "," : "{", labels[i].name);
        value_of_label(out, labels[i].value);
        text_append_byte(out, '"');
    }
    text_append_string(out, count ? "} " : " ");
    text_append(out, number,
                whole ? integer_format((int64_t)value, number) : number_format(value, number));
    text_append_byte(out, '\n');
}

static void one_hot(struct text *out, int metric, const struct label *labels, size_t count,
                    const char *const *words, const char *current)
{
    struct label all[8];

    for (size_t i = 0; i < count; i++)
        all[i] = labels[i];
    for (size_t i = 0; words[i]; i++) {
        all[count] =
            (struct label){count && labels[0].name[0] == 'a' ? "state" : "status", words[i]};
        sample(out, metric, all, count + 1, words[i] == current);
    }
}

static void write_components(struct text *out, const struct readiness *readiness)
{
    head(out, SCRAPED_READINESS);
    one_hot(out, SCRAPED_READINESS, NULL, 0, component_state_names,
            component_state_names[readiness->status]);
    head(out, SCRAPED_COMPONENT);
    for (size_t i = 0; i < readiness->component_count; i++) {
        const struct component *component = &readiness->components[i];
        const struct label labels[] = {{"kind", component->kind},
                                       {"name", component->name},
                                       {"required", component->required ? "true" : "false"}};

        one_hot(out, SCRAPED_COMPONENT, labels, COUNT_OF(labels), component_state_names,
                component_state_names[component->status]);
    }
}

static void write_models(struct text *out, const struct catalog *catalog,
                         const struct readiness *readiness)
{
    head(out, SCRAPED_ACTIVE);
    sample(out, SCRAPED_ACTIVE, NULL, 0, (double)readiness->active);
    for (int i = 0; i < 3; i++) {
        head(out, SCRAPED_MODEL_ACTIVE + i);
        for (size_t j = 0; j < catalog->count; j++) {
            const struct model *model = &catalog->models[j];
            int64_t active = readiness_active(readiness, model->id);
            const double values[] = {(double)active, (double)model->concurrency_limit,
                                     active >= model->concurrency_limit};

            sample(out, SCRAPED_MODEL_ACTIVE + i, &(struct label){"model_id", model->id}, 1,
                   values[i]);
        }
    }
}

static void write_counts(struct text *out, const struct readiness *readiness)
{
    const int64_t values[] = {readiness->store.task_count, readiness->store.step_count,
                              readiness->store.event_count};

    for (int i = 0; readiness->counts_known && i < (int)COUNT_OF(values); i++) {
        head(out, SCRAPED_TASKS + i);
        sample(out, SCRAPED_TASKS + i, NULL, 0, (double)values[i]);
    }
}

static void write_breaker(struct text *out, const struct worker_context *worker)
{
    const struct label browser = {"adapter_name", browser_adapter_name};
    struct breaker_figures figures;
    const char *state = browser_breaker_read(worker, &figures);
    const uint64_t values[] = {figures.failures, figures.opens, figures.refusals};

    head(out, SCRAPED_BREAKER_STATE);
    one_hot(out, SCRAPED_BREAKER_STATE, &browser, 1, browser_breaker_names, state);
    for (int i = 0; i < (int)COUNT_OF(values); i++) {
        head(out, SCRAPED_BREAKER_FAILURES + i);
        sample(out, SCRAPED_BREAKER_FAILURES + i, &browser, 1, (double)values[i]);
    }
}

enum error exposition_handle(struct request *request, struct reply *reply)
{
    const struct orchestrator_settings *settings = service_settings(request);
    struct readiness *readiness = ARENA_NEW(request->arena, struct readiness);
    const struct label build[] = {{"environment", settings->environment},
                                  {"execution_profile", execution_profile_names[settings->profile]},
                                  {"storage_backend", storage_backend_names[settings->storage]},
                                  {"version", settings->version}};
    struct text *out = &reply->body;

    service_check_readiness(request, readiness);
    head(out, SCRAPED_BUILD);
    sample(out, SCRAPED_BUILD, build, COUNT_OF(build), 1);
    write_components(out, readiness);
    write_models(out, service_worker(request)->catalog, readiness);
    write_counts(out, readiness);
    write_breaker(out, service_worker(request));
    metrics_write(request->server->metrics, out);
    limits_write_metrics(request->server->region, out);
    return ERROR_NONE;
}
