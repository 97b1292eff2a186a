/* Every error response, in the messages and the envelope of the service's wire format. validation.c
 * lists the errors of a document. */
#include "base/log.h"
#include "http/http_internal.h"

#include <string.h>

static void write_envelope(struct serving *serving, const struct http_error *error)
{
    struct reply *reply = &serving->reply;
    const struct wire_format *format = serving->format;
    struct json_writer writer;

    reply->status = error->status;
    reply->object = NULL;
    reply->content_type = JSON_MEDIA_TYPE;
    serving->error_code = error->error_code;
    text_cut(&reply->body, 0);
    writer_start(&writer, &reply->body);
    format->write_error(&writer, &serving->request, error);
    if (format->error_code_header)
        reply_add_header(reply, format->error_code_header, error->error_code);
}

void answer_error(struct serving *serving, int status, const char *error_code, const char *detail)
{
    write_envelope(serving, &(struct http_error){status, error_code, detail, NULL});
}

void answer_detail(struct serving *serving, int status, const char *error_code,
                   const char *detail_json)
{
    write_envelope(serving, &(struct http_error){status, error_code, NULL, detail_json});
}

void answer_failure(struct serving *serving, int status, enum failure failure)
{
    struct failure_message words = failure_message(serving->format, failure);

    answer_error(serving, status, words.error_code, words.detail);
}

void answer_retry_after(struct serving *serving, uint32_t seconds)
{
    reply_add_header(&serving->reply, "Retry-After",
                     arena_print(serving->request.arena, "%u", seconds ? seconds : 1));
}

/* The answer to each class of problem whose reason has no row of its own. Without a code the wire
 * format's code is used. */
static const struct {
    int status;
    const char *error_code;
} classes[ERROR__MAX] = {
    [ERROR_NONE] = {500, "internal_error"},
    [ERROR_INVALID] = {400, "bad_request"},
    [ERROR_NOT_FOUND] = {404, "not_found"},
    [ERROR_CONFLICT] = {409, NULL},
    [ERROR_FORBIDDEN] = {403, "forbidden"},
    [ERROR_TOO_LARGE] = {400, "bad_request"},
    [ERROR_BUSY] = {503, NULL},
    [ERROR_UNAVAILABLE] = {503, NULL},
    [ERROR_MALFORMED] = {400, "bad_request"},
    [ERROR_SYSTEM] = {500, "internal_error"},
};

/* Reasons of common modules, the same in every service. */
#define BUSY "The database is busy; try again shortly"
static const struct reason_answer reasons_of_kits[] = {
    {"database_busy", 503, "database_busy", BUSY},
    {"pool_exhausted", 503, "database_busy", BUSY},
    {"statement_timeout", 503, "database_busy", BUSY},
    {"database_unavailable", 503, NULL, "The database is not available; try again shortly"},
    {"commit_unknown", 503, NULL,
     "The database went away before it answered: the change may or may not have been kept"},
    {"disk_full", 503, NULL, "The disk of the database is full; nothing was changed"},
    {"database_replaced", 503, NULL,
     "The database was moved, removed or exchanged; an operator has to look after it"},
    {"database_corrupt", 503, NULL, "The database is damaged; an operator has to restore a backup"},
    {"database_read_only", 503, NULL, "The database cannot be written to"},
    {"embedded_nul", 400, "bad_request"},
    {"malformed_text", 400, "bad_request"},
};

static const struct reason_answer *find_row(const struct reason_answer *rows, size_t count,
                                            const char *reason)
{
    for (size_t i = 0; reason && i < count; i++)
        if (strcmp(rows[i].reason, reason) == 0)
            return &rows[i];
    return NULL;
}

static const struct reason_answer *find_reason(const struct http_service *service,
                                               const char *reason)
{
    const struct reason_answer *row = find_row(service->reasons, service->reason_count, reason);

    return row ? row : find_row(reasons_of_kits, COUNT_OF(reasons_of_kits), reason);
}

/* The part of a problem that the client may see. Internal details go to the log only. */
static const char *public_detail(const struct serving *serving, const struct reason_answer *row,
                                 int status, bool hidden)
{
    if (row && row->detail)
        return row->detail;
    if (hidden)
        return "Invalid value";
    if (status == 500)
        return failure_message(serving->format, FAILURE_INTERNAL).detail;
    if (status > 500 && !row)
        return failure_message(serving->format, FAILURE_UNAVAILABLE).detail;
    return serving->request.problem.text;
}

void answer_problem(struct serving *serving, enum error error)
{
    const struct problem *problem = &serving->request.problem;
    const struct reason_answer *row =
        find_reason(serving->server->family->service, problem->reason);
    int status = row ? row->status : classes[error].status;
    const char *error_code = row ? row->error_code : classes[error].error_code;
    bool hidden;

    if (!error_code)
        error_code =
            failure_message(serving->format, status == 409 ? FAILURE_CONFLICT : FAILURE_UNAVAILABLE)
                .error_code;
    hidden = serving->policy->production && status == 400 && strcmp(error_code, "bad_request") == 0;
    if (hidden || status >= 500)
        log_event(status >= 500 ? LOG_ERROR : LOG_INFO, "http_request_error", problem->text);
    if (serving->request.detail_json)
        answer_detail(serving, status, error_code, serving->request.detail_json);
    else
        answer_error(serving, status, error_code, public_detail(serving, row, status, hidden));
    if (problem->reason && serving->format->error_reason_header)
        reply_add_header(&serving->reply, serving->format->error_reason_header, problem->reason);
    if (status == 401)
        reply_add_header(&serving->reply, "WWW-Authenticate", "Bearer");
    if (status == 503)
        answer_retry_after(serving, 1);
}
