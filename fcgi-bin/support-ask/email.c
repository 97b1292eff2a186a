/* Incoming e-mail as JSON, signed with a shared secret. */
#include "support-ask/email.h"
#include "base/json.h"
#include "crypto/digest.h"
#include "support/mail/mail_rules.h"
#include "support/service.h"

#include <string.h>

enum { JSON_DEPTH = 8 };

struct email_taken {
    bool ok;
};

#define OWNER struct email_taken
static const struct field taken_fields[] = {BOOLEAN(OWNER, ok)};
#undef OWNER
SCHEMA(email_taken_schema, struct email_taken, "EmailTaken", taken_fields);

static enum error check_signature(struct request *request)
{
    const struct support_settings *settings = service_settings(request);
    const char *secret = settings->email_webhook_secret;
    const char *given = request_header(request, "HTTP_X_SIGNATURE");
    char signature[DIGEST_SHA256_TEXT];

    if (!given)
        given = request_header(request, "HTTP_X_WEBHOOK_SIGNATURE");
    if (settings->email_mode == EMAIL_WEBHOOK && secret && given) {
        digest_hmac_sha256_hex(secret, strlen(secret), request->bytes, request->length, signature);
        if (digest_equal_secret(given, signature))
            return ERROR_NONE;
    }
    return problem_set(&request->problem, ERROR_FORBIDDEN, "credentials_refused",
                       "Missing or wrong signature");
}

static void add_header(struct mime_message *message, const char *name, const char *value)
{
    if (value && message->header_count < MIME_HEADERS_MAX)
        message->headers[message->header_count++] = (struct mime_header){name, value};
}

static const char *text_of(const json_t *document, const char *name)
{
    return json_string_value(json_object_get(document, name));
}

/* Programs write it with or without its brackets. */
static const char *id_of(struct request *request, const json_t *document)
{
    const char *id = text_of(document, "message_id");

    return !id || strchr(id, '<') ? id : arena_print(request->arena, "<%s>", id);
}

/* Members that are not known are ignored: providers add their own. Those at the top come before
 * the same ones among the headers. */
static void read_message(struct request *request, json_t *document, struct mime_message *message)
{
    json_t *headers = json_object_get(document, "headers"), *value;
    const char *name, *text = text_of(document, "text");

    *message = (struct mime_message){
        .headers = ARENA_ARRAY(request->arena, struct mime_header, MIME_HEADERS_MAX),
        .text = text ? text : text_of(document, "body"),
        .html = text_of(document, "html")};
    add_header(message, "From", text_of(document, "from"));
    add_header(message, "Subject", text_of(document, "subject"));
    add_header(message, "Message-ID", id_of(request, document));
    json_object_foreach(headers, name, value) add_header(message, name, json_string_value(value));
}

static enum error store(struct request *request, json_t *document)
{
    struct mail_call call = {.arena = request->arena, .problem = &request->problem};
    struct mime_message message;
    struct received_mail mail;
    bool added;
    enum error error = service_database(request, &call.db);

    if (error)
        return error;
    read_message(request, document, &message);
    mail = mail_of_message(request->arena, &message, request->bytes, request->length,
                           service_settings(request));
    return mail_receive(&call, &mail, &added);
}

enum error email_handle(struct request *request, struct reply *reply)
{
    struct email_taken *taken = ARENA_NEW(request->arena, struct email_taken);
    struct json_fault fault;
    json_t *document = NULL;
    enum error error = check_signature(request);

    if (error)
        return error;
    if (json_read(request->arena, request->bytes, request->length, JSON_DEPTH, &document, &fault) ||
        !json_is_object(document))
        return problem_set(&request->problem, ERROR_INVALID, "bad_parameter",
                           "The body is no JSON object");
    error = store(request, document);
    taken->ok = true;
    reply->object = taken;
    return error;
}
