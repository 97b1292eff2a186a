/* Puts the messages of a stored template before those of a request. */
#include "orchestrator-streams/template_use.h"

#include "orchestrator-streams/parameters.h"
#include "orchestrator/plan/template_fill.h"
#include "orchestrator/service.h"
#include "orchestrator/storage/prompt_template_store.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 64 << 20, DEPTH_MAX = 60, VERSION_DIGITS = 9 };

static enum error refuse(struct request *request, const char *field, const char *message)
{
    return request_fault(request, "body", field, "value_error", message);
}

static bool is_given(const json_t *value)
{
    return value && !json_is_null(value);
}

enum error prompt_template_named(struct request *request, const json_t *template,
                                 const json_t *prompt, struct template_reference *reference)
{
    *reference = (struct template_reference){template, "template", "name"};
    if (!is_given(prompt))
        return ERROR_NONE;
    if (is_given(template))
        return refuse(request, "prompt", "a request has a template or a prompt, not both");
    *reference = (struct template_reference){prompt, "prompt", "id"};
    return ERROR_NONE;
}

static const char *path_of(struct request *request, const struct template_reference *wanted,
                           const char *member)
{
    return arena_print(request->arena, "%s.%s", wanted->member, member);
}

/* A number, or its digits as OpenAI's clients send them; 0 for neither. */
static int64_t version_of(const json_t *value)
{
    const char *digits = json_string_value(value);
    size_t length = digits ? strlen(digits) : 0;

    if (!digits)
        return json_integer_value(value);
    return length && length <= VERSION_DIGITS && strspn(digits, "0123456789") == length
               ? strtoll(digits, NULL, 10)
               : 0;
}

static enum error check(struct request *request, const struct template_reference *wanted)
{
    const char *const members[] = {wanted->name, "version", "variables", NULL};
    const json_t *version = json_object_get(wanted->value, "version");
    const json_t *variables = json_object_get(wanted->value, "variables");
    const char *other = first_beyond(wanted->value, members);

    if (!json_is_string(json_object_get(wanted->value, wanted->name)))
        return refuse(request, path_of(request, wanted, wanted->name), "Field required");
    if (other)
        return refuse(request, path_of(request, wanted, other), "this is not supported");
    if (is_given(version) && version_of(version) < 1)
        return refuse(request, path_of(request, wanted, "version"),
                      "Input should be a number from 1");
    if (is_given(variables) && !json_is_object(variables))
        return refuse(request, path_of(request, wanted, "variables"), "Input should be an object");
    return ERROR_NONE;
}

static enum error find(struct request *request, const struct template_reference *wanted,
                       struct prompt_template *template)
{
    const char *name = json_string_value(json_object_get(wanted->value, wanted->name));
    int64_t version = version_of(json_object_get(wanted->value, "version"));
    struct prompt_template_call call = {.arena = request->arena, .problem = &request->problem};
    enum error error = check(request, wanted);

    if (error)
        return error;
    error = service_database(request, &call.db);
    if (!error)
        error = prompt_template_read(&call, name, version, template);
    return error == ERROR_NOT_FOUND
               ? refuse(request, wanted->member,
                        arena_print(request->arena, "%s", request->problem.text))
               : error;
}

/* A message of the template with its variables filled in. */
static enum error write_message(struct request *request, const struct template_reference *wanted,
                                struct json_writer *writer, const json_t *message)
{
    const json_t *variables = json_object_get(wanted->value, "variables");
    const char *missing = NULL, *content = json_string_value(json_object_get(message, "content"));

    content = template_fill(request->arena, content ? content : "", variables, &missing);
    if (!content)
        return refuse(request,
                      arena_print(request->arena, "%s.variables.%s", wanted->member, missing),
                      arena_print(request->arena, "the template needs the variable '%s'", missing));
    writer_open_object(writer);
    writer_key_string(writer, "role", json_string_value(json_object_get(message, "role")));
    writer_key_string(writer, "content", content);
    writer_close_object(writer);
    return ERROR_NONE;
}

enum error prompt_template_use(struct request *request, const struct template_reference *wanted,
                               const json_t *messages, const json_t **all, const char **version)
{
    struct prompt_template template = {0};
    struct json_writer writer;
    struct json_fault fault;
    struct text text;
    json_t *own, *merged;
    enum error error = find(request, wanted, &template);

    if (error)
        return error;
    *version = arena_print(request->arena, "%s %lld %lld", template.name,
                           (long long)template.version, (long long)template.created_at);
    text_start(&text, request->arena, TEXT_MAX);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): find() has filled it */
    if (json_read(request->arena, template.messages, strlen(template.messages), DEPTH_MAX, &own,
                  &fault))
        return refuse(request, wanted->member, "this template is damaged");
    for (size_t i = 0; !error && i < json_array_size(own); i++)
        error = write_message(request, wanted, &writer, json_array_get(own, i));
    if (error)
        return error;
    for (size_t i = 0; i < json_array_size(messages); i++)
        writer_value(&writer, json_array_get(messages, i));
    writer_close_array(&writer);
    if (text.overflowed ||
        json_read(request->arena, text.bytes, text.length, DEPTH_MAX + 2, &merged, &fault))
        return refuse(request, wanted->member, "the messages are too long");
    *all = merged;
    return ERROR_NONE;
}
