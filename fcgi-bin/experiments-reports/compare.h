/* Comparisons of projects: two to five at once, and the older route for two. */
#ifndef ASSAY_EXPERIMENTS_REPORTS_COMPARE_H
#define ASSAY_EXPERIMENTS_REPORTS_COMPARE_H

#include "experiments/reports/comparison.h"
#include "http/route.h"

struct compare_request {
    struct string_list project_ids;
};

struct compare_query {
    bool include_monte_carlo;
    int64_t monte_carlo_simulations;
    bool include_draws;
};

struct compare_reply {
    OBJECT_LIST(struct compared_project, projects);
    struct string_list shared_warnings;
    struct string_list shared_risks;
    struct string_list shared_assumptions;
    const char *unique_per_project; /* JSON */
    const struct compared_range *sample_size_range;
    const struct compared_range *duration_range;
    struct string_list metric_types_used;
    struct string_list recommendation_highlights;
    const char *monte_carlo_distribution; /* JSON; NULL unless requested */
};

struct compare_pair_query {
    const char *base_id;
    const char *candidate_id;
    const char *base_run_id;
    const char *candidate_run_id;
};

/* Two to five distinct projects: the rules of every body that names them. */
bool compare_ids_are_given(const void *request);
bool compare_ids_differ(const void *request);

SCHEMA_OF(compare_request_schema, struct compare_request);
extern const struct schema compare_query_schema;
SCHEMA_OF(compare_reply_schema, struct compare_reply);
extern const struct schema compare_pair_query_schema;
SCHEMA_OF(compare_pair_schema, struct compared_pair);

void compare_cost(const void *body, struct compute_cost *cost);
enum error compare_handle(struct request *request, struct reply *reply);
enum error compare_pair_handle(struct request *request, struct reply *reply);

/* The arguments of every store function, with the database connected. */
MUST_CHECK enum error compare_begin(struct request *request, struct project_call *call);

/* The newest analyses of the projects, in their order; `ids` may have surrounding blanks. */
MUST_CHECK enum error compare_read(const struct project_call *call, const struct string_list *ids,
                                   struct project_snapshot *snapshots);

#endif
