/* Links to reports over HTTP. Whoever has a link sees the report and nothing else. */
#include "experiments-reports/shares.h"

#include "crypto/digest.h"
#include "experiments-reports/exports.h"
#include "experiments-reports/results.h"
#include "experiments/reports/reports.h"
#include "experiments/reports/share_store.h"
#include "experiments/service.h"

#include <string.h>

enum { DAYS_DEFAULT = 7, DAYS_MAX = 365, POLICY_BYTES_MAX = 400 };

struct share_request {
    struct optional_integer days;
};

struct share_list {
    const char *experiment_id;
    int64_t max_days;
    OBJECT_LIST(struct share, shares);
};

struct revoked_share {
    const char *id;
    bool revoked;
};

#define OWNER struct share_request
static const struct field request_fields[] = {
    NULLABLE_INTEGER(OWNER, days, .lower = AT_LEAST(1), .upper = AT_MOST(DAYS_MAX),
                     .help = "How long the link opens the report, at most AB_SHARE_MAX_DAYS; null "
                             "= 7 days, or that setting where it is less."),
};
#undef OWNER
SCHEMA(share_request_schema, struct share_request, "ReportShareRequest", request_fields,
       .help = "A link to be made.", .example = "{\"days\":7}");

#define OWNER struct share_list
static const struct field list_fields[] = {
    STRING(OWNER, experiment_id),
    INTEGER(OWNER, max_days, .help = "AB_SHARE_MAX_DAYS; 0 = reports are not shared."),
    OBJECTS(OWNER, shares, share_schema, .help = "Those that are valid, newest first."),
};
#undef OWNER
SCHEMA(share_list_schema, struct share_list, "ReportShareList", list_fields,
       .help = "The links to the report of a result.");

#define OWNER struct revoked_share
static const struct field revoked_fields[] = {STRING(OWNER, id), BOOLEAN(OWNER, revoked)};
#undef OWNER
SCHEMA(revoked_share_schema, struct revoked_share, "RevokedReportShare", revoked_fields,
       .help = "The link opens nothing any more.");

enum error shares_list_handle(struct request *request, struct reply *reply)
{
    struct share_list *answer = ARENA_NEW(request->arena, struct share_list);
    struct live_call call;
    enum error error = result_begin(request, &call);

    answer->experiment_id = request->arguments[0];
    answer->max_days = service_settings(request)->share_max_days;
    if (!error)
        error = share_list(&call, request->arguments[0], &answer->shares);
    reply->object = answer;
    return error;
}

/* The days asked for; those of the default where none are. */
static enum error choose_days(struct request *request, struct optional_integer asked, int64_t *days)
{
    int64_t most = service_settings(request)->share_max_days;

    *days = asked.given ? asked.value : most < DAYS_DEFAULT ? most : DAYS_DEFAULT;
    if (most == 0)
        return problem_set(&request->problem, ERROR_CONFLICT, "sharing_off",
                           "Reports are not shared here: AB_SHARE_MAX_DAYS is 0");
    if (*days <= most)
        return ERROR_NONE;
    return problem_set(&request->problem, ERROR_INVALID, "share_days",
                       "A link may be valid for at most %lld days", (long long)most);
}

enum error shares_create_handle(struct request *request, struct reply *reply)
{
    const struct share_request *asked = request->body;
    struct share *share = ARENA_NEW(request->arena, struct share);
    struct live_call call;
    int64_t days;
    enum error error =
        choose_days(request, asked ? asked->days : (struct optional_integer){0}, &days);

    if (!error)
        error = result_begin(request, &call);
    if (!error)
        error = share_create(&call, service_actor(request), request->arguments[0], days, share);
    reply->object = share;
    return error;
}

enum error shares_revoke_handle(struct request *request, struct reply *reply)
{
    struct revoked_share *answer = ARENA_NEW(request->arena, struct revoked_share);
    struct live_call call;
    enum error error = result_begin(request, &call);

    *answer = (struct revoked_share){request->arguments[1], true};
    reply->object = answer;
    return error ? error
                 : share_revoke(&call, service_actor(request), request->arguments[0],
                                request->arguments[1]);
}

/* Of every answer to a link: no search engine lists it. The report is a file with its own style and
 * without scripts. */
static void add_headers(struct request *request, struct reply *reply)
{
    unsigned char digest[DIGEST_SHA256_BYTES];
    struct text policy;

    digest_sha256(document_html_style, strlen(document_html_style), digest);
    text_start(&policy, request->arena, POLICY_BYTES_MAX);
    text_append_string(&policy, "default-src 'none'; style-src 'sha256-");
    text_append_base64(&policy, digest, sizeof digest);
    text_append_string(&policy, "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    reply_add_header(reply, "Content-Security-Policy", policy.bytes);
    reply_add_header(reply, "X-Robots-Tag", "noindex, nofollow, noarchive");
}

static enum error not_found(struct request *request)
{
    return problem_set(&request->problem, ERROR_NOT_FOUND, "not_found",
                       "There is no such link, or it is no longer valid");
}

/* The report that the link opens now. */
static enum error open_link(struct request *request, struct report_document *document)
{
    const char *experiment_id = NULL;
    struct live_call call;
    enum error error = result_begin(request, &call);

    if (!error && service_settings(request)->share_max_days > 0)
        error = share_find(&call, request->arguments[0], &experiment_id);
    if (error)
        return error;
    return experiment_id ? result_compose(request, experiment_id, document) : not_found(request);
}

/* A browser gets a page that says so, a program the usual error. */
static enum error answer_missing(struct request *request, struct reply *reply)
{
    const struct report_context context = {.locale = request->locale, .arena = request->arena};
    struct report_document document;

    if (!request_prefers(request, "text/html", "application/json"))
        return ERROR_NOT_FOUND;
    report_start(&context, &document, report_label(&context, "export.share_missing"));
    document_text(&document, report_label(&context, "export.share_missing_text"));
    document_write_html(&document, &reply->body);
    reply->status = 404;
    reply->content_type = "text/html; charset=utf-8";
    return ERROR_NONE;
}

enum error shared_html_handle(struct request *request, struct reply *reply)
{
    const struct report_context context = {.locale = request->locale, .arena = request->arena};
    struct report_document document;
    enum error error = open_link(request, &document);

    add_headers(request, reply);
    if (error == ERROR_NOT_FOUND)
        return answer_missing(request, reply);
    if (error)
        return error;
    document.link = arena_print(request->arena, "%s/share/%s/pdf", request_prefix(request),
                                request->arguments[0]);
    document.link_title = report_label(&context, "export.share_pdf");
    document_write_html(&document, &reply->body);
    reply->content_type = "text/html; charset=utf-8";
    return ERROR_NONE;
}

enum error shared_pdf_handle(struct request *request, struct reply *reply)
{
    const struct report_limits limits = report_limits_of(request);
    struct report_document document;
    enum error error = open_link(request, &document);

    add_headers(request, reply);
    if (error == ERROR_NOT_FOUND)
        return answer_missing(request, reply);
    if (error)
        return error;
    report_name_file(request, reply, document.title, "application/pdf", "pdf");
    return document_write_pdf(&document, &limits, &reply->body, &request->problem);
}
