/* Live data, family query: questions, explanations and batches. Routes only. */
#include "livedata-query/questions.h"

static const struct route routes[] = {
    {.method = METHOD_POST,
     .path = "/v1/query",
     .role = LIVE_CALLER,
     .traits = TRAIT_DATA | TRAIT_DEMO,
     .body = &query_request_schema,
     .reply = &query_schema,
     .errors = ERRORS(400, 403, 412, 429, 503),
     .handler = query_handle,
     .name = "query",
     .tag = "questions",
     .summary = "Answer a question in words"},
    {.method = METHOD_POST,
     .path = "/v1/query/explain",
     .role = LIVE_CALLER,
     .traits = TRAIT_DATA | TRAIT_DEMO,
     .body = &explain_request_schema,
     .reply = &explain_schema,
     .errors = ERRORS(400, 403, 404, 429, 503),
     .handler = explain_handle,
     .name = "explain_query",
     .tag = "questions",
     .summary = "How a question would be answered"},
    {.method = METHOD_POST,
     .path = "/v1/batch",
     .role = LIVE_CALLER,
     .traits = TRAIT_DATA | TRAIT_DEMO,
     .body = &batch_request_schema,
     .reply = &batch_schema,
     .errors = ERRORS(400, 403, 412, 429, 503),
     .handler = batch_handle,
     .name = "batch",
     .tag = "questions",
     .summary = "Several reads at once"},
    {.method = METHOD_POST,
     .path = "/v1/features",
     .role = LIVE_CALLER,
     .traits = TRAIT_DATA | TRAIT_DEMO,
     .body = &features_request_schema,
     .media_type = "application/x-ndjson",
     .errors = ERRORS(400, 403, 404, 429, 503),
     .handler = features_handle,
     .name = "features",
     .tag = "entities",
     .summary = "Columns of many entities, each as of a time of its own",
     .help =
         "A line per row, in the order of the rows: JSON, or CSV with `format: csv`. Values are "
         "those that a reader would have got at the row's `at`. `reason` says why there are "
         "none: `not_found`, `deleted`, `before_retention`."},
};

static const struct http_family family = {
    .service = &livedata_service, .name = "query", ROUTES(routes)};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
