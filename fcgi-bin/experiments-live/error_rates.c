/* Measured error rates: what is known, and the order of a measurement. */
#include "experiments-live/live.h"

#include "experiments/error_rates/measurement.h"

struct error_rates_request {
    struct optional_integer runs, users;
    int64_t seed;
};

enum { RUNS_FACTOR = 10 };

#define OWNER struct error_rates_request
static const struct field request_fields[] = {
    NULLABLE_INTEGER(OWNER, runs, .lower = AT_LEAST(1),
                     .help = "Times that users are divided anew; default AB_ERROR_RATE_RUNS, at "
                             "most ten times that."),
    NULLABLE_INTEGER(OWNER, users, .lower = AT_LEAST(2),
                     .help = "Users of the sample; default, and at most, AB_ERROR_RATE_USERS."),
    INTEGER(OWNER, seed, .lower = AT_LEAST(0), .upper = AT_MOST(9007199254740991),
            .default_value = 1, .help = "The same seed on the same data gives the same counts."),
};
#undef OWNER
SCHEMA(error_rates_request_schema, struct error_rates_request, "ErrorRatesRequest", request_fields,
       .help = "The order of a measurement.", .example = "{\"runs\":1000,\"seed\":7}");

static enum error check_most(struct request *request, const char *name,
                             struct optional_integer value, int64_t most)
{
    if (!value.given || value.value <= most)
        return ERROR_NONE;
    return problem_set(&request->problem, ERROR_INVALID, "error_rates_order",
                       "%s must be at most %lld", name, (long long)most);
}

static enum error answer_error_rates(struct request *request, struct reply *reply,
                                     const struct live_call *call)
{
    struct error_rates *answer = ARENA_NEW(request->arena, struct error_rates);
    enum error error = error_rates_read(call, request->arguments[0], answer);

    reply->object = error ? NULL : answer;
    return error;
}

enum error live_handle_error_rates(struct request *request, struct reply *reply)
{
    struct live_call call;
    enum error error = live_begin(request, &call);

    return error ? error : answer_error_rates(request, reply, &call);
}

enum error live_handle_measure(struct request *request, struct reply *reply)
{
    const struct experiments_settings *settings = service_settings(request);
    const struct error_rates_request *asked = request->body;
    const struct error_rates_order order = {
        .runs = asked->runs.given ? asked->runs.value : settings->error_rate_runs,
        .users = asked->users.given ? asked->users.value : settings->error_rate_users,
        .seed = asked->seed};
    struct live_call call;
    enum error error =
        check_most(request, "runs", asked->runs, RUNS_FACTOR * settings->error_rate_runs);

    if (!error)
        error = check_most(request, "users", asked->users, settings->error_rate_users);
    if (!error)
        error = live_begin(request, &call);
    if (!error)
        error = error_rates_order(&call, request->arguments[0], &order);
    return error ? error : answer_error_rates(request, reply, &call);
}
