/* GET /api/v1/experiments/{experiment_id}/posteriors. */
#include "experiments-reports/posteriors.h"

#include "experiments-reports/results.h"

#define OWNER struct posteriors_asked
static const struct field query_fields[] = {
    BOOLEAN(OWNER, past,
            .help = "Fit the prior to the control arms of the other experiments with this metric, "
                    "where there are two or more; otherwise the prior is uniform or flat."),
    NUMBER(OWNER, credibility, .lower = ABOVE(0.5), .upper = BELOW(1), .default_value = 0.95),
    NULLABLE_NUMBER(OWNER, loss_threshold, .lower = ABOVE(0),
                    .help = "In units of the metric; default: a twentieth of the worthwhile "
                            "effect of the design."),
    NULLABLE_INTEGER(OWNER, looks, .lower = AT_LEAST(1), .upper = AT_MOST(STOPPING_LOOKS_MAX),
                     .help = "For the error rates; default: those of the design."),
};
#undef OWNER
SCHEMA(posteriors_query_schema, struct posteriors_asked, "PosteriorsQuery", query_fields);

enum error posteriors_handle(struct request *request, struct reply *reply)
{
    struct bayes_reply *answer = ARENA_NEW(request->arena, struct bayes_reply);
    struct live_call call;
    enum error error = result_begin(request, &call);

    if (!error)
        error = posteriors_of_experiment(&call, request->locale, request->arguments[0],
                                         request->query, answer);
    reply->object = answer;
    return error;
}
