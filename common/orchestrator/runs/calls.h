/* Selects the models of a run and builds call requests: callable models from as many providers as
 * possible, and a judge that is not one of the judged models. */
#ifndef ASSAY_ORCHESTRATOR_RUNS_CALLS_H
#define ASSAY_ORCHESTRATOR_RUNS_CALLS_H

#include "orchestrator/dispatch/run.h"
#include "orchestrator/plan/prompts.h"

enum { CALLED_MODELS_MAX = 10 };

/* The call of a model; the system part is separate if the model supports one. */
struct call_request call_of(struct arena *arena, const struct model *model,
                            const struct asking *asking, bool reasoning);

/* Turns a successful call without text into a failure, when text is required. */
void result_require_text(struct arena *arena, struct result *result);

/* Whether a model is callable: it has a key, or the browser is available. In a dry run all models
 * are callable. */
bool model_is_callable(const struct worker_context *worker, const struct model *model,
                       bool dry_run);

/* The reason why it is not callable, as text; NULL when it is. */
const char *model_why_not_callable(struct arena *arena, const struct worker_context *worker,
                                   const struct model *model, bool dry_run);

/* The model for requests without a model: the default one if it is callable, else the first
 * callable one. */
const char *model_choose_default(const struct worker_context *worker, bool dry_run);

/* Whether both are the same model, possibly with different addresses. */
bool model_is_same(const struct model *a, const struct model *b);

/* Fills in `models` with the first one and further callable ones, at most `wanted` (up to
 * CALLED_MODELS_MAX), no model twice: models of other providers first, and those with the first
 * one's kind of access before others. `reasoning` skips models without it. Returns how many. */
size_t models_choose(const struct worker_context *worker, const struct model *first, size_t wanted,
                     bool reasoning, bool dry_run, const struct model **models);

/* A callable model that is not one of the judged, NULL when there is none. */
const struct model *model_choose_judge(const struct worker_context *worker,
                                       const struct model *const *judged, size_t count,
                                       bool dry_run);

/* Ids of the models, each once, in order. From the arena. */
struct string_list model_ids(struct arena *arena, const struct model *const *models, size_t count);

#endif
