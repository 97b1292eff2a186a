/* Private to common/experiments/demo: what both sets of examples do with a project. */
#ifndef ASSAY_EXPERIMENTS_DEMO_PROJECT_H
#define ASSAY_EXPERIMENTS_DEMO_PROJECT_H

#include "experiments/demo/demo.h"
#include "experiments/payloads/payload.h"
#include "experiments/projects/project_store.h"

/* Finds it by its exact name, archived or not; `project->id` is NULL when there is none. */
MUST_CHECK enum error demo_project_find(const struct project_call *call, const char *name,
                                        struct project *project);

/* Adds a run as /api/v1/analyze would, without advice. */
MUST_CHECK enum error demo_project_analyse(const struct project_call *call,
                                           const struct locale *locale,
                                           const struct experiment_payload *payload,
                                           struct project *project);

MUST_CHECK enum error demo_project_has_events(const struct live_call *call, const char *project_id,
                                              bool *has_events);

/* The design of a preset; the caller changes it. From the arena. */
struct experiment_payload *demo_preset(const char *id, struct arena *arena);

/* Sends records of one kind in batches. */
MUST_CHECK enum error demo_send(const struct live_call *call, const char *experiment,
                                enum live_kind kind, const void *records, size_t size,
                                size_t count);

#endif
