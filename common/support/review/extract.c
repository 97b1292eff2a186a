/* Reads a trace: the steps in order; for each member the last step that contains it counts. */
#include "support/review/extract.h"
#include "base/text.h"
#include "db/query.h"

#include <string.h>

enum {
    DEPTH = 64,
    TEXT_MOST = 16 << 20,
    EXCERPT_POINTS = 500,
    LABEL_POINTS = 80,
    HINT_DOCUMENTS = 3,
    TOPIC_WORDS = 6
};

static const struct statement read_trace = {
    .name = "extract_trace",
    .sql = "SELECT question, answer, final_route, final_quality, factuality_score, duration_ms,"
           " channel, categories FROM traces WHERE tenant_id = ? AND trace_id = ?",
};

struct trace_facts {
    const char *question, *answer, *final_route;
    struct optional_integer final_quality, factuality_score;
    struct optional_number duration_ms;
    const char *channel, *categories; /* the latter JSON */
};

#define OWNER struct trace_facts
static const struct field facts_fields[] = {
    STRING(OWNER, question),
    STRING(OWNER, answer, .nullable = true),
    STRING(OWNER, final_route, .nullable = true),
    NULLABLE_INTEGER(OWNER, final_quality),
    NULLABLE_INTEGER(OWNER, factuality_score),
    NULLABLE_NUMBER(OWNER, duration_ms),
    STRING(OWNER, channel),
    WRITTEN_JSON(OWNER, categories, .nullable = true),
};
#undef OWNER
static SCHEMA(facts_schema, struct trace_facts, "TraceFacts", facts_fields);

#define OWNER struct extract_document
static const struct field document_fields[] = {STRING(OWNER, title), STRING(OWNER, excerpt),
                                               STRING(OWNER, source)};
#undef OWNER
SCHEMA(extract_document_schema, struct extract_document, "ReviewDocument", document_fields);

#define OWNER struct extract_tool
static const struct field tool_fields[] = {STRING(OWNER, tool),
                                           JSON_VALUE(OWNER, args, .nullable = true)};
#undef OWNER
SCHEMA(extract_tool_schema, struct extract_tool, "ReviewTool", tool_fields);

#define OWNER struct extract
static const struct field extract_fields[] = {
    STRINGS(OWNER, tags, .omit_if_null = true),
    STRING(OWNER, query, .nullable = true),
    STRING(OWNER, answer, .nullable = true),
    STRING(OWNER, route, .nullable = true),
    NULLABLE_NUMBER(OWNER, quality),
    NULLABLE_NUMBER(OWNER, fact_score),
    NULLABLE_NUMBER(OWNER, duration_ms),
    OBJECTS(OWNER, docs, extract_document_schema),
    OBJECTS(OWNER, tool_calls, extract_tool_schema),
    STRINGS(OWNER, citations),
    INTEGER(OWNER, citations_count),
    STRING(OWNER, channel, .nullable = true),
    STRING(OWNER, context_hint, .nullable = true),
    STRING(OWNER, topic, .nullable = true),
};
#undef OWNER
static SCHEMA(extract_schema, struct extract, "ReviewExtract", extract_fields,
              .extra = EXTRA_IGNORE);

/* Lists of the last step that has any, by the key under which they stand. */
struct lists {
    const json_t *graded, *context, *retrieved, *tools, *citations;
};

static const char *trimmed(struct arena *arena, const json_t *object, const char *const *keys)
{
    for (; *keys; keys++) {
        const json_t *value = json_object_get(object, *keys);
        const char *text = json_is_string(value) ? text_trimmed(arena, json_string_value(value),
                                                                json_string_length(value))
                                                 : "";

        if (*text)
            return text;
    }
    return NULL;
}

static void take_number(const json_t *object, const char *key, struct optional_number *value)
{
    const json_t *number = json_object_get(object, key);

    if (json_is_number(number))
        *value = (struct optional_number)GIVEN_NUMBER(json_number_value(number));
}

static void take_list(const json_t *object, const char *key, const json_t **list)
{
    const json_t *value = json_object_get(object, key);

    if (json_array_size(value))
        *list = value;
}

/* How many documents a list of citations quotes; one without a document counts for itself. */
static int64_t quoted_documents(const json_t *list)
{
    int64_t count = 0;

    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *id = json_string_value(json_object_get(json_array_get(list, i), "doc_id"));
        bool known = false;

        for (size_t j = 0; id && j < i && !known; j++) {
            const char *other =
                json_string_value(json_object_get(json_array_get(list, j), "doc_id"));

            known = other && strcmp(other, id) == 0;
        }
        count += !known;
    }
    return count;
}

static void take_step(struct arena *arena, const json_t *state, struct extract *extract,
                      struct lists *lists)
{
    int64_t quoted;
    static const char *const
        queries[] = {"question", "query", NULL},
        *const answers[] = {"answer", "final_answer", "response", NULL},
        *const routes[] = {"route", NULL}, *const channels[] = {"channel", NULL},
        *const hints[] = {"context_hint", NULL}, *const topics[] = {"primary_category", NULL};
    const struct {
        const char *const *keys;
        const char **value;
    } texts[] = {{queries, &extract->query},      {answers, &extract->answer},
                 {routes, &extract->route},       {channels, &extract->channel},
                 {hints, &extract->context_hint}, {topics, &extract->topic}};
    struct optional_number duration = {false, 0};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *text = trimmed(arena, state, texts[i].keys);

        if (text)
            *texts[i].value = text;
    }
    take_number(state,
                json_object_get(state, "factuality_score") ? "factuality_score" : "fact_score",
                &extract->fact_score);
    take_number(state, "duration_ms", &duration);
    if (!extract->quality.given)
        take_number(state, "quality_score", &extract->quality);
    take_list(state, "graded_docs", &lists->graded);
    take_list(state, "context_docs", &lists->context);
    take_list(state, "retrieved_docs", &lists->retrieved);
    take_list(state, "tool_calls", &lists->tools);
    take_list(state, "citations", &lists->citations);
    quoted = quoted_documents(json_object_get(state, "citations"));
    if (quoted > extract->citations_count)
        extract->citations_count = quoted;
}

/* Looked up on the document and then in its metadata. */
static const char *label(struct arena *arena, const json_t *document, const char *const *keys)
{
    const char *text = trimmed(arena, document, keys);

    return text ? text : trimmed(arena, json_object_get(document, "metadata"), keys);
}

static struct object_list documents(struct arena *arena, const json_t *list)
{
    static const char *const titles[] = {"title", "source", "file_name", "doc_id", NULL},
                             *const sources[] = {"source", "doc_id", "file_name", "title", NULL},
                             *const contents[] = {"page_content", "excerpt", NULL};
    struct extract_document *items =
        ARENA_ARRAY(arena, struct extract_document, json_array_size(list) + 1);
    const json_t *document;
    size_t i;

    json_array_foreach(list, i, document)
    {
        const char *title = label(arena, document, titles),
                   *source = label(arena, document, sources),
                   *content = trimmed(arena, document, contents);

        items[i] = (struct extract_document){
            .title = title ? title : "document",
            .excerpt = content ? utf8_copy_prefix(arena, content, EXCERPT_POINTS) : "",
            .source = source ? source : ""};
    }
    return (struct object_list){json_array_size(list), items};
}

static const char *hint(struct arena *arena, const json_t *list)
{
    static const char *const keys[] = {"title", "source", "doc_id", "id", NULL};
    struct text text;

    text_start(&text, arena, TEXT_MOST);
    for (size_t i = 0; i < json_array_size(list) && i < HINT_DOCUMENTS; i++) {
        const char *name = label(arena, json_array_get(list, i), keys);

        if (name && text.length)
            text_append_string(&text, " | ");
        if (name)
            text_append_string(&text, utf8_copy_prefix(arena, name, LABEL_POINTS));
    }
    return text.bytes;
}

static struct object_list tools(struct arena *arena, const json_t *list)
{
    static const char *const names[] = {"name", "tool", NULL};
    struct extract_tool *items = ARENA_ARRAY(arena, struct extract_tool, json_array_size(list) + 1);
    struct object_list tools = {0, items};
    const json_t *item;
    size_t i;

    json_array_foreach(list, i, item)
    {
        const char *name =
            json_is_string(item) ? json_string_value(item) : trimmed(arena, item, names);

        if (name)
            items[tools.count++] =
                (struct extract_tool){.tool = name, .args = json_object_get(item, "args")};
    }
    return tools;
}

static struct string_list citations(struct arena *arena, const json_t *list)
{
    struct string_list markers = {0, ARENA_ARRAY(arena, const char *, json_array_size(list) + 1)};
    const json_t *item;
    size_t i;

    json_array_foreach(list, i, item)
    {
        const json_t *index = json_object_get(item, "index"),
                     *name = json_object_get(item, "label");
        const char *shown = arena_print(arena, "%zu", i + 1);

        if (json_is_integer(index))
            shown = arena_print(arena, "%lld", (long long)json_integer_value(index));
        else if (json_is_string(index) || json_is_string(name))
            shown = json_string_value(json_is_string(index) ? index : name);
        markers.items[markers.count++] = *shown == '[' ? shown : arena_print(arena, "[%s]", shown);
    }
    return markers;
}

static const char *first_words(struct arena *arena, const char *text, size_t most)
{
    size_t at = 0, words = 0;

    while (text[at] && words < most) {
        at += strcspn(text + at, " \t\r\n");
        words++;
        if (text[at] && words < most)
            at += strspn(text + at, " \t\r\n");
    }
    return arena_copy(arena, text, at);
}

/* What follows from the lists, once every step was read. */
static void conclude(struct arena *arena, const struct lists *lists, const char *categories,
                     struct extract *extract)
{
    const json_t *found = lists->graded    ? lists->graded
                          : lists->context ? lists->context
                                           : lists->retrieved;
    struct json_fault fault;
    json_t *list = NULL;

    if (!extract->topic && categories &&
        !json_read(arena, categories, strlen(categories), DEPTH, &list, &fault) &&
        json_is_string(json_array_get(list, 0)))
        extract->topic = json_string_value(json_array_get(list, 0));
    if (!extract->topic)
        extract->topic = first_words(arena, extract->query, TOPIC_WORDS);
    extract->docs = documents(arena, found);
    extract->tool_calls = tools(arena, lists->tools);
    extract->citations = citations(arena, lists->citations);
    if (!extract->context_hint)
        extract->context_hint = hint(arena, found);
}

static struct optional_number as_number(struct optional_integer value)
{
    return (struct optional_number){value.given, (double)value.value};
}

static enum error read_row(const struct trace_call *call, const char *trace_id,
                           struct extract *extract, const char **categories, bool *found)
{
    struct query *query = db_query(call->db, &read_trace);
    struct trace_facts facts = {0};

    query_bind_text(query, call->tenant);
    query_bind_text(query, trace_id);
    *found = query_next(query);
    if (*found)
        query_read(query, &facts_schema, &facts, call->arena);
    *extract = (struct extract){.query = facts.question,
                                .answer = facts.answer ? facts.answer : "",
                                .route = facts.final_route,
                                .quality = as_number(facts.final_quality),
                                .fact_score = as_number(facts.factuality_score),
                                .duration_ms = facts.duration_ms,
                                .channel = facts.channel};
    *categories = facts.categories;
    return query_end(query, call->problem);
}

enum error extract_trace(const struct trace_call *call, const char *trace_id,
                         struct extract *extract, bool *found)
{
    const char *categories = NULL;
    struct lists lists = {NULL, NULL, NULL, NULL, NULL};
    struct object_list steps = {0, NULL};
    enum error error = read_row(call, trace_id, extract, &categories, found);

    if (error || !*found)
        return error;
    error = trace_steps(call, trace_id, &steps);
    for (size_t i = 0; i < steps.count && !error; i++) {
        const char *state = ((const struct trace_step_row *)steps.items)[i].state;
        struct json_fault fault;
        json_t *object;

        if (!json_read(call->arena, state, strlen(state), DEPTH, &object, &fault) &&
            json_is_object(object))
            take_step(call->arena, object, extract, &lists);
    }
    if (!error)
        conclude(call->arena, &lists, categories, extract);
    return error;
}

const char *extract_json(struct arena *arena, const struct extract *extract)
{
    return schema_json(arena, TEXT_MOST, &extract_schema, extract);
}

static const char *text_or(const char *text, const char *otherwise)
{
    return text ? text : otherwise;
}

void extract_read(struct arena *arena, const char *json, struct extract *extract)
{
    *extract = (struct extract){0};
    if (json && !schema_from_json(arena, &extract_schema, json, extract))
        *extract = (struct extract){0};
    extract->query = text_or(extract->query, "");
    extract->answer = text_or(extract->answer, "");
    extract->channel = text_or(extract->channel, "web");
    extract->context_hint = text_or(extract->context_hint, "");
    extract->topic = text_or(extract->topic, "");
}
