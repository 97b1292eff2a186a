/* Puts the messages of a stored template before those of a request. */
#include "orchestrator-streams/template_use.h"

#include "orchestrator-streams/parameters.h"
#include "orchestrator/plan/template_fill.h"
#include "orchestrator/service.h"
#include "orchestrator/storage/prompt_template_store.h"

#include <string.h>

enum { TEXT_MAX = 64 << 20, DEPTH_MAX = 60 };

static enum error refuse(struct request *request, const char *field, const char *message)
{
    return request_fault(request, "body", field, "value_error", message);
}

static enum error find(struct request *request, const json_t *wanted,
                       struct prompt_template *template)
{
    static const char *const members[] = {"name", "version", "variables", NULL};
    const char *name = json_string_value(json_object_get(wanted, "name"));
    const json_t *version = json_object_get(wanted, "version");
    const json_t *variables = json_object_get(wanted, "variables");
    const char *other = first_beyond(wanted, members);
    struct prompt_template_call call = {.arena = request->arena, .problem = &request->problem};
    enum error error;

    if (!name)
        return refuse(request, "template.name", "Field required");
    if (other)
        return refuse(request, arena_print(request->arena, "template.%s", other),
                      "this is not supported");
    if (version && !json_is_null(version) && json_integer_value(version) < 1)
        return refuse(request, "template.version", "Input should be a number from 1");
    if (variables && !json_is_null(variables) && !json_is_object(variables))
        return refuse(request, "template.variables", "Input should be an object");
    error = service_database(request, &call.db);
    if (!error)
        error = prompt_template_read(&call, name, json_integer_value(version), template);
    return error == ERROR_NOT_FOUND
               ? refuse(request, "template",
                        arena_print(request->arena, "%s", request->problem.text))
               : error;
}

/* A message of the template with its variables filled in. */
static enum error write_message(struct request *request, struct json_writer *writer,
                                const json_t *message, const json_t *variables)
{
    const char *missing = NULL, *content = json_string_value(json_object_get(message, "content"));

    content = template_fill(request->arena, content ? content : "", variables, &missing);
    if (!content)
        return refuse(request, arena_print(request->arena, "template.variables.%s", missing),
                      arena_print(request->arena, "the template needs the variable '%s'", missing));
    writer_open_object(writer);
    writer_key_string(writer, "role", json_string_value(json_object_get(message, "role")));
    writer_key_string(writer, "content", content);
    writer_close_object(writer);
    return ERROR_NONE;
}

enum error prompt_template_use(struct request *request, const json_t *wanted,
                               const json_t *messages, const json_t **all, const char **version)
{
    struct prompt_template template;
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
    if (json_read(request->arena, template.messages, strlen(template.messages), DEPTH_MAX, &own,
                  &fault))
        return refuse(request, "template", "this template is damaged");
    for (size_t i = 0; !error && i < json_array_size(own); i++)
        error = write_message(request, &writer, json_array_get(own, i),
                              json_object_get(wanted, "variables"));
    if (error)
        return error;
    for (size_t i = 0; i < json_array_size(messages); i++)
        writer_value(&writer, json_array_get(messages, i));
    writer_close_array(&writer);
    if (text.overflowed ||
        json_read(request->arena, text.bytes, text.length, DEPTH_MAX + 2, &merged, &fault))
        return refuse(request, "template", "the messages are too long");
    *all = merged;
    return ERROR_NONE;
}
