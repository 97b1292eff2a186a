/* Prompt templates: list, add a version, put one into production, delete. */
#include "orchestrator-keys/templates.h"

#include "orchestrator-keys/call.h"
#include "orchestrator/storage/prompt_template_store.h"

#include <string.h>

enum { MESSAGES_MAX = 100, TEXT_MAX = 1 << 20 };

struct template_body {
    const char *name;
    json_t *messages;
    bool production;
};

#define OWNER struct template_body
static const struct field body_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = TEMPLATE_NAME_MAX,
           .help = "Letters, digits, dots, dashes and underscores."),
    JSON_VALUE(OWNER, messages, .required = true,
               .help = "Objects with role (system, developer, user, assistant) and content, a text "
                       "with variables like {{name}}."),
    BOOLEAN(OWNER, production,
            .help = "True: calls that name no version get this one from now on. The first version "
                    "is in production in any case."),
};
#undef OWNER
SCHEMA(template_body_schema, struct template_body, "PromptTemplateRequest", body_fields,
       .answer = &prompt_template_schema,
       .example = "{\"name\":\"greeting\",\"messages\":[{\"role\":\"user\",\"content\":\"Greet "
                  "{{name}}.\"}]}");

struct template_version {
    int64_t version;
};

#define OWNER struct template_version
static const struct field version_fields[] = {
    INTEGER(OWNER, version, .required = true, .lower = AT_LEAST(1))};
#undef OWNER
SCHEMA(template_version_schema, struct template_version, "PromptTemplateVersion", version_fields);

struct templates {
    OBJECT_LIST(struct prompt_template, templates);
};

#define OWNER struct templates
static const struct field list_fields[] = {OBJECTS(OWNER, templates, prompt_template_schema)};
#undef OWNER
SCHEMA(template_list_schema, struct templates, "PromptTemplateList", list_fields);

static enum error begin(struct request *request, struct prompt_template_call *call)
{
    *call = (struct prompt_template_call){.arena = request->arena, .problem = &request->problem};
    return service_database(request, &call->db);
}

static bool is_name(const char *name)
{
    return name[strspn(
               name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")] == '\0';
}

static bool is_message(const json_t *message)
{
    static const char *const roles[] = {"system", "developer", "user", "assistant"};
    const char *role = json_string_value(json_object_get(message, "role"));
    bool fits = false;

    for (size_t i = 0; role && i < COUNT_OF(roles); i++)
        fits = fits || strcmp(role, roles[i]) == 0;
    return fits && json_string_value(json_object_get(message, "content")) &&
           json_object_size(message) == 2;
}

static enum error read_body(struct request *request, struct prompt_template *template)
{
    const struct template_body *body = request->body;
    size_t count = json_array_size(body->messages);
    bool fits = count > 0 && count <= MESSAGES_MAX;
    struct json_writer writer;
    struct text text;

    for (size_t i = 0; fits && i < count; i++)
        fits = is_message(json_array_get(body->messages, i));
    if (!is_name(body->name))
        return request_fault(request, "body", "name", "value_error",
                             "Letters, digits, dots, dashes and underscores are allowed");
    if (!fits)
        return request_fault(request, "body", "messages", "value_error",
                             "Input should be a list of 1 to 100 messages, each with role (system, "
                             "developer, user, assistant) and content, a text");
    text_start(&text, request->arena, TEXT_MAX);
    writer_start(&writer, &text);
    writer_value(&writer, body->messages);
    if (text.overflowed)
        return request_fault(request, "body", "messages", "value_error", "This is too long");
    *template = (struct prompt_template){.name = body->name,
                                         .messages = text.bytes,
                                         .production = body->production,
                                         .created_by = request->who.subject};
    return ERROR_NONE;
}

/* With a transaction, in which the answer is read: a change whose answer cannot be made is none. */
static enum error begin_change(struct request *request, struct prompt_template_call *call)
{
    enum error error = begin(request, call);

    return error ? error : db_begin(call->db, DB_WRITE, call->problem);
}

enum error templates_list(struct request *request, struct reply *reply)
{
    struct templates *answer = ARENA_NEW(request->arena, struct templates);
    struct prompt_template_call call;
    enum error error = begin(request, &call);

    reply->object = answer;
    return error ? error : prompt_template_list(&call, &answer->templates);
}

static enum error show(const struct prompt_template_call *call, const char *name, int64_t version,
                       struct reply *reply)
{
    struct prompt_template *shown = ARENA_NEW(call->arena, struct prompt_template);

    reply->object = shown;
    return prompt_template_read(call, name, version, shown);
}

enum error templates_create(struct request *request, struct reply *reply)
{
    struct prompt_template added;
    struct prompt_template_call call;
    enum error error = read_body(request, &added);

    if (!error)
        error = begin_change(request, &call);
    if (error)
        return error;
    error = prompt_template_add(&call, &added);
    if (!error)
        error = show(&call, added.name, added.version, reply);
    return db_finish(call.db, error, call.problem);
}

enum error templates_promote(struct request *request, struct reply *reply)
{
    const struct template_version *body = request->body;
    struct prompt_template_call call;
    enum error error = begin_change(request, &call);

    if (error)
        return error;
    error = prompt_template_promote(&call, request->arguments[0], body->version);
    if (!error)
        error = show(&call, request->arguments[0], body->version, reply);
    return db_finish(call.db, error, call.problem);
}

enum error templates_delete(struct request *request, struct reply *reply)
{
    struct prompt_template_call call;
    enum error error = begin(request, &call);

    (void)reply;
    return error ? error : prompt_template_delete(&call, request->arguments[0]);
}
