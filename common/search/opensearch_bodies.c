/* The bodies of calls to OpenSearch: the index's definition, searches and counts. */
#include "search/opensearch_internal.h"
#include "search/terms.h"

#include <string.h>

enum {
    BODY_MAX = 64 << 20,
    KEYS_MOST = 65000, /* of one list; OpenSearch takes 65,536 */
    FEW_GONE = 100,    /* below, what is not current does not count for frequencies either */
    LANGUAGES_MOST = 64
};

const char *const opensearch_fields[OPENSEARCH_FIELD__MAX] = {
    [OPENSEARCH_STEMS] = "stems", [OPENSEARCH_GRAMS] = "grams", [OPENSEARCH_CODES] = "codes"};

static bool has_digit(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i] >= '0' && bytes[i] <= '9')
            return true;
    return false;
}

struct opensearch_token opensearch_token_of(const char *name, size_t length)
{
    if (length && name[0] == TERM_GRAM_MARK)
        return (struct opensearch_token){OPENSEARCH_GRAMS, name + 1, length - 1};
    return (struct opensearch_token){has_digit(name, length) ? OPENSEARCH_CODES : OPENSEARCH_STEMS,
                                     name, length};
}

/* With an analyzer it is searched by words. */
static void write_field(struct json_writer *writer, const char *name, const char *type,
                        const char *analyzer, const char *options, bool norms)
{
    writer_key(writer, name);
    writer_open_object(writer);
    writer_key_string(writer, "type", type);
    if (analyzer) {
        writer_key_string(writer, "analyzer", analyzer);
        writer_key_string(writer, "index_options", options);
        writer_key_boolean(writer, "norms", norms);
    }
    writer_close_object(writer);
}

static void write_properties(struct json_writer *writer)
{
    static const char *const numbers[] = {"document", "chunk"}, *const counts[] = {"child", "words",
                                                                                   "passages"};

    write_field(writer, "tenant", "keyword", NULL, NULL, false);
    write_field(writer, "language", "keyword", NULL, NULL, false);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        write_field(writer, numbers[i], "long", NULL, NULL, false);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        write_field(writer, counts[i], "integer", NULL, NULL, false);
    for (int i = 0; i < OPENSEARCH_FIELD__MAX; i++)
        write_field(writer, opensearch_fields[i], "text", "whitespace", "freqs", true);
    write_field(writer, "passage", "text", "whitespace", "docs", false);
}

void opensearch_open_member(struct json_writer *writer, const char *name)
{
    writer_key(writer, name);
    writer_open_object(writer);
}

const char *opensearch_index_body(struct arena *arena, const char *alias, int64_t shards,
                                  int64_t copies)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, BODY_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    opensearch_open_member(&writer, "settings");
    writer_key_integer(&writer, "number_of_shards", shards);
    writer_key_integer(&writer, "number_of_replicas", copies);
    writer_close_object(&writer);
    opensearch_open_member(&writer, "aliases");
    opensearch_open_member(&writer, alias);
    writer_close_object(&writer);
    writer_close_object(&writer);
    opensearch_open_member(&writer, "mappings");
    writer_key_string(&writer, "dynamic", "strict");
    opensearch_open_member(&writer, "_routing");
    writer_key_boolean(&writer, "required", true);
    writer_close_object(&writer);
    opensearch_open_member(&writer, "properties");
    write_properties(&writer);
    writer_close_object(&writer);
    writer_close_object(&writer);
    writer_close_object(&writer);
    return text.bytes;
}

/* {"KIND":{"FIELD":VALUE}} around the value that the caller writes. */
static void open_clause(struct json_writer *writer, const char *kind, const char *field)
{
    writer_open_object(writer);
    opensearch_open_member(writer, kind);
    writer_key(writer, field);
}

static void close_clause(struct json_writer *writer)
{
    writer_close_object(writer);
    writer_close_object(writer);
}

static void write_term(struct json_writer *writer, const char *field, const char *bytes,
                       size_t length)
{
    open_clause(writer, "term", field);
    writer_bytes(writer, bytes, length);
    close_clause(writer);
}

static void write_integer_term(struct json_writer *writer, const char *field, int64_t value)
{
    open_clause(writer, "term", field);
    writer_integer(writer, value);
    close_clause(writer);
}

/* In parts, because the length of one list is limited. */
static void write_keys(struct json_writer *writer, const struct integer_list *keys)
{
    for (size_t i = 0; i < keys->count; i++) {
        if (i % KEYS_MOST == 0) {
            open_clause(writer, "terms", "document");
            writer_open_array(writer);
        }
        writer_integer(writer, keys->items[i]);
        if (i % KEYS_MOST == KEYS_MOST - 1 || i == keys->count - 1) {
            writer_close_array(writer);
            close_clause(writer);
        }
    }
}

void opensearch_open_query(struct json_writer *writer, const struct opensearch_scope *scope,
                           bool gone, bool hidden, const char *field,
                           const struct opensearch_token *further)
{
    writer_open_object(writer);
    opensearch_open_member(writer, "bool");
    writer_key(writer, "filter");
    writer_open_array(writer);
    write_term(writer, "tenant", scope->tenant, strlen(scope->tenant));
    open_clause(writer, "range", "document");
    writer_open_object(writer);
    writer_key_integer(writer, "lte", scope->newest);
    writer_close_object(writer);
    close_clause(writer);
    if (further)
        write_term(writer, field, further->bytes, further->length);
    writer_close_array(writer);
    writer_key(writer, "must_not");
    writer_open_array(writer);
    if (gone)
        write_keys(writer, &scope->gone);
    if (hidden)
        write_keys(writer, &scope->hidden);
    writer_close_array(writer);
}

void opensearch_close_query(struct json_writer *writer)
{
    writer_close_object(writer);
    writer_close_object(writer);
}

static void write_metric(struct json_writer *writer, const char *name, const char *kind)
{
    opensearch_open_member(writer, name);
    opensearch_open_member(writer, kind);
    writer_key_string(writer, "field", name);
    writer_close_object(writer);
    writer_close_object(writer);
}

/* Counts chunks; their children count once. `visible`: without the reader's hidden ones. */
static void write_parents(struct json_writer *writer, const char *name,
                          const struct opensearch_scope *scope, bool visible)
{
    opensearch_open_member(writer, name);
    opensearch_open_member(writer, "filter");
    opensearch_open_member(writer, "bool");
    writer_key(writer, "filter");
    writer_open_array(writer);
    write_integer_term(writer, "child", 0);
    writer_close_array(writer);
    writer_key(writer, "must_not");
    writer_open_array(writer);
    if (visible)
        write_keys(writer, &scope->hidden);
    writer_close_array(writer);
    writer_close_object(writer);
    writer_close_object(writer);
    writer_close_object(writer);
}

const char *opensearch_totals_body(struct arena *arena, const struct opensearch_scope *scope)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, BODY_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_integer(&writer, "size", 0);
    writer_key(&writer, "query");
    opensearch_open_query(&writer, scope, true, false, NULL, NULL);
    opensearch_close_query(&writer);
    opensearch_open_member(&writer, "aggs");
    write_metric(&writer, "words", "sum");
    write_metric(&writer, "passages", "sum");
    write_metric(&writer, "chunk", "value_count");
    opensearch_open_member(&writer, "language");
    opensearch_open_member(&writer, "terms");
    writer_key_string(&writer, "field", "language");
    writer_key_integer(&writer, "size", LANGUAGES_MOST);
    writer_close_object(&writer);
    writer_close_object(&writer);
    write_parents(&writer, "parents", scope, false);
    write_parents(&writer, "visible", scope, true);
    writer_close_object(&writer);
    writer_close_object(&writer);
    return text.bytes;
}

/* A token with the weight of its term. OpenSearch multiplies it by the idf of the shard, which is
 * near enough for choosing candidates. */
static void write_weighted(struct json_writer *writer, const struct search_term *term)
{
    const struct opensearch_token token = opensearch_token_of(term->name, term->length);

    open_clause(writer, "term", opensearch_fields[token.field]);
    writer_open_object(writer);
    writer_key(writer, "value");
    writer_bytes(writer, token.bytes, token.length);
    writer_key_number(writer, "boost", term->weight);
    writer_close_object(writer);
    close_clause(writer);
}

const char *opensearch_best_body(struct arena *arena, const struct opensearch_scope *scope,
                                 const struct search_term *terms, size_t count, int64_t size)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, BODY_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_integer(&writer, "size", size);
    writer_key_boolean(&writer, "track_total_hits", false);
    writer_key(&writer, "query");
    opensearch_open_query(&writer, scope, true, true, NULL, NULL);
    writer_key(&writer, "should");
    writer_open_array(&writer);
    for (size_t i = 0; i < count; i++)
        if (terms[i].weight > 0)
            write_weighted(&writer, &terms[i]);
    writer_close_array(&writer);
    writer_key_integer(&writer, "minimum_should_match", 1);
    opensearch_close_query(&writer);
    writer_close_object(&writer);
    return text.bytes;
}

static void write_count(struct json_writer *writer, struct text *text,
                        const struct opensearch_scope *scope, const char *field,
                        const struct opensearch_token *token)
{
    writer_start(writer, text);
    writer_open_object(writer);
    writer_key_string(writer, "routing", scope->tenant);
    writer_close_object(writer);
    text_append_byte(text, '\n');
    writer_start(writer, text);
    writer_open_object(writer);
    writer_key_integer(writer, "size", 0);
    writer_key_boolean(writer, "track_total_hits", true);
    writer_key(writer, "query");
    opensearch_open_query(writer, scope, scope->gone.count <= FEW_GONE, false, field, token);
    opensearch_close_query(writer);
    writer_close_object(writer);
    text_append_byte(text, '\n');
}

const char *opensearch_frequencies_body(struct arena *arena, const struct opensearch_scope *scope,
                                        const struct search_term *terms, size_t count)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, BODY_MAX);
    for (size_t i = 0; i < count; i++) {
        const struct opensearch_token token = opensearch_token_of(terms[i].name, terms[i].length);

        write_count(&writer, &text, scope, opensearch_fields[token.field], &token);
        if (token.field != OPENSEARCH_GRAMS)
            write_count(&writer, &text, scope, "passage", &token);
    }
    return text.bytes;
}

/* The caller writes the query and closes the object. */
static void open_ids(struct json_writer *writer, struct text *text, struct arena *arena,
                     int64_t size)
{
    text_start(text, arena, BODY_MAX);
    writer_start(writer, text);
    writer_open_object(writer);
    writer_key_integer(writer, "size", size);
    writer_key_boolean(writer, "_source", false);
    writer_key(writer, "query");
}

const char *opensearch_others_body(struct arena *arena, const char *tenant,
                                   const struct integer_list *documents, int64_t size)
{
    const struct opensearch_scope scope = {
        .tenant = tenant, .newest = INT64_MAX, .gone = *documents};
    struct json_writer writer;
    struct text text;

    open_ids(&writer, &text, arena, size);
    opensearch_open_query(&writer, &scope, true, false, NULL, NULL);
    opensearch_close_query(&writer);
    writer_close_object(&writer);
    return text.bytes;
}

const char *opensearch_ids_body(struct arena *arena, const char *tenant, int64_t document,
                                int64_t size)
{
    struct json_writer writer;
    struct text text;

    open_ids(&writer, &text, arena, size);
    writer_open_object(&writer);
    opensearch_open_member(&writer, "bool");
    writer_key(&writer, "filter");
    writer_open_array(&writer);
    write_term(&writer, "tenant", tenant, strlen(tenant));
    write_integer_term(&writer, "document", document);
    writer_close_array(&writer);
    writer_close_object(&writer);
    writer_close_object(&writer);
    writer_close_object(&writer);
    return text.bytes;
}
