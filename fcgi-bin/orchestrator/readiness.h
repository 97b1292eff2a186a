/* What the service stands on, and how it is: for readiness, health and metrics. */
#ifndef ASSAY_ORCHESTRATOR_READINESS_H
#define ASSAY_ORCHESTRATOR_READINESS_H

#include "base/schema.h"
#include "orchestrator/service.h"
#include "orchestrator/storage/task_store.h"
#include "shm/semaphore.h"

enum component_state {
    STATE_OK,
    STATE_DEGRADED,
    STATE_FAILED,
    STATE_UNKNOWN,
    STATE_AUTH_REQUIRED,
    COMPONENT_STATE__MAX
};
extern const char *const component_state_names[COMPONENT_STATE__MAX + 1];

struct component {
    const char *name;
    const char *kind;
    int status; /* enum component_state */
    bool required;
    const char *details; /* JSON */
};

enum { COMPONENTS_MAX = 8, FIGURES_MAX = 256 };

struct readiness {
    int status;
    size_t component_count;
    struct component components[COMPONENTS_MAX];
    bool counts_known;
    struct store_counts counts;
    const char *backend; /* of the store */
    struct semaphore_figures figures[FIGURES_MAX];
    size_t figure_count; /* of models in use */
    size_t task_count;   /* behind them, of tasks with submits to the browser */
    int64_t active;
};

/* Looks at everything; never fails. */
void readiness_check(struct request *request, struct readiness *readiness);

/* How many calls of a model run now. */
int64_t readiness_active(const struct readiness *readiness, const char *model_id);

/* Models whose every place is taken, sorted. */
struct string_list readiness_saturated(struct request *request, const struct readiness *readiness);

#endif
