/* Live data, family read: entities, metrics, search, lineage, the catalog, contracts, service
 * levels. Routes only. */
#include "livedata-read/reads.h"

#define READ                                                                                       \
    .method = METHOD_GET, .role = LIVE_CALLER, .traits = TRAIT_DATA,                               \
    .headers = HEADERS("X-Live-Version")

static const struct route routes[] = {
    {READ, .path = "/v1/entity/{entity_type}/{entity_id}", .query = &moment_query_schema,
     .reply = &entity_schema, .errors = ERRORS(400, 403, 404, 422, 429, 503),
     .handler = entity_handle, .name = "get_entity", .tag = "entities",
     .summary = "What is true of an entity, and since when"},
    {READ, .path = "/v1/entity/order/{order_id}/timeline", .reply = &timeline_schema,
     .errors = ERRORS(400, 403, 404, 429, 503), .handler = timeline_handle,
     .name = "get_order_timeline", .tag = "entities", .summary = "What an order went through"},
    {READ, .path = "/v1/metrics/{metric_name}", .query = &metric_query_schema,
     .reply = &metric_schema, .errors = ERRORS(400, 403, 404, 422, 429, 503),
     .handler = metric_handle, .name = "get_metric", .tag = "metrics",
     .summary = "The value of a metric over a window"},
    {READ, .path = "/v1/search", .query = &search_query_schema, .reply = &search_schema,
     .errors = ERRORS(400, 403, 422, 429, 503), .handler = search_handle, .name = "search",
     .tag = "discovery", .summary = "Find entities, fields and metrics"},
    {READ, .path = "/v1/lineage/{entity_type}/{entity_id}", .reply = &lineage_schema,
     .errors = ERRORS(400, 403, 404, 429, 503), .handler = lineage_handle, .name = "get_lineage",
     .tag = "discovery", .summary = "Where an entity came from"},
    {READ, .path = "/v1/catalog", .reply = &catalog_schema, .errors = ERRORS(400, 403, 429, 503),
     .handler = catalog_handle, .name = "get_catalog", .tag = "discovery",
     .summary = "Entities, metrics and streams"},
    {READ, .path = "/v1/slo", .reply = &slos_schema, .errors = ERRORS(400, 403, 429, 500, 503),
     .handler = slo_handle, .name = "get_slo", .tag = "health", .summary = "Service levels"},
    {READ, .path = "/v1/changelog", .reply = &changelog_schema,
     .errors = ERRORS(400, 403, 429, 503), .handler = changelog_handle, .name = "get_changelog",
     .tag = "versions", .summary = "Versions of the API"},
    {READ, .path = "/v1/contracts", .reply = &contract_list_schema,
     .errors = ERRORS(400, 403, 429, 503), .handler = contracts_handle, .name = "list_contracts",
     .tag = "versions", .summary = "Schema contracts"},
    {READ, .path = "/v1/contracts/{entity}", .reply = &contract_schema,
     .errors = ERRORS(400, 403, 404, 429, 503), .handler = contract_latest_handle,
     .name = "get_contract", .tag = "versions", .summary = "The stable version of a contract"},
    {READ, .path = "/v1/contracts/{entity}/{version}", .reply = &contract_schema,
     .errors = ERRORS(400, 403, 404, 429, 503), .handler = contract_handle,
     .name = "get_contract_version", .tag = "versions", .summary = "One version of a contract"},
    {READ, .path = "/v1/contracts/{entity}/diff/{from_version}/{to_version}",
     .reply = &contract_diff_schema, .errors = ERRORS(400, 403, 404, 429, 503),
     .handler = diff_handle, .name = "diff_contracts", .tag = "versions",
     .summary = "What changed between two versions"},
    {.method = METHOD_POST,
     .role = LIVE_CALLER,
     .traits = 0,
     .path = "/v1/contracts/{entity}/validate",
     .body = &candidate_schema,
     .reply = &contract_validation_schema,
     .errors = ERRORS(400, 403, 404, 429, 503),
     .handler = validate_handle,
     .name = "validate_contract",
     .tag = "versions",
     .summary = "Would this version break clients?"},
};

static const struct http_family family = {
    .service = &livedata_service, .name = "read", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
