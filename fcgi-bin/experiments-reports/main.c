/* The experiments service, family reports: projects side by side, and documents made of them. In a
 * pool of its own, because a document takes long. Routes only. */
#include "experiments-reports/compare.h"
#include "experiments/service.h"

/* Where processors are short, the quick families go first. */
enum { NICENESS = 10 };

static const struct route routes[] = {
    {.method = METHOD_POST,
     .path = "/api/v1/projects/compare",
     .role = ROLE_READER,
     .traits = TRAIT_STATELESS | TRAIT_HEAVY,
     .query = &compare_query_schema,
     .body = &compare_request_schema,
     .reply = &compare_reply_schema,
     .errors = ERRORS(404),
     .cost = compare_cost,
     .handler = compare_handle,
     .name = "compare_projects",
     .tag = "comparison",
     .summary = "Put two to five projects side by side",
     .help = "What they share and what only one has, of the newest analysis of each; with "
             "include_monte_carlo also what their observed uplifts may be worth."},
    {.method = METHOD_GET,
     .path = "/api/v1/projects/compare",
     .role = ROLE_READER,
     .query = &compare_pair_query_schema,
     .reply = &compare_pair_schema,
     .errors = ERRORS(400, 404),
     .handler = compare_pair_handle,
     .name = "compare_two_projects",
     .tag = "comparison",
     .summary = "Compare two projects (older form)",
     .help = "Answers with Deprecation: true. The POST of the same path is its successor."},
};

static const struct http_family family = {
    .service = &experiments_service, .name = "reports", ROUTES(routes), .niceness = NICENESS};

int main(int argc, char **argv)
{
    return responder_main(argc, argv, &family);
}
