/* Reading a trace: the steps in order, the last one that says something wins. */
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
        const char **place;
    } texts[] = {{queries, &extract->query},      {answers, &extract->answer},
                 {routes, &extract->route},       {channels, &extract->channel},
                 {hints, &extract->context_hint}, {topics, &extract->topic}};
    struct optional_number duration = {false, 0};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *text = trimmed(arena, state, texts[i].keys);

        if (text)
            *texts[i].place = text;
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

static const char *first_points(struct arena *arena, const char *text, size_t most)
{
    return arena_copy(arena, text, utf8_prefix(text, most));
}

/* Looked up on the document and then in its metadata. */
static const char *label(struct arena *arena, const json_t *document, const char *const *keys)
{
    const char *text = trimmed(arena, document, keys);

    return text ? text : trimmed(arena, json_object_get(document, "metadata"), keys);
}

static const char *documents(struct arena *arena, const json_t *list)
{
    static const char *const titles[] = {"title", "source", "file_name", "doc_id", NULL},
                             *const sources[] = {"source", "doc_id", "file_name", "title", NULL},
                             *const contents[] = {"page_content", "excerpt", NULL};
    struct text text;
    struct json_writer writer;
    const json_t *document;
    size_t i;

    text_start(&text, arena, TEXT_MOST);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    json_array_foreach(list, i, document)
    {
        const char *title = label(arena, document, titles),
                   *source = label(arena, document, sources),
                   *content = trimmed(arena, document, contents);

        writer_open_object(&writer);
        writer_key_string(&writer, "title", title ? title : "document");
        writer_key_string(&writer, "excerpt",
                          content ? first_points(arena, content, EXCERPT_POINTS) : "");
        writer_key_string(&writer, "source", source ? source : "");
        writer_close_object(&writer);
    }
    writer_close_array(&writer);
    return text.bytes;
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
            text_append_string(&text, first_points(arena, name, LABEL_POINTS));
    }
    return text.bytes;
}

static const char *tools(struct arena *arena, const json_t *list)
{
    static const char *const names[] = {"name", "tool", NULL};
    struct text text;
    struct json_writer writer;
    const json_t *item;
    size_t i;

    text_start(&text, arena, TEXT_MOST);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    json_array_foreach(list, i, item)
    {
        const char *name =
            json_is_string(item) ? json_string_value(item) : trimmed(arena, item, names);

        if (!name)
            continue;
        writer_open_object(&writer);
        writer_key_string(&writer, "tool", name);
        writer_key(&writer, "args");
        if (json_object_get(item, "args"))
            writer_value(&writer, json_object_get(item, "args"));
        else
            writer_null(&writer);
        writer_close_object(&writer);
    }
    writer_close_array(&writer);
    return text.bytes;
}

static const char *citations(struct arena *arena, const json_t *list)
{
    struct text text;
    struct json_writer writer;
    const json_t *item;
    size_t i;

    text_start(&text, arena, TEXT_MOST);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    json_array_foreach(list, i, item)
    {
        const json_t *index = json_object_get(item, "index"),
                     *name = json_object_get(item, "label");
        const char *shown = arena_print(arena, "%zu", i + 1);

        if (json_is_integer(index))
            shown = arena_print(arena, "%lld", (long long)json_integer_value(index));
        else if (json_is_string(index) || json_is_string(name))
            shown = json_string_value(json_is_string(index) ? index : name);
        writer_string(&writer, *shown == '[' ? shown : arena_print(arena, "[%s]", shown));
    }
    writer_close_array(&writer);
    return text.bytes;
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

static enum error read_row(const struct trace_call *call, const char *trace_id,
                           struct extract *extract, const char **categories, bool *found)
{
    struct query *query = db_query(call->db, &read_trace);
    struct optional_integer quality, facts;

    query_bind_text(query, call->tenant);
    query_bind_text(query, trace_id);
    *found = query_next(query);
    if (*found) {
        const char *answer = query_text_or_null(query, 1, call->arena);

        quality = query_optional_integer(query, 3);
        facts = query_optional_integer(query, 4);
        *extract = (struct extract){
            .query = query_text(query, 0, call->arena),
            .answer = answer ? answer : "",
            .route = query_text_or_null(query, 2, call->arena),
            .quality = {quality.given, (double)quality.value},
            .fact_score = {facts.given, (double)facts.value},
            .duration_ms = query_optional_number(query, 5),
            .channel = query_text(query, 6, call->arena),
        };
        *categories = query_json_or_null(query, 7, call->arena);
    }
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

static void write_number(struct json_writer *writer, const char *key, struct optional_number value)
{
    if (value.given)
        writer_key_number(writer, key, value.value);
    else
        writer_key_null(writer, key);
}

const char *extract_json(struct arena *arena, const struct extract *extract)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, arena, TEXT_MOST);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "query", extract->query);
    writer_key_string(&writer, "answer", extract->answer);
    writer_key_string(&writer, "route", extract->route);
    write_number(&writer, "quality", extract->quality);
    write_number(&writer, "fact_score", extract->fact_score);
    write_number(&writer, "duration_ms", extract->duration_ms);
    writer_key(&writer, "docs");
    writer_raw(&writer, extract->docs);
    writer_key(&writer, "tool_calls");
    writer_raw(&writer, extract->tool_calls);
    writer_key(&writer, "citations");
    writer_raw(&writer, extract->citations);
    writer_key_integer(&writer, "citations_count", extract->citations_count);
    writer_key_string(&writer, "channel", extract->channel);
    writer_key_string(&writer, "context_hint", extract->context_hint);
    writer_key_string(&writer, "topic", extract->topic);
    writer_close_object(&writer);
    return text.bytes;
}

const char *extract_text(struct arena *arena, const json_t *value)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, arena, TEXT_MOST);
    writer_start(&writer, &text);
    writer_value(&writer, value);
    return text.bytes;
}

static const char *kept_text(const json_t *object, const char *key, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : otherwise;
}

static const char *kept_list(struct arena *arena, const json_t *object, const char *key)
{
    const json_t *list = json_object_get(object, key);

    return json_is_array(list) ? extract_text(arena, list) : "[]";
}

void extract_read(struct arena *arena, const char *json, struct extract *extract)
{
    struct json_fault fault;
    json_t *object = NULL;

    if (!json || json_read(arena, json, strlen(json), DEPTH, &object, &fault))
        object = NULL;
    *extract = (struct extract){
        .query = kept_text(object, "query", ""),
        .answer = kept_text(object, "answer", ""),
        .route = kept_text(object, "route", NULL),
        .docs = kept_list(arena, object, "docs"),
        .tool_calls = kept_list(arena, object, "tool_calls"),
        .citations = kept_list(arena, object, "citations"),
        .citations_count = json_integer_value(json_object_get(object, "citations_count")),
        .channel = kept_text(object, "channel", "web"),
        .context_hint = kept_text(object, "context_hint", ""),
        .topic = kept_text(object, "topic", ""),
    };
    take_number(object, "quality", &extract->quality);
    take_number(object, "fact_score", &extract->fact_score);
    take_number(object, "duration_ms", &extract->duration_ms);
}
