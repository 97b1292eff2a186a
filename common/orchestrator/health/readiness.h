/* Checks the components of the service: for readiness, health and metrics. */
#ifndef ASSAY_ORCHESTRATOR_HEALTH_READINESS_H
#define ASSAY_ORCHESTRATOR_HEALTH_READINESS_H

#include "db/store.h"
#include "net/shared_rate.h"
#include "orchestrator/health/component.h"
#include "shm/semaphore.h"

/* Result of the checks. */
struct readiness_check {
    const struct worker_context *worker;
    struct store *store;
    struct shared_rate *cache; /* NULL = none is set */
    int64_t requests_without_cache;
};

enum { COMPONENTS_MAX = 9, SLOT_NAMES_MAX = 256 };

struct readiness {
    int status; /* enum component_state */
    size_t component_count;
    struct component components[COMPONENTS_MAX];
    bool counts_known; /* number of rows in the store, in `store` */
    struct store_health store;
    struct semaphore_figures slots[SLOT_NAMES_MAX];
    size_t model_count; /* semaphore slots of models in use */
    size_t task_count;  /* semaphore slots after those: of tasks with browser submits */
    int64_t active;     /* running calls of models */
};

/* Runs all checks; never fails. Texts come from the arena. */
void readiness_check(struct arena *arena, const struct readiness_check *check,
                     struct readiness *readiness);

/* Number of running calls of a model. */
int64_t readiness_active(const struct readiness *readiness, const char *model_id);

/* Models without a free slot, sorted. */
struct string_list readiness_saturated(struct arena *arena, const struct catalog *catalog,
                                       const struct readiness *readiness);

#endif
