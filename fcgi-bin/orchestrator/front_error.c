/* The envelope of the front, and what of a provider's refusal goes into it. */
#include "orchestrator/front_error.h"

#include "orchestrator/service.h"

#include <math.h>
#include <string.h>

static const double retry_after_max = 86400; /* seconds that are passed on */

bool front_has_path(const char *path)
{
    return strncmp(path, "/v1", 3) == 0 && (path[3] == '/' || !path[3]);
}

static const char *type_of(int status)
{
    return status == 429   ? "rate_limit_error"
           : status == 401 ? "authentication_error"
           : status < 500  ? "invalid_request_error"
                           : "upstream_error";
}

void front_error_write(struct json_writer *writer, const struct request *request,
                       const struct front_error *error)
{
    writer_open_object(writer);
    writer_key(writer, "error");
    writer_open_object(writer);
    writer_key_string(writer, "message",
                      error->message ? error->message : "The request has failed.");
    writer_key_string(writer, "type", error->type ? error->type : type_of(error->status));
    writer_key_string(writer, "param", error->param);
    writer_key_string(writer, "code", error->code);
    writer_key_string(writer, "request_id", request->id);
    writer_close_object(writer);
    writer_close_object(writer);
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
