/* Steps that the contract's examples and the demonstration share. */
#include "experiments/demo/project.h"

#include "experiments/live/ingest.h"
#include "experiments/live/live_store.h"
#include "experiments/live/rollup_store.h"
#include "experiments/payloads/design_report.h"
#include "experiments/templates/presets.h"

#include <string.h>

enum { ANALYSIS_TEXT_MAX = 16 * 1024 * 1024, SAME_NAMES_MAX = 100 };

struct experiment_payload *demo_preset(const char *id, struct arena *arena)
{
    struct experiment_payload *payload = ARENA_NEW(arena, struct experiment_payload);
    size_t i = 0;

    while (strcmp(preset_table[i].id, id) != 0)
        i++;
    *payload = *preset_payload(&preset_table[i], arena);
    return payload;
}

enum error demo_project_find(const struct project_call *call, const char *name,
                             struct project *project)
{
    const struct project_filter filter = {.status = STATUS_ALL,
                                          .metric_type = -1,
                                          .q = name,
                                          .sort_by = SORT_CREATED_AT,
                                          .ascending = true,
                                          .limit = SAME_NAMES_MAX};
    struct object_list found;
    int64_t total;
    enum error error = project_list(call, &filter, &found, &total);

    *project = (struct project){0};
    for (size_t i = 0; !error && !project->id && i < found.count; i++) {
        const struct project *one = (const struct project *)found.items + i;

        if (strcmp(one->project_name, name) == 0)
            *project = *one;
    }
    return error;
}

/* Examples call no provider. */
static const struct advice no_advice = {
    .provider = "local_orchestrator",
    .model = "offline",
    .error = "Examples are made without advice.",
    .error_code = "seed_demo_disabled_llm",
};

enum error demo_project_analyse(const struct project_call *call, const struct locale *locale,
                                const struct experiment_payload *payload, struct project *project)
{
    const struct calculation_call sizing = {locale, call->arena, call->problem};
    struct analysis_payload analysis = {0};
    struct schema_errors errors = {.arena = call->arena};
    struct json_fault fault;
    json_t *json;
    struct calculation calculation = {0};
    struct analysis_report report = {0};
    struct text text;
    struct json_writer writer;
    enum error error = design_calculate(&sizing, payload, &calculation);

    if (error)
        return error;
    design_report_compose(&sizing, payload, &calculation, &report);
    text_start(&text, call->arena, ANALYSIS_TEXT_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key(&writer, "calculations");
    schema_write(&writer, &calculation_schema, &calculation);
    writer_key(&writer, "report");
    schema_write(&writer, &analysis_report_schema, &report);
    writer_key(&writer, "advice");
    schema_write(&writer, &advice_schema, &no_advice);
    writer_close_object(&writer);
    if (json_read(call->arena, text.bytes, text.length, JSON_DEPTH_LIMIT, &json, &fault) ||
        schema_decode(&analysis_payload_schema, json, "demo", &analysis, &errors, call->arena))
        return problem_set(call->problem, ERROR_SYSTEM, "demo_analysis",
                           "the analysis of %s cannot be kept", payload->project->project_name);
    return project_add_analysis(call, project->id, &analysis, project);
}

enum error demo_project_has_events(const struct live_call *call, const char *project_id,
                                   bool *has_events)
{
    struct live_names running = {.arena = call->arena};
    enum error error = live_list_experiments(call, &running);

    *has_events = false;
    for (size_t i = 0; !error && i < running.count; i++)
        *has_events |= strcmp(running.items[i], project_id) == 0;
    return error;
}

enum error demo_send(const struct live_call *call, const char *experiment, enum live_kind kind,
                     const void *records, size_t size, size_t count)
{
    struct live_outcome outcome;
    enum error error = ERROR_NONE;

    for (size_t done = 0; done < count && !error; done += LIVE_BATCH_MAX) {
        const struct object_list batch = {count - done < LIVE_BATCH_MAX ? count - done
                                                                        : LIVE_BATCH_MAX,
                                          (char *)records + done * size};

        error = live_ingest(call, experiment, kind, &batch, &outcome);
    }
    return error;
}
