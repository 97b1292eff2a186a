/* Templates over HTTP: handlers and schemas. */
#include "experiments-projects/templates.h"
#include "experiments-projects/project_schemas.h"
#include "experiments/service.h"

enum {
    NAME_MAX_LENGTH = 120,
    CATEGORY_MAX_LENGTH = 60,
    DESCRIPTION_MAX_LENGTH = 240,
    TAGS_MAX = 8,
    LIST_LIMIT_MAX = 200
};

struct templates_query {
    int64_t limit;
    int64_t offset;
};

struct templates_reply {
    OBJECT_LIST(struct template, templates);
    int64_t total;
};

#define OWNER struct templates_query
static const struct field query_fields[] = {
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(LIST_LIMIT_MAX),
            .default_value = 200),
    INTEGER(OWNER, offset, .lower = AT_LEAST(0)),
};
#undef OWNER
SCHEMA(templates_query_schema, struct templates_query, "TemplatesQuery", query_fields);

#define OWNER struct templates_reply
static const struct field reply_fields[] = {OBJECTS(OWNER, templates, template_schema),
                                            INTEGER(OWNER, total)};
#undef OWNER
SCHEMA(templates_reply_schema, struct templates_reply, "TemplateList", reply_fields,
       .help = "Templates: built-in ones first, then those used most.");

#define OWNER struct new_template
static const struct field request_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = NAME_MAX_LENGTH),
    STRING(OWNER, category, .min_length = 1, .max_length = CATEGORY_MAX_LENGTH,
           .default_text = "Custom"),
    STRING(OWNER, description, .required = true, .min_length = 1,
           .max_length = DESCRIPTION_MAX_LENGTH),
    STRINGS(OWNER, tags, .max_length = TAGS_MAX),
    OBJECT(OWNER, payload, payload_schema, .required = true),
};
#undef OWNER
SCHEMA(template_request_schema, struct new_template, "TemplateRequest", request_fields,
       .help = "A design to be kept as a template.",
       .example = "{\"name\":\"Our checkout\",\"description\":\"The usual test of the shop\","
                  "\"tags\":[\"shop\"],\"payload\":" PAYLOAD_EXAMPLE "}");

#define OWNER struct deleted_reply
static const struct field deleted_fields[] = {STRING(OWNER, id), BOOLEAN(OWNER, deleted)};
#undef OWNER
SCHEMA(template_deleted_schema, struct deleted_reply, "TemplateDeleted", deleted_fields,
       .help = "The template is gone.");

static enum error begin(struct request *request, struct project_call *call)
{
    *call = (struct project_call){
        .arena = request->arena, .actor = service_actor(request), .problem = &request->problem};
    return service_database(request, &call->db);
}

enum error templates_list(struct request *request, struct reply *reply)
{
    const struct templates_query *query = request->query;
    struct templates_reply *answer = ARENA_NEW(request->arena, struct templates_reply);
    struct project_page page = {.limit = query->limit,
                                .offset = query->offset,
                                .memory_max = service_settings(request)->page_memory_bytes};
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = template_list(&call, &page);
    *answer = (struct templates_reply){.templates = page.items, .total = page.total};
    reply->object = answer;
    return error;
}

enum error templates_read(struct request *request, struct reply *reply)
{
    struct template *template = ARENA_NEW(request->arena, struct template);
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = template_read(&call, request->arguments[0], template);
    reply->object = template;
    return error;
}

enum error templates_create(struct request *request, struct reply *reply)
{
    struct template *template = ARENA_NEW(request->arena, struct template);
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = template_create(&call, request->body, service_settings(request)->max_templates,
                                template);
    reply->object = template;
    return error;
}

enum error templates_use(struct request *request, struct reply *reply)
{
    struct template *template = ARENA_NEW(request->arena, struct template);
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = template_use(&call, request->arguments[0], template);
    reply->object = template;
    return error;
}

enum error templates_delete(struct request *request, struct reply *reply)
{
    struct deleted_reply *answer = ARENA_NEW(request->arena, struct deleted_reply);
    struct project_call call;
    enum error error = begin(request, &call);

    if (!error)
        error = template_delete(&call, request->arguments[0]);
    *answer = (struct deleted_reply){.id = request->arguments[0], .deleted = true};
    reply->object = answer;
    return error;
}
