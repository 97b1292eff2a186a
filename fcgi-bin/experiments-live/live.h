/* Running experiments over HTTP: handlers of the family's routes, and schemas of replies that only
 * HTTP uses. */
#ifndef ASSAY_EXPERIMENTS_LIVE_LIVE_H
#define ASSAY_EXPERIMENTS_LIVE_LIVE_H

#include "experiments/live/buckets.h"
#include "experiments/live/clear.h"
#include "experiments/live/record_schemas.h"
#include "experiments/live/rollup_store.h"
#include "experiments/live/turns.h"
#include "experiments/live_calls.h"
#include "experiments/live_results/live_results.h"

SCHEMA_OF(assign_request_schema, struct assign_request);
SCHEMA_OF(assign_reply_schema, struct assign_reply);
SCHEMA_OF(live_stats_query_schema, struct stats_query);
SCHEMA_OF(interactions_query_schema, struct interactions_query);
SCHEMA_OF(ingest_reply_schema, struct ingest_reply);
SCHEMA_OF(lines_reply_schema, struct lines_reply);
SCHEMA_OF(ingestion_schema, struct live_ingestion);
SCHEMA_OF(overview_query_schema, struct overview_query);
SCHEMA_OF(overview_reply_schema, struct overview_reply);
SCHEMA_OF(live_clearing_schema, struct live_clearing);
SCHEMA_OF(live_buckets_schema, struct live_division_choice);
SCHEMA_OF(live_buckets_reply_schema, struct live_division_choice);
SCHEMA_OF(error_rates_request_schema, struct error_rates_request);
SCHEMA_OF(turns_query_schema, struct turns_query);
SCHEMA_OF(turns_reply_schema, struct live_turns);
SCHEMA_OF(outcome_request_schema, struct outcome_request);
SCHEMA_OF(outcomes_reply_schema, struct outcomes_reply);
SCHEMA_OF(alarms_reply_schema, struct alarms_reply);

/* The arguments of every computation. */
struct live_results_call live_results_call(const struct request *request);

enum error live_handle_assign(struct request *request, struct reply *reply);

enum error live_handle_exposures(struct request *request, struct reply *reply);
enum error live_handle_conversions(struct request *request, struct reply *reply);
enum error live_handle_identities(struct request *request, struct reply *reply);
enum error live_handle_exclusions(struct request *request, struct reply *reply);
enum error live_handle_holdout(struct request *request, struct reply *reply);
enum error live_handle_pre_period(struct request *request, struct reply *reply);
enum error live_handle_strata(struct request *request, struct reply *reply);

enum error live_handle_exposure_lines(struct request *request, struct reply *reply);
enum error live_handle_conversion_lines(struct request *request, struct reply *reply);
enum error live_handle_identity_lines(struct request *request, struct reply *reply);
enum error live_handle_exclusion_lines(struct request *request, struct reply *reply);
enum error live_handle_holdout_lines(struct request *request, struct reply *reply);
enum error live_handle_pre_period_lines(struct request *request, struct reply *reply);
enum error live_handle_stratum_lines(struct request *request, struct reply *reply);

enum error live_handle_ingestion(struct request *request, struct reply *reply);
enum error live_handle_clear(struct request *request, struct reply *reply);
enum error live_handle_stated_buckets(struct request *request, struct reply *reply);
enum error live_handle_buckets(struct request *request, struct reply *reply);
enum error live_handle_turns(struct request *request, struct reply *reply);
enum error live_handle_stats(struct request *request, struct reply *reply);
enum error live_handle_decision(struct request *request, struct reply *reply);
enum error live_handle_slices(struct request *request, struct reply *reply);
enum error live_handle_quality(struct request *request, struct reply *reply);
enum error live_handle_course(struct request *request, struct reply *reply);

enum error live_handle_interactions(struct request *request, struct reply *reply);
enum error live_handle_error_rates(struct request *request, struct reply *reply);
enum error live_handle_measure(struct request *request, struct reply *reply);

enum error live_handle_overview(struct request *request, struct reply *reply);
enum error live_handle_outcomes(struct request *request, struct reply *reply);
enum error live_handle_look(struct request *request, struct reply *reply);
enum error live_handle_decide(struct request *request, struct reply *reply);

enum error live_handle_alarms(struct request *request, struct reply *reply);
enum error live_handle_add_alarm(struct request *request, struct reply *reply);
enum error live_handle_remove_alarm(struct request *request, struct reply *reply);

#endif
