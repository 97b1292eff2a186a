/* The envelope of the front, and what of a provider's refusal goes into it. */
#include "orchestrator/front_error.h"

#include "orchestrator/service.h"

#include <math.h>
#include <string.h>

static const char quota[] = "insufficient_quota"; /* also the type: clients of OpenAI read both */
static const double retry_after_max = 86400;      /* seconds that are passed on */
static const double quarter_seconds = 92 * 86400.0;

bool front_has_path(const char *path)
{
    return strncmp(path, "/v1", 3) == 0 && (path[3] == '/' || !path[3]);
}

static const char *type_of(int status, const char *code)
{
    if (code && strcmp(code, quota) == 0)
        return quota;
    return status == 429   ? "rate_limit_error"
           : status == 401 ? "authentication_error"
           : status < 500  ? "invalid_request_error"
                           : "upstream_error";
}

#define OWNER struct front_error
static const struct field error_fields[] = {
    STRING(OWNER, message),
    STRING(OWNER, type),
    STRING(OWNER, param, .nullable = true),
    STRING(OWNER, code, .nullable = true),
    STRING(OWNER, request_id, .omit_if_null = true),
};
#undef OWNER
static SCHEMA(error_schema, struct front_error, "FrontErrorDetail", error_fields);

#define OWNER struct front_error_answer
static const struct field answer_fields[] = {OBJECT(OWNER, error, error_schema)};
#undef OWNER
SCHEMA(front_error_schema, struct front_error_answer, "FrontError", answer_fields);

#define OWNER struct message_error
static const struct field message_error_fields[] = {STRING(OWNER, type), STRING(OWNER, message)};
#undef OWNER
static SCHEMA(message_error_detail_schema, struct message_error, "MessageErrorDetail",
              message_error_fields);

#define OWNER struct message_error_answer
static const struct field message_answer_fields[] = {
    STRING(OWNER, type),
    OBJECT(OWNER, error, message_error_detail_schema),
    STRING(OWNER, request_id),
};
#undef OWNER
SCHEMA(message_error_schema, struct message_error_answer, "MessageError", message_answer_fields);

static const char *message_type_of(int status)
{
    static const struct {
        int status;
        const char *type;
    } types[] = {{401, "authentication_error"}, {403, "permission_error"},
                 {404, "not_found_error"},      {413, "request_too_large"},
                 {429, "rate_limit_error"},     {503, "overloaded_error"},
                 {504, "timeout_error"}};

    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (types[i].status == status)
            return types[i].type;
    return status < 500 ? "invalid_request_error" : "api_error";
}

const struct message_error_answer *front_message_error(const struct request *request,
                                                       const struct front_error *error)
{
    struct message_error *detail = ARENA_NEW(request->arena, struct message_error);
    struct message_error_answer *whole = ARENA_NEW(request->arena, struct message_error_answer);

    *detail = (struct message_error){.type = message_type_of(error->status),
                                     .message = error->message ? error->message
                                                               : "The request has failed."};
    *whole =
        (struct message_error_answer){.type = "error", .error = detail, .request_id = request->id};
    return whole;
}

int front_status_of(int failure_code)
{
    return failure_code == FAILURE_RATE_LIMITED ? 429
           : failure_code == FAILURE_TIMEOUT    ? 504
           : failure_code == FAILURE_UNKNOWN    ? 502
                                                : 503;
}

static bool is_of_messages(const struct request *request)
{
    static const char path[] = "/v1/messages";

    return request->path && strncmp(request->path, path, sizeof path - 1) == 0;
}

void front_error_write(struct json_writer *writer, const struct request *request,
                       const struct front_error *error)
{
    struct front_error whole = *error;

    if (is_of_messages(request)) {
        schema_write(writer, &message_error_schema, front_message_error(request, error));
        return;
    }
    whole.request_id = request->id;
    if (!whole.message)
        whole.message = "The request has failed.";
    if (!whole.type)
        whole.type = type_of(error->status, error->code);
    schema_write(writer, &front_error_schema, &(struct front_error_answer){&whole});
}

bool front_pass_on(const struct request *request, struct reply *reply,
                   const struct provider_refusal *refusal)
{
    const struct llm_refusal *words = &refusal->words;
    struct json_writer writer;

    if (refusal->retry_after > 0 && refusal->status == 429)
        reply_add_header(
            reply, "Retry-After",
            arena_print(request->arena, "%.0f", ceil(fmin(refusal->retry_after, retry_after_max))));
    if (!provider_rejects_request(refusal->status))
        return false;
    reply->status = refusal->status;
    writer_start(&writer, &reply->body);
    front_error_write(&writer, request,
                      &(struct front_error){.status = refusal->status,
                                            .message = words->message
                                                           ? words->message
                                                           : "The provider refused the request.",
                                            .type = words->type,
                                            .param = words->param,
                                            .code = words->code});
    return true;
}

enum error key_refuse(struct request *request, struct reply *reply,
                      const struct key_refusal *refusal)
{
    double seconds = ceil(fmin(fmax(refusal->retry_after, 1), quarter_seconds));

    reply_add_header(reply, "Retry-After", arena_print(request->arena, "%.0f", seconds));
    if (refusal->is_budget)
        reply_add_header(reply, "X-Should-Retry", "false");
    return problem_set(&request->problem, ERROR_BUSY,
                       refusal->is_budget ? quota : "rate_limit_exceeded", "%s", refusal->message);
}
