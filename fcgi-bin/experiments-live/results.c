/* Live statistics and the decision; 304 for clients that have the current version. */
#include "experiments-live/live.h"

#include "experiments/error_rates/measurement.h"
#include "experiments/live_results/bayes.h"
#include "experiments/live_results/course.h"
#include "experiments/live_results/decision.h"
#include "experiments/live_results/quality.h"
#include "experiments/live_results/slices.h"
#include "http/idempotency.h"

struct stats_query {
    const char *dimension;
};

#define OWNER struct stats_query
static const struct field query_fields[] = {
    STRING(OWNER, dimension, .nullable = true, .min_length = 1, .max_length = LIVE_NAME_MAX,
           .help = "A dimension sent with exposures: compares the primary metric in each of its "
                   "values."),
};
#undef OWNER
SCHEMA(live_stats_query_schema, struct stats_query, "LiveStatsQuery", query_fields);

/* Sends the version of the data to the client, with what else the answer depends on. True when the
 * client already has it. */
static bool is_known(struct request *request, struct reply *reply, const char *version,
                     const char *more)
{
    const char *language = language_tag(locale_language(request->locale));

    return reply_is_unchanged(request, reply,
                              arena_print(request->arena, "%s.%s%s", version, language, more));
}

/* Loads the view; `view` is NULL, and the reply complete, when the client already has it. */
static enum error load(struct request *request, struct reply *reply,
                       const struct live_view_options *options, const char *more,
                       struct live_view **view)
{
    struct reply unused = {0};
    const char *version, *source;
    struct live_call call;
    enum error error = live_begin(request, &call);

    *view = NULL;
    if (!error)
        error = live_source_mark(&call, request->arguments[0], &source);
    if (!error)
        more = arena_print(request->arena, "%s%s", source, more);
    /* Checked first, because it is cheaper than reading everything. */
    if (!error && request_header(request, "HTTP_IF_NONE_MATCH")) {
        error = live_read_version(&call, request->arguments[0], &version);
        if (!error && is_known(request, &unused, version, more)) {
            (void)is_known(request, reply, version, more);
            return ERROR_NONE;
        }
    }
    if (error)
        return error;
    *view = ARENA_NEW(request->arena, struct live_view);
    error = live_view_load(&call, request->arguments[0], options, *view);
    if (!error && is_known(request, reply, live_view_version(&call, *view), more))
        *view = NULL;
    return error;
}

struct live_results_call live_results_call(const struct request *request)
{
    return (struct live_results_call){.locale = request->locale,
                                      .arena = request->arena,
                                      .mixture_users =
                                          service_settings(request)->live_mixture_users};
}

enum error live_handle_stats(struct request *request, struct reply *reply)
{
    const struct stats_query *query = request->query;
    const struct live_view_options options = {
        .dimension = query->dimension, .bins = true, .unknown = true};
    struct live_stats *answer = ARENA_NEW(request->arena, struct live_stats);
    const struct live_results_call call = live_results_call(request);
    struct live_view *view;
    enum error error = load(request, reply, &options, "", &view);

    if (error || !view)
        return error;
    live_results_statistics(&call, view, answer);
    live_results_bayes(&call, view, answer);
    reply->object = answer;
    return ERROR_NONE;
}

enum error live_handle_slices(struct request *request, struct reply *reply)
{
    struct live_slices *answer = ARENA_NEW(request->arena, struct live_slices);
    const struct live_results_call call = live_results_call(request);
    const struct live_view_options options = {.declared = true};
    struct live_view *view;
    enum error error = load(request, reply, &options, "", &view);

    if (error || !view)
        return error;
    live_results_slices(&call, view, answer);
    reply->object = answer;
    return ERROR_NONE;
}

enum error live_handle_decision(struct request *request, struct reply *reply)
{
    struct live_decision *answer = ARENA_NEW(request->arena, struct live_decision);
    const struct live_results_call call = live_results_call(request);
    const struct live_view_options options = {0};
    const struct error_record *record = NULL;
    const char *measured = "";
    struct live_view *view = NULL;
    struct live_call live;
    enum error error = live_begin(request, &live);

    if (!error)
        error = error_rates_mark(&live, request->arguments[0], &measured);
    if (!error)
        error = load(request, reply, &options, measured, &view);
    if (!error && view)
        error = error_rates_newest(&live, request->arguments[0], &record);
    if (error || !view)
        return error;
    live_results_decision(&call, view, answer);
    if (record)
        answer->error_rates =
            measured_rates(record, live_view_version(&live, view), request->arena);
    reply->object = answer;
    return ERROR_NONE;
}

/* Larger experiments are gone over by the program experiments-upkeep. */
static enum error load_days(struct request *request, struct live_view *view,
                            struct live_series *series)
{
    struct live_call call;
    enum error error = live_begin(request, &call);

    if (!error)
        error = live_view_load(&call, request->arguments[0], &(struct live_view_options){0}, view);
    return error ? error : live_series_load(&call, view, LIVE_SERIES_PEOPLE_MAX, series);
}

enum error live_handle_quality(struct request *request, struct reply *reply)
{
    struct live_quality *answer = ARENA_NEW(request->arena, struct live_quality);
    struct live_view *view = ARENA_NEW(request->arena, struct live_view);
    const struct live_results_call results = live_results_call(request);
    struct live_series series;
    enum error error = load_days(request, view, &series);

    if (error)
        return error;
    live_results_quality(&results, view, &series, answer);
    reply->object = answer;
    return ERROR_NONE;
}

enum error live_handle_course(struct request *request, struct reply *reply)
{
    struct course *answer = ARENA_NEW(request->arena, struct course);
    struct live_view *view = ARENA_NEW(request->arena, struct live_view);
    const struct live_results_call results = live_results_call(request);
    struct live_series series;
    enum error error = load_days(request, view, &series);

    if (error)
        return error;
    live_results_course(&results, view, &series, answer);
    reply->object = answer;
    return ERROR_NONE;
}
