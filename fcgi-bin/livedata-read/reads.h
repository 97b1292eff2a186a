/* Handlers of reading routes: they call the domain and answer with its structs. */
#ifndef ASSAY_LIVEDATA_READ_READS_H
#define ASSAY_LIVEDATA_READ_READS_H

#include "livedata/catalog/contracts.h"
#include "livedata/reads/changes.h"
#include "livedata/reads/current.h"
#include "livedata/reads/discovery.h"
#include "livedata/reads/domains.h"
#include "livedata/reads/entity_events.h"
#include "livedata/reads/event_rate.h"
#include "livedata/reads/measured.h"
#include "livedata/reads/slo_series.h"
#include "livedata/reads/traces.h"
#include "livedata/service.h"

extern const struct schema as_of_query_schema, metric_query_schema, series_query_schema,
    search_query_schema, candidate_schema, slo_series_query_schema, event_rate_query_schema,
    entity_events_query_schema, changes_query_schema;

enum error entity_handle(struct request *request, struct reply *reply);
enum error timeline_handle(struct request *request, struct reply *reply);
enum error entity_events_handle(struct request *request, struct reply *reply);
enum error changes_handle(struct request *request, struct reply *reply);
enum error metric_handle(struct request *request, struct reply *reply);
enum error series_handle(struct request *request, struct reply *reply);
enum error search_handle(struct request *request, struct reply *reply);
enum error lineage_handle(struct request *request, struct reply *reply);
enum error catalog_handle(struct request *request, struct reply *reply);
enum error domains_handle(struct request *request, struct reply *reply);
enum error plan_handle(struct request *request, struct reply *reply);
enum error slo_handle(struct request *request, struct reply *reply);
enum error slo_series_handle(struct request *request, struct reply *reply);
enum error slo_all_series_handle(struct request *request, struct reply *reply);
enum error current_handle(struct request *request, struct reply *reply);
enum error event_rate_handle(struct request *request, struct reply *reply);
enum error changelog_handle(struct request *request, struct reply *reply);
enum error contracts_handle(struct request *request, struct reply *reply);
enum error contract_latest_handle(struct request *request, struct reply *reply);
enum error contract_handle(struct request *request, struct reply *reply);
enum error diff_handle(struct request *request, struct reply *reply);
enum error validate_handle(struct request *request, struct reply *reply);

#endif
