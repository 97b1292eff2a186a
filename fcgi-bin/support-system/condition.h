/* How the service is: each look also says so in its figures. */
#ifndef ASSAY_SUPPORT_SYSTEM_CONDITION_H
#define ASSAY_SUPPORT_SYSTEM_CONDITION_H

#include "db/db.h"
#include "http/request.h"

#include <stdbool.h>

struct part {
    bool works;
    double milliseconds; /* that the look took */
};

struct condition {
    struct part store, index; /* the database; the knowledge that is in it */
    struct db_health health;  /* when the database can be reached */
    int64_t chunks, sessions; /* indexed; active */
};

void condition_look(struct request *request, struct condition *condition);

/* A provider that needs a network, and the state of its circuit breaker. */
struct provider_state {
    const char *id, *breaker;
    double figure; /* 0 closed, 1 half open, 2 open */
};
enum { PROVIDER_STATES_MAX = 64 };
size_t condition_providers(struct request *request,
                           struct provider_state states[PROVIDER_STATES_MAX]);

#endif
