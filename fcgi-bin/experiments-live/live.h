/* Running experiments over HTTP: handlers of the family's routes, and the shapes of replies that
 * belong to HTTP alone. */
#ifndef ASSAY_EXPERIMENTS_LIVE_LIVE_H
#define ASSAY_EXPERIMENTS_LIVE_LIVE_H

#include "experiments/live/record_shapes.h"
#include "experiments/service.h"

extern const struct schema assign_request_schema, assign_reply_schema;
extern const struct schema live_stats_query_schema;
extern const struct schema ingest_reply_schema, lines_reply_schema, ingestion_schema;

/* What every call of the domain needs, the database ready. */
MUST_CHECK enum error live_begin(struct request *request, struct live_call *call);

enum error live_handle_assign(struct request *request, struct reply *reply);

enum error live_handle_exposures(struct request *request, struct reply *reply);
enum error live_handle_conversions(struct request *request, struct reply *reply);
enum error live_handle_identities(struct request *request, struct reply *reply);
enum error live_handle_exclusions(struct request *request, struct reply *reply);
enum error live_handle_holdout(struct request *request, struct reply *reply);
enum error live_handle_pre_period(struct request *request, struct reply *reply);
enum error live_handle_strata(struct request *request, struct reply *reply);

enum error live_handle_lines(struct request *request, struct reply *reply);

enum error live_handle_ingestion(struct request *request, struct reply *reply);
enum error live_handle_stats(struct request *request, struct reply *reply);
enum error live_handle_decision(struct request *request, struct reply *reply);

#endif
