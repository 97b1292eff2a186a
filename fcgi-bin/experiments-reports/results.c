/* The result of an experiment as a file. */
#include "experiments-reports/results.h"
#include "experiments-reports/exports.h"

#include "base/log.h"
#include "experiments/certificates/signing_key.h"
#include "experiments/live/outcome_store.h"
#include "experiments/live_results/decision.h"
#include "experiments/reports/reports.h"
#include "experiments/reports/result_report.h"
#include "experiments/service.h"

enum error result_begin(struct request *request, struct live_call *call)
{
    *call = (struct live_call){.arena = request->arena,
                               .spike_events = service_settings(request)->live_spike_events,
                               .problem = &request->problem};
    return service_database(request, &call->db);
}

/* NULL when the key cannot be read or made: a report does without it. */
static const char *key_fingerprint(struct request *request, const struct live_call *call)
{
    struct signing_key *key = ARENA_NEW(request->arena, struct signing_key);
    struct problem problem = {0};
    struct live_call reading = *call;

    reading.problem = &problem;
    if (!signing_key_load(&reading, key))
        return key->fingerprint;
    log_event(LOG_WARNING, "report_without_certificate_key", problem.text);
    return NULL;
}

/* Everything of one view, so that the figures belong together. */
static enum error read_facts(struct request *request, const char *experiment_id,
                             struct result_facts *facts)
{
    struct arena *arena = request->arena;
    const struct live_results_call call = {.locale = request->locale,
                                           .arena = arena,
                                           .mixture_users =
                                               service_settings(request)->live_mixture_users};
    const struct live_view_options options = {.declared = true, .bins = true, .unknown = true};
    struct live_view *view = ARENA_NEW(arena, struct live_view);
    struct live_stats *stats = ARENA_NEW(arena, struct live_stats);
    struct live_decision *decision = ARENA_NEW(arena, struct live_decision);
    struct course *course = ARENA_NEW(arena, struct course);
    struct live_quality *quality = ARENA_NEW(arena, struct live_quality);
    struct live_slices *slices = ARENA_NEW(arena, struct live_slices);
    struct object_list *outcomes = ARENA_NEW(arena, struct object_list);
    struct live_series series;
    struct live_call reading;
    enum error error = result_begin(request, &reading);

    if (!error)
        error = live_view_load(&reading, experiment_id, &options, view);
    if (!error)
        error = live_series_load(&reading, view, LIVE_SERIES_PEOPLE_MAX, &series);
    if (!error)
        error = outcome_list(&reading, experiment_id, outcomes);
    if (error)
        return error;
    live_results_statistics(&call, view, stats);
    live_results_decision(&call, view, decision);
    live_results_course(&call, view, &series, course);
    live_results_quality(&call, view, &series, quality);
    live_results_slices(&call, view, slices);
    *facts = (struct result_facts){.design = view->design,
                                   .stats = stats,
                                   .decision = decision,
                                   .course = course,
                                   .quality = quality,
                                   .slices = slices,
                                   .outcomes = outcomes,
                                   .now = report_moment(arena, store_now(arena)),
                                   .certificate_key = key_fingerprint(request, &reading)};
    return ERROR_NONE;
}

enum error result_compose(struct request *request, const char *experiment_id,
                          struct report_document *document)
{
    const struct report_context context = {.locale = request->locale, .arena = request->arena};
    struct result_facts facts;
    enum error error = read_facts(request, experiment_id, &facts);

    if (!error)
        report_of_result(&context, &facts, document);
    return error;
}

enum error result_pdf_handle(struct request *request, struct reply *reply)
{
    const struct report_limits limits = report_limits_of(request);
    struct report_document document;
    enum error error = result_compose(request, request->arguments[0], &document);

    if (error)
        return error;
    report_name_file(request, reply, document.title, "application/pdf", "pdf");
    return document_write_pdf(&document, &limits, &reply->body, &request->problem);
}

enum error result_html_handle(struct request *request, struct reply *reply)
{
    struct report_document document;
    enum error error = result_compose(request, request->arguments[0], &document);

    if (error)
        return error;
    report_name_file(request, reply, document.title, "text/html; charset=utf-8", "html");
    document_write_html(&document, &reply->body);
    return ERROR_NONE;
}

enum error result_markdown_handle(struct request *request, struct reply *reply)
{
    struct report_document document;
    enum error error = result_compose(request, request->arguments[0], &document);

    if (error)
        return error;
    report_name_file(request, reply, document.title, "text/markdown; charset=utf-8", "md");
    document_write_markdown(&document, &reply->body);
    return ERROR_NONE;
}
