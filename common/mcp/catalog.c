/* Makes tools from API documents. */
#include "mcp/catalog.h"

#include "base/list.h"
#include "base/log.h"
#include "mcp/tool_schema.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { CATALOG_MEMORY_MAX = 512 * 1024 * 1024, LISTING_MAX = 8 * 1024 * 1024 };

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static bool method_of(const char *name, enum method *method)
{
    static const struct {
        const char *name;
        enum method method;
    } known[] = {{"get", METHOD_GET},
                 {"post", METHOD_POST},
                 {"put", METHOD_PUT},
                 {"patch", METHOD_PATCH},
                 {"delete", METHOD_DELETE}};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0) {
            *method = known[i].method;
            return true;
        }
    return false;
}

/* The first answer of success. */
static const json_t *success_of(const json_t *operation, int *status)
{
    json_t *responses = json_object_get(operation, "responses"), *response;
    const char *key;

    json_object_foreach(responses, key, response)
    {
        if (key[0] == '2' || key[0] == '3') {
            *status = (key[0] - '0') * 100 + (key[1] - '0') * 10 + (key[2] - '0');
            return response;
        }
    }
    return NULL;
}

/* The schema of a body or an answer by its first media type. */
static const json_t *content_of(const json_t *message, const char **type)
{
    void *first = json_object_iter(json_object_get(message, "content"));

    *type = first ? json_object_iter_key(first) : NULL;
    return first ? json_object_get(json_object_iter_value(first), "schema") : NULL;
}

static bool is_stream(const char *type)
{
    return type && (strcmp(type, "text/event-stream") == 0 || strcmp(type, "text/html") == 0 ||
                    strcmp(type, "application/x-ndjson") == 0);
}

/* Uploads, streams, pages, what signs a browser in, and what other programs call are for other
 * clients. */
static bool is_for_tools(const json_t *operation)
{
    const json_t *own = json_object_get(operation, "x-assay");
    const char *taken, *given;
    int status = 0;

    (void)content_of(json_object_get(operation, "requestBody"), &taken);
    (void)content_of(success_of(operation, &status), &given);
    return status / 100 == 2 && !is_stream(given) &&
           !(taken && strcmp(taken, "multipart/form-data") == 0) &&
           !json_is_true(json_object_get(own, "sets_cookie")) &&
           !json_is_true(json_object_get(own, "no_tool"));
}

/* "If-Match" as "if_match". */
static const char *argument_name(struct arena *arena, const char *sent)
{
    char *name = arena_copy_string(arena, sent);

    for (char *p = name; *p; p++)
        *p = (char)(*p == '-' ? '_' : tolower((unsigned char)*p));
    return name;
}

static void read_arguments(struct arena *arena, const json_t *parameters, struct mcp_tool *tool)
{
    json_t *list = (json_t *)(uintptr_t)parameters, *parameter; /* iterated, not changed */
    size_t i;

    tool->arguments = ARENA_ARRAY(arena, struct tool_argument, json_array_size(parameters));
    json_array_foreach(list, i, parameter)
    {
        const char *where = text_of(parameter, "in"), *sent = text_of(parameter, "name");
        struct tool_argument *argument = &tool->arguments[tool->argument_count];

        /* "Nothing new" would be an answer without an answer: nothing is kept here. */
        if (strcasecmp(sent, "If-None-Match") == 0)
            continue;
        tool->argument_count++;
        argument->sent = sent;
        argument->required = json_is_true(json_object_get(parameter, "required"));
        argument->place = strcmp(where, "path") == 0     ? ARGUMENT_PATH
                          : strcmp(where, "header") == 0 ? ARGUMENT_HEADER
                                                         : ARGUMENT_QUERY;
        argument->name = argument->place == ARGUMENT_HEADER ? argument_name(arena, sent) : sent;
    }
}

static bool is_text_schema(const json_t *schema)
{
    const char *type = text_of(schema, "type");

    return type && strcmp(type, "string") == 0;
}

/* Returns the schema of the body, resolved where its members are arguments. */
static const json_t *read_body(const json_t *document, const json_t *operation,
                               struct mcp_tool *tool)
{
    const json_t *body = json_object_get(operation, "requestBody");
    const json_t *schema = content_of(body, &tool->body_type);
    const json_t *resolved = mcp_schema_resolve(document, schema);

    tool->body_required = json_is_true(json_object_get(body, "required"));
    if (!schema)
        return NULL;
    /* A route that reads its body itself takes the text as it is, also where that is JSON. */
    if (strcmp(tool->body_type, "application/json") != 0 || is_text_schema(schema)) {
        tool->body = BODY_TEXT;
        return schema;
    }
    tool->body = json_object_get(resolved, "properties") ? BODY_MEMBERS : BODY_WHOLE;
    return tool->body == BODY_MEMBERS ? resolved : schema;
}

/* The schema of a structured answer; NULL where the answer is none. */
static const json_t *read_answer(const json_t *operation, struct mcp_tool *tool)
{
    const char *type;
    int status;
    const json_t *schema = content_of(success_of(operation, &status), &type);

    if (!schema || strcmp(type, "application/json") != 0 ||
        !json_object_size((json_t *)(uintptr_t)schema))
        return NULL;
    tool->answers_list = json_object_get(schema, "items") != NULL;
    tool->answers_object = !tool->answers_list;
    return schema;
}

static void write_hints(struct json_writer *writer, const struct mcp_tool *tool)
{
    writer_key(writer, "annotations");
    writer_open_object(writer);
    writer_key_string(writer, "title", tool->title);
    writer_key_boolean(writer, "readOnlyHint", tool->reads);
    writer_key_boolean(writer, "destructiveHint", tool->destroys);
    writer_key_boolean(writer, "idempotentHint", tool->reads || tool->method != METHOD_POST);
    writer_close_object(writer);
}

static const char *write_listing(struct arena *arena, const struct mcp_tool *tool)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, LISTING_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "name", tool->name);
    writer_key_string(&writer, "title", tool->title);
    writer_key_string(&writer, "description", tool->about);
    writer_key(&writer, "inputSchema");
    writer_raw(&writer, tool->input);
    if (tool->output) {
        writer_key(&writer, "outputSchema");
        writer_raw(&writer, tool->output);
    }
    write_hints(&writer, tool);
    writer_close_object(&writer);
    return text.bytes;
}

static const char *describe(struct arena *arena, const json_t *operation,
                            const struct mcp_tool *tool)
{
    const char *for_models = text_of(json_object_get(operation, "x-assay"), "for_models");
    const char *help = text_of(operation, "description");
    size_t length = strlen(tool->title);
    bool ended = length && strchr(".?!", tool->title[length - 1]);

    if (for_models)
        return for_models;
    return help ? arena_print(arena, "%s%s %s", tool->title, ended ? "" : ".", help) : tool->title;
}

static void add_tool(struct arena *arena, const struct mcp_offer *offer,
                     const struct mcp_service *service, const json_t *document,
                     const json_t *operation, struct mcp_tool *tool)
{
    const json_t *own = json_object_get(operation, "x-assay");
    const json_t *parameters = json_object_get(operation, "parameters"), *body, *answer;
    int status = 0;

    (void)success_of(operation, &status);
    tool->service = service;
    tool->operation = text_of(operation, "operationId");
    tool->name = offer->service_count > 1
                     ? arena_print(arena, "%s_%s", service->name, tool->operation)
                     : tool->operation;
    tool->pool = arena_print(arena, "%s-%s", service->name, text_of(own, "family"));
    tool->title = text_of(operation, "summary");
    tool->about = describe(arena, operation, tool);
    tool->reads = json_is_true(json_object_get(own, "reads"));
    tool->tail = json_is_true(json_object_get(own, "tail"));
    tool->destroys = !tool->reads && !(tool->method == METHOD_POST && status > 200);
    read_arguments(arena, parameters, tool);
    body = read_body(document, operation, tool);
    answer = read_answer(operation, tool);
    tool->input = mcp_input_schema(arena, document, tool, parameters, body);
    if (answer)
        tool->output = mcp_output_schema(arena, document, tool, answer);
    tool->listing = write_listing(arena, tool);
}

static void add_service(struct arena *arena, const struct mcp_offer *offer,
                        const struct mcp_service *service, const json_t *document,
                        struct mcp_catalog *catalog)
{
    json_t *paths = json_object_get(document, "paths"), *path, *operation;
    const char *address, *verb;
    enum method method;

    json_object_foreach(paths, address, path)
    {
        json_object_foreach(path, verb, operation)
        {
            struct mcp_tool *tool;

            if (!method_of(verb, &method) || !is_for_tools(operation))
                continue;
            tool = ARRAY_ADD(arena, catalog->tools, catalog->count);
            tool->method = method;
            tool->path = address;
            add_tool(arena, offer, service, document, operation, tool);
        }
    }
}

void mcp_catalog_build(struct arena *arena, const struct mcp_offer *offer, const json_t **documents,
                       struct mcp_catalog *catalog)
{
    *catalog = (struct mcp_catalog){.documents = documents};
    for (size_t i = 0; i < offer->service_count; i++)
        if (documents[i])
            add_service(arena, offer, &offer->services[i], documents[i], catalog);
}

static bool read_documents(struct arena *arena, const struct mcp_offer *offer,
                           const char *run_directory, const json_t **documents)
{
    bool any = false;

    for (size_t i = 0; i < offer->service_count; i++) {
        const char *path =
            arena_print(arena, "%s/%s-openapi.json", run_directory, offer->services[i].name);
        struct problem problem = {0};
        json_t *document;

        if (access(path, R_OK) != 0)
            continue; /* it does not run here */
        if (json_read_file(arena, path, &document, &problem)) {
            log_event(LOG_ERROR, "tools_unreadable", problem.text);
            continue;
        }
        documents[i] = document;
        any = true;
    }
    return any;
}

enum error mcp_catalog_open(const struct mcp_offer *offer, const char *run_directory,
                            const struct mcp_catalog **catalog, struct problem *problem)
{
    static struct mcp_catalog made; /* of the process, which serves one offer */
    static struct arena *arena;     /* of the process: its memory, once it is complete */
    struct arena *trial;
    const json_t **documents;
    jmp_buf exhausted;

    *catalog = &made;
    if (arena)
        return ERROR_NONE;
    trial = arena_create(CATALOG_MEMORY_MAX);
    if (!trial || setjmp(exhausted)) {
        arena_destroy(trial);
        return problem_set(problem, ERROR_UNAVAILABLE, "out_of_memory", "out of memory");
    }
    arena_on_exhausted(trial, &exhausted);
    documents = ARENA_ARRAY(trial, const json_t *, offer->service_count);
    if (!run_directory || !read_documents(trial, offer, run_directory, documents)) {
        arena_destroy(trial);
        return problem_set(problem, ERROR_UNAVAILABLE, "openapi_not_composed",
                           "No API document has been composed");
    }
    mcp_catalog_build(trial, offer, documents, &made);
    arena_on_exhausted(trial, NULL);
    arena = trial;
    return ERROR_NONE;
}

const struct mcp_tool *mcp_catalog_find(const struct mcp_catalog *catalog, const char *name)
{
    for (size_t i = 0; i < catalog->count; i++)
        if (strcmp(catalog->tools[i].name, name) == 0)
            return &catalog->tools[i];
    return NULL;
}

const struct mcp_tool *mcp_catalog_operation(const struct mcp_catalog *catalog, const char *service,
                                             const char *operation)
{
    for (size_t i = 0; i < catalog->count; i++)
        if (strcmp(catalog->tools[i].operation, operation) == 0 &&
            strcmp(catalog->tools[i].service->name, service) == 0)
            return &catalog->tools[i];
    return NULL;
}
