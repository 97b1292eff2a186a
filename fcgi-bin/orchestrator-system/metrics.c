/* Figures in the text form that scrapers read (Prometheus exposition format 0.0.4). */
#include "orchestrator-system/metrics.h"

#include "base/number.h"
#include "limits/limits.h"
#include "orchestrator/dispatch/browser_state.h"
#include "orchestrator/service.h"

enum { METRICS_MAX = 4 << 20 };

/* The head of a metric family. */
static void family(struct text *out, const char *name, const char *type, const char *help)
{
    text_append_format(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
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
static void sample(struct text *out, const char *name, const struct label *labels, size_t count,
                   double value)
{
    char number[NUMBER_TEXT_MAX];
    bool whole = value == (double)(int64_t)value;

    text_append_string(out, name);
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

static void one_hot(struct text *out, const char *name, const struct label *labels, size_t count,
                    const char *const *words, const char *current)
{
    struct label all[8];

    for (size_t i = 0; i < count; i++)
        all[i] = labels[i];
    for (size_t i = 0; words[i]; i++) {
        all[count] =
            (struct label){count && labels[0].name[0] == 'a' ? "state" : "status", words[i]};
        sample(out, name, all, count + 1, words[i] == current);
    }
}

static void write_components(struct text *out, const struct readiness *readiness)
{
    family(out, "orch_readiness_state", "gauge", "Readiness of the service, one series per state.");
    one_hot(out, "orch_readiness_state", NULL, 0, component_state_names,
            component_state_names[readiness->status]);
    family(out, "orch_component_state", "gauge", "State of each component.");
    for (size_t i = 0; i < readiness->component_count; i++) {
        const struct component *component = &readiness->components[i];
        const struct label labels[] = {{"kind", component->kind},
                                       {"name", component->name},
                                       {"required", component->required ? "true" : "false"}};

        one_hot(out, "orch_component_state", labels, COUNT_OF(labels), component_state_names,
                component_state_names[component->status]);
    }
}

static void write_models(struct text *out, const struct catalog *catalog,
                         const struct readiness *readiness)
{
    static const struct {
        const char *name, *help;
    } families[] = {{"orch_execution_model_active", "Calls of each model that run now."},
                    {"orch_execution_model_limit", "Calls of each model that may run at a time."},
                    {"orch_execution_model_saturated", "Whether every place of a model is taken."}};

    family(out, "orch_execution_active_model_executions", "gauge", "Calls of models that run now.");
    sample(out, "orch_execution_active_model_executions", NULL, 0, (double)readiness->active);
    for (size_t i = 0; i < COUNT_OF(families); i++) {
        family(out, families[i].name, "gauge", families[i].help);
        for (size_t j = 0; j < catalog->count; j++) {
            const struct model *model = &catalog->models[j];
            int64_t active = readiness_active(readiness, model->id);
            const double values[] = {(double)active, (double)model->concurrency_limit,
                                     active >= model->concurrency_limit};

            sample(out, families[i].name, &(struct label){"model_id", model->id}, 1, values[i]);
        }
    }
}

static void write_counts(struct text *out, const struct readiness *readiness)
{
    const struct {
        const char *name, *help;
        int64_t value;
    } rows[] = {{"orch_storage_task_count", "Tasks in the store.", readiness->store.task_count},
                {"orch_storage_step_count", "Steps in the store.", readiness->store.step_count},
                {"orch_storage_event_count", "Events in the store.", readiness->store.event_count}};

    for (size_t i = 0; readiness->counts_known && i < COUNT_OF(rows); i++) {
        family(out, rows[i].name, "gauge", rows[i].help);
        sample(out, rows[i].name, NULL, 0, (double)rows[i].value);
    }
}

static void write_breaker(struct text *out, const struct worker_context *worker)
{
    const struct label browser = {"adapter_name", browser_adapter_name};
    struct breaker_figures figures;
    const char *state = browser_breaker_read(worker, &figures);
    const struct {
        const char *name, *help;
        uint64_t value;
    } rows[] = {{"orch_browser_circuit_breaker_consecutive_failures",
                 "Failures of the browser in a row.", figures.failures},
                {"orch_browser_circuit_breaker_open_count", "How often its breaker has opened.",
                 figures.opens},
                {"orch_browser_circuit_breaker_fail_fast_rejections",
                 "Calls that the open breaker has refused.", figures.refusals}};

    family(out, "orch_browser_circuit_breaker_state", "gauge", "State of the browser's breaker.");
    one_hot(out, "orch_browser_circuit_breaker_state", &browser, 1, browser_breaker_names, state);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        family(out, rows[i].name, "gauge", rows[i].help);
        sample(out, rows[i].name, &browser, 1, (double)rows[i].value);
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
    family(out, "orch_build_info", "gauge", "What runs here.");
    sample(out, "orch_build_info", build, COUNT_OF(build), 1);
    write_components(out, readiness);
    write_models(out, service_worker(request)->catalog, readiness);
    write_counts(out, readiness);
    write_breaker(out, service_worker(request));
    metrics_write(request->server->metrics, out);
    limits_write_metrics(request->server->region, out);
    return ERROR_NONE;
}
