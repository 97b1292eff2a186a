/* Draws one request per slot of time, as shop_events.c draws visits. */
#include "livedata/demo/shop_requests.h"

#include "livedata/access/sessions.h"
#include "math/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STREAM = 4 };

static const int64_t slot_us = 15000000;

static const struct {
    const char *endpoint, *entity_type, *metric;
} kinds[] = {{"/v1/entity", "order", ""},
             {"/v1/entity", "order", ""},
             {"/v1/entity", "product", ""},
             {"/v1/metrics", "", "revenue"},
             {"/v1/metrics", "", "order_count"}};

static void fill(struct session_row *row, const char *tenant, const char *name, int64_t slot)
{
    struct random random = random_start(STREAM, (uint64_t)slot);
    size_t kind = random_below(&random, sizeof kinds / sizeof kinds[0]);
    double milliseconds = 6 * exp(0.5 * random_normal(&random));

    (void)snprintf(row->tenant, sizeof row->tenant, "%s", tenant);
    (void)snprintf(row->request_id, sizeof row->request_id, "demo-%lld", (long long)slot);
    (void)snprintf(row->key_id, sizeof row->key_id, "demo-%s", name);
    (void)snprintf(row->key_name, sizeof row->key_name, "%s", name);
    (void)snprintf(row->endpoint, sizeof row->endpoint, "%s", kinds[kind].endpoint);
    (void)snprintf(row->method, sizeof row->method, "GET");
    (void)snprintf(row->entity_type, sizeof row->entity_type, "%s", kinds[kind].entity_type);
    (void)snprintf(row->metric, sizeof row->metric, "%s", kinds[kind].metric);
    row->status = 200;
    row->duration_us = (int64_t)(milliseconds * 1000);
    row->cache = random_uniform(&random) < 0.6;
    row->at = slot * slot_us;
}

void shop_requests_log(struct db *db, const char *tenant, const char *name, int64_t from,
                       int64_t to)
{
    struct session_log *log = calloc(1, sizeof *log);

    for (int64_t slot = from / slot_us + 1; log && slot * slot_us <= to; slot++) {
        struct session_row *row = session_add(log);

        if (row)
            fill(row, tenant, name, slot);
        if (log->count == SESSIONS_HELD_MAX)
            session_flush(log, db);
    }
    if (log && log->count)
        session_flush(log, db);
    free(log);
}
