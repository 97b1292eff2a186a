/* What all responders of the experiments service share: settings turned into the pipeline's policy.
 * No route, no formula. */
#ifndef ASSAY_EXPERIMENTS_SERVICE_H
#define ASSAY_EXPERIMENTS_SERVICE_H

#include "experiments/storage/key_store.h"
#include "experiments/settings.h"
#include "experiments/storage/store.h"
#include "http/server.h"

/* The members of every family's struct application. */
MUST_CHECK enum error service_start(struct arena *arena, struct http_policy *policy,
                                    struct document_info *info, void **state,
                                    struct problem *problem);
MUST_CHECK enum error service_ready(void *state, bool starts, struct problem *problem);
void service_print_settings(const void *state, struct text *out);
void service_document_settings(struct text *out);

void service_after(struct request *request, int status);
void service_stop(void *state);
extern const struct key_source service_keys;

/* How this service answers the reasons of its domain. */
enum { SERVICE_REASON_COUNT = 18 };
extern const struct reason_answer service_reasons[SERVICE_REASON_COUNT];

/* The application of a family: everything but its name and its routes is the same for all. */
#define EXPERIMENTS_FAMILY(family_name, route_table, ...)                                          \
    {                                                                                              \
        .service = "experiments", .family = (family_name), .routes = (route_table),                \
        .route_count = COUNT_OF(route_table), .reasons = service_reasons,                          \
        .reason_count = SERVICE_REASON_COUNT, .start = service_start, .ready = service_ready,      \
        .keys = &service_keys, .after = service_after, .stop = service_stop,                       \
        .print_settings = service_print_settings, .document_settings = service_document_settings,  \
        __VA_ARGS__                                                                                \
    }

/* What a request's service has. */
const struct experiments_settings *service_settings(const struct request *request);
struct store *service_store(const struct request *request);

/* The database, ready for use; errors go into the request's problem. */
MUST_CHECK enum error service_database(struct request *request, struct db **db);

/* Which keys there are, as of at most a second ago in this worker. None when the database cannot be
 * asked but the service was open when it last could. */
MUST_CHECK enum error service_key_census(struct request *request, struct key_census *census);
void service_forget_key_census(struct request *request);

/* To be called before a key is issued: from then on no worker takes the service for open without
 * having asked the database again. */
void service_expect_keys(struct request *request);

/* Who is asking, for the audit log. From the request's arena. */
const struct actor *service_actor(const struct request *request);

#endif
