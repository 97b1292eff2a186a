/* The search engine's client: what it sends, that its scores are those of the embedded index, and
 * what it makes of a server that misbehaves, which a scripted one does here. */
#include "search/opensearch.h"

#include "base/json.h"
#include "search/opensearch_internal.h"
#include "search/terms.h"
#include "shm_children.h"
#include "test.h"
#include "text/exact_words.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CALLS_MAX = 16, BODY_BYTES = 1 << 18, HEAD_BYTES = 4096 };

static struct arena *arena;
static char directory[] = "/tmp/assay-opensearch-XXXXXX";

/* Answers the n-th connection with the n-th answer, the last one for all that follow, and keeps
 * what was asked. An answer is a body with status 200, or begins with "HTTP/" and is sent as it is;
 * "" is the end of the connection, "hang" nothing at all. */
struct fake {
    pid_t pid;
    char url[64];
    struct heard {
        int calls;
        struct call {
            char head[HEAD_BYTES], body[BODY_BYTES];
        } call[CALLS_MAX];
    } * heard;
};

static void hear(int connection, struct call *call)
{
    size_t used = 0, length;
    char *end = NULL, *name;
    static char bytes[BODY_BYTES + HEAD_BYTES];

    while (!end && used < sizeof bytes - 1) {
        ssize_t count = read(connection, bytes + used, sizeof bytes - 1 - used);

        if (count <= 0)
            return;
        bytes[used += (size_t)count] = '\0';
        end = strstr(bytes, "\r\n\r\n");
    }
    if (!end)
        return;
    snprintf(call->head, sizeof call->head, "%.*s", (int)(end - bytes), bytes);
    name = strcasestr(call->head, "Content-Length:");
    length = name ? strtoul(name + strlen("Content-Length:"), NULL, 10) : 0;
    end += 4;
    while (used - (size_t)(end - bytes) < length) {
        ssize_t count = read(connection, bytes + used, sizeof bytes - 1 - used);

        if (count <= 0)
            return;
        used += (size_t)count;
    }
    snprintf(call->body, sizeof call->body, "%.*s", (int)length, end);
}

static void answer_one(int connection, const char *answer, struct heard *heard)
{
    static struct call spare;
    char head[160];

    hear(connection, heard->calls < CALLS_MAX ? &heard->call[heard->calls] : &spare);
    heard->calls++;
    if (strcmp(answer, "hang") == 0)
        pause();
    if (*answer && strncmp(answer, "HTTP/", 5) != 0) {
        snprintf(head, sizeof head,
                 "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
                 strlen(answer));
        (void)!write(connection, head, strlen(head));
    }
    (void)!write(connection, answer, strlen(answer));
    close(connection);
}

static struct fake serve(const char *const *answers, int count)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct fake fake;

    if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 16) ||
        getsockname(listener, (struct sockaddr *)&address, &length))
        abort();
    snprintf(fake.url, sizeof fake.url, "http://127.0.0.1:%d", ntohs(address.sin_port));
    fake.heard =
        mmap(NULL, sizeof *fake.heard, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fflush(stdout);
    fake.pid = fork();
    for (int n = 0; fake.pid == 0; n++) {
        int connection = accept(listener, NULL, NULL);

        if (connection >= 0)
            answer_one(connection, answers[n < count ? n : count - 1], fake.heard);
    }
    close(listener);
    return fake;
}

#define SERVE(...)                                                                                 \
    serve((const char *const[]){__VA_ARGS__},                                                      \
          (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)))

static void stop(struct fake *fake)
{
    end_child(fake->pid);
    munmap(fake->heard, sizeof *fake->heard);
}

static struct opensearch server_of(const struct fake *fake)
{
    return (struct opensearch){
        .url = fake->url, .index = "chunks", .seconds = 3, .bulk_bytes = 1000000, .candidates = 50};
}

static json_t *parse(const char *text, size_t length)
{
    struct json_fault fault;
    json_t *document = NULL;

    CHECK_INT(json_read(arena, text, length, 20, &document, &fault), ERROR_NONE);
    return document;
}

/* By a path like "query.bool.filter.0"; NULL when there is nothing. */
static const json_t *at(const json_t *value, const char *path)
{
    char name[64];

    while (*path && value) {
        size_t length = strcspn(path, ".");

        snprintf(name, sizeof name, "%.*s", (int)length, path);
        value = json_is_array(value) ? json_array_get(value, strtoul(name, NULL, 10))
                                     : json_object_get(value, name);
        path += length + (path[length] == '.');
    }
    return value;
}

static const char *text_at(const json_t *value, const char *path)
{
    return json_string_value(at(value, path));
}

static int64_t number_at(const json_t *value, const char *path)
{
    return json_integer_value(at(value, path));
}

static const struct search_term terms[] = {
    {"return", 6, 1}, {"xr500", 5, 3}, {"\x01^ret", 5, 0.25}, {"unused", 6, 0}};
enum { TERMS = 4 };

static struct opensearch_scope scope_of(size_t gone, size_t hidden)
{
    struct opensearch_scope scope = {.tenant = "a/b", .newest = 900};

    scope.gone = (struct integer_list){gone, ARENA_ARRAY(arena, int64_t, gone + 1)};
    scope.hidden = (struct integer_list){hidden, ARENA_ARRAY(arena, int64_t, hidden + 1)};
    for (size_t i = 0; i < gone; i++)
        scope.gone.items[i] = 100 + (int64_t)i;
    for (size_t i = 0; i < hidden; i++)
        scope.hidden.items[i] = 300 + (int64_t)i;
    return scope;
}

TEST(a_search_always_filters)
{
    const struct opensearch_scope scope = scope_of(2, 70000);
    const char *text = opensearch_best_body(arena, &scope, terms, TERMS, 50);
    const json_t *body = parse(text, strlen(text)), *query = at(body, "query.bool");

    CHECK_INT(number_at(body, "size"), 50);
    CHECK_TEXT(text_at(query, "filter.0.term.tenant"), "a/b");
    CHECK_INT(number_at(query, "filter.1.range.document.lte"), 900);
    CHECK_INT(json_array_size(at(query, "must_not.0.terms.document")), 2);
    CHECK_INT(number_at(query, "must_not.0.terms.document.1"), 101);
    CHECK_INT(json_array_size(at(query, "must_not.1.terms.document")), 65000); /* its limit */
    CHECK_INT(json_array_size(at(query, "must_not.2.terms.document")), 5000);
    CHECK_INT(json_array_size(at(query, "should")), 3);
    CHECK_TEXT(text_at(query, "should.0.term.stems.value"), "return");
    CHECK_TEXT(text_at(query, "should.1.term.codes.value"), "xr500");
    CHECK_NEAR(json_number_value(at(query, "should.1.term.codes.boost")), 3, 0);
    CHECK_TEXT(text_at(query, "should.2.term.grams.value"), "^ret");
    CHECK_INT(number_at(query, "minimum_should_match"), 1);
}

TEST(counts_are_of_the_whole_tenant)
{
    const struct opensearch_scope scope = scope_of(2, 3), many = scope_of(101, 0);
    const char *text = opensearch_frequencies_body(arena, &scope, terms, 3), *line = text;
    size_t lines = 0;

    for (; *line; line = strchr(line, '\n') + 1, lines++) {
        const json_t *body = parse(line, strcspn(line, "\n"));

        if (lines % 2 == 0) {
            CHECK_TEXT(text_at(body, "routing"), "a/b");
            continue;
        }
        CHECK_TEXT(text_at(body, "query.bool.filter.0.term.tenant"), "a/b");
        CHECK_INT(json_array_size(at(body, "query.bool.must_not")), 1); /* not what is hidden */
        CHECK(json_is_true(at(body, "track_total_hits")));
    }
    CHECK_INT(lines, 2 * (2 + 2 + 1)); /* four-grams have no passages */
    CHECK(strstr(text, "{\"term\":{\"passage\":\"xr500\"}}") != NULL);
    text = opensearch_frequencies_body(arena, &many, terms, 1);
    CHECK(strstr(text, "\"must_not\":[]") != NULL); /* so many would make each of them long */
}

TEST(the_index_takes_no_other_fields)
{
    const char *text = opensearch_index_body(arena, "chunks", 3, 1);
    const json_t *body = parse(text, strlen(text));

    CHECK_INT(number_at(body, "settings.number_of_shards"), 3);
    CHECK_INT(number_at(body, "settings.number_of_replicas"), 1);
    CHECK(json_is_object(at(body, "aliases.chunks")));
    CHECK_TEXT(text_at(body, "mappings.dynamic"), "strict");
    CHECK(json_is_true(at(body, "mappings._routing.required")));
    CHECK_TEXT(text_at(body, "mappings.properties.grams.analyzer"), "whitespace");
    CHECK_TEXT(text_at(body, "mappings.properties.passage.index_options"), "docs");
    CHECK_TEXT(text_at(body, "mappings.properties.document.type"), "long");
}

/* Texts of several scripts, each of them a chunk of two passages. */
static const struct {
    enum text_language language;
    const char *head, *first, *second;
} texts[] = {
    {TEXT_EN, "Returns", "Goods of the XR-500 can be returned within 14 days.",
     "A receipt is needed for returning them; say \"hello\\world\"."},
    {TEXT_EN, NULL, "Nobody returns the receipt of a gift. The gift stays with them.", ""},
    {TEXT_ZH, "退货", "商品可以在14天内退货。", "退货需要收据。"},
    {TEXT_TH, "การคืน", "ลูกค้าสามารถคืนสินค้าได้ภายใน 30 วัน", "รหัส XR-500"},
    {TEXT_AR, "الإرجاع", "يمكن إرجاع السلع خلال 14 يومًا", "يلزم إيصال الشراء"},
};
enum { TEXTS = sizeof texts / sizeof texts[0] };

static struct search_index *embed(void)
{
    struct index_builder *builder = index_builder_create((size_t)1 << 26);
    struct search_index *index = search_index_create(directory);
    struct search_segment segment = {.name = "one.seg"};
    struct problem problem;
    size_t damaged;

    for (size_t i = 0; i < TEXTS; i++) {
        const struct index_passage passages[] = {{texts[i].first, strlen(texts[i].first)},
                                                 {texts[i].second, strlen(texts[i].second)}};

        index_builder_document(builder, 100 + (int64_t)i, texts[i].language);
        index_builder_chunk(builder, 1 + (int64_t)i, texts[i].head, passages, 2);
    }
    CHECK_INT(index_builder_finish(builder, directory, segment.name, &segment.bytes, &problem),
              ERROR_NONE);
    index_builder_destroy(builder);
    CHECK_INT(search_index_update(index, &segment, 1, &damaged, &problem), ERROR_NONE);
    return index;
}

/* What the engine is sent of the same chunks: `sources` gets those of chunks; returns how many
 * lines are passages. */
static int write_all(const char **sources)
{
    struct fake fake = SERVE("{\"errors\":false}");
    struct opensearch server = server_of(&fake);
    int passages = 0;

    for (size_t i = 0; i < TEXTS; i++) {
        const struct opensearch_document document = {"a/b", 100 + (int64_t)i, texts[i].language};
        const struct index_passage parts[] = {{texts[i].first, strlen(texts[i].first)},
                                              {texts[i].second, strlen(texts[i].second)}};
        struct opensearch_writer *writer = opensearch_writer_start(&server, arena, &document);
        struct problem problem;
        const char *line = fake.heard->call[i].body;

        opensearch_writer_chunk(writer, 1 + (int64_t)i, 0, texts[i].head, parts, 2);
        CHECK_INT(opensearch_writer_finish(writer, &problem), ERROR_NONE);
        CHECK_INT(fake.heard->calls, i + 1);
        CHECK(strstr(fake.heard->call[i].head, "POST /chunks/_bulk?require_alias=true") != NULL);
        for (int n = 0; *line; line = strchr(line, '\n') + 1, n++) {
            size_t length = strcspn(line, "\n");
            const json_t *value = parse(line, length);

            if (n % 2 == 0) {
                CHECK_TEXT(text_at(value, "index.routing"), "a/b");
                continue;
            }
            CHECK_TEXT(text_at(value, "tenant"), "a/b");
            CHECK_INT(number_at(value, "document"), 100 + (int)i);
            passages += at(value, "passage") != NULL;
            if (at(value, "chunk"))
                sources[i] = arena_copy(arena, line, length);
        }
    }
    stop(&fake);
    return passages;
}

static struct search_term all_terms[400];

/* The terms of a text, as a question would ask for them. */
static size_t terms_of(const char *text, enum text_language language)
{
    struct word_reader reader;
    struct word word;
    size_t count = 0;

    word_reader_start(&reader, text, strlen(text));
    while (exact_word_next(&reader, &word)) {
        struct term_gram grams[TERM_GRAMS_MAX];
        char stem[WORD_BYTES_MAX + 1];
        size_t length = term_stem(language, &word, stem), found = term_grams(&word, grams);

        all_terms[count++] = (struct search_term){arena_copy(arena, stem, length), length, 1};
        for (size_t i = 0; i < found; i++)
            all_terms[count++] = (struct search_term){
                arena_copy(arena, grams[i].bytes, grams[i].length), grams[i].length, 0.2};
    }
    return count;
}

#define WHOLE "\"timed_out\":false,\"_shards\":{\"total\":1,\"successful\":1,\"failed\":0}"

/* What an engine would count, by the embedded index. */
static const char *counts_answer(const struct search_index *index, size_t count)
{
    struct text text;

    text_start(&text, arena, 1 << 20);
    text_append_string(&text, "{\"responses\":[");
    for (size_t i = 0; i < count; i++) {
        const struct search_term *term = &all_terms[i];
        struct search_frequency found = search_index_frequency(index, term->name, term->length);

        text_append_format(&text,
                           "%s{" WHOLE ",\"status\":200,\"hits\":{\"total\":{\"value\":%lld}}}",
                           i ? "," : "", (long long)found.chunks);
        if (term->name[0] != TERM_GRAM_MARK)
            text_append_format(&text,
                               ",{" WHOLE ",\"status\":200,\"hits\":{\"total\":{\"value\":%lld}}}",
                               (long long)found.passages);
    }
    text_append_string(&text, "]}");
    return text.bytes;
}

/* Worst first, and twice: the order of an engine must not matter. */
static const char *candidates_answer(const char *const *sources)
{
    struct text text;

    text_start(&text, arena, 1 << 20);
    text_append_string(&text, "{" WHOLE ",\"hits\":{\"hits\":[");
    for (size_t i = 2 * TEXTS; i-- > 0;)
        text_append_format(&text, "{\"_source\":%s}%s", sources[i % TEXTS], i ? "," : "");
    text_append_string(&text, "]}}");
    return text.bytes;
}

static struct opensearch_totals totals_of(const struct search_index *index)
{
    return (struct opensearch_totals){search_index_totals(index), TEXTS, TEXTS};
}

TEST(scores_are_those_of_the_embedded_index)
{
    const struct opensearch_scope scope = scope_of(0, 0);
    struct search_index *index = embed();
    const struct opensearch_totals totals = totals_of(index);
    const char *sources[TEXTS];

    CHECK_INT(write_all(sources), search_index_totals(index).passages);
    for (size_t i = 0; i < TEXTS; i++) {
        size_t count = terms_of(texts[i].first, texts[i].language);
        struct fake fake = SERVE(counts_answer(index, count), candidates_answer(sources));
        struct opensearch server = server_of(&fake);
        struct opensearch_view *view = opensearch_view_open(arena, &server, &scope, &totals, NULL);
        struct search_index *remote = opensearch_view_index(view);
        struct search_hit ours[TEXTS], theirs[TEXTS];
        struct problem problem;
        size_t found = search_index_best(index, arena, all_terms, count, theirs, TEXTS);

        CHECK_INT(search_index_best(remote, arena, all_terms, count, ours, TEXTS), found);
        CHECK_INT(opensearch_view_error(view, &problem), ERROR_NONE);
        for (size_t j = 0; j < found; j++) {
            CHECK_INT(ours[j].chunk, theirs[j].chunk);
            CHECK_INT(ours[j].document, theirs[j].document);
            CHECK_RELATIVE(ours[j].score, theirs[j].score, 1e-12);
        }
        CHECK_INT(search_index_frequency(remote, all_terms[0].name, all_terms[0].length).passages,
                  search_index_frequency(index, all_terms[0].name, all_terms[0].length).passages);
        CHECK_INT(fake.heard->calls, 2); /* what was counted once is not asked for again */
        stop(&fake);
    }
    search_index_destroy(index);
}

enum current { ONLY_SECOND, REPLACED, FAILS, ALL };

static enum error keep_current(void *context, const int64_t *documents, size_t count, bool *current,
                               struct problem *problem)
{
    enum current is = *(const enum current *)context;

    for (size_t i = 0; i < count; i++)
        current[i] = is == ALL || documents[i] == 101;
    return is == FAILS ? problem_set(problem, ERROR_BUSY, "busy", "the database is busy")
                       : ERROR_NONE;
}

static enum error read_again(void *context, const struct opensearch_scope **scope,
                             const struct opensearch_totals **totals, struct problem *problem)
{
    if (*(enum current *)context == REPLACED)
        return problem_set(problem, ERROR_UNAVAILABLE, "search_unavailable", "is replaced");
    *(enum current *)context = ALL;
    return *scope && *totals ? ERROR_NONE : ERROR_INVALID;
}

TEST(the_caller_decides_what_is_current)
{
    const struct opensearch_scope scope = scope_of(0, 0);
    struct search_index *index = embed();
    const struct opensearch_totals totals = totals_of(index);
    const char *sources[TEXTS];

    (void)write_all(sources);
    for (enum current current = ONLY_SECOND; current <= FAILS; current++) {
        size_t count = terms_of("receipt", TEXT_EN);
        struct fake fake = SERVE(counts_answer(index, count), candidates_answer(sources));
        struct opensearch server = server_of(&fake);
        struct opensearch_caller caller = {NULL, keep_current,
                                           current == REPLACED ? read_again : NULL, &current};
        struct opensearch_view *view =
            opensearch_view_open(arena, &server, &scope, &totals, &caller);
        struct search_hit hits[TEXTS];
        struct problem problem;
        size_t found =
            search_index_best(opensearch_view_index(view), arena, all_terms, count, hits, TEXTS);

        CHECK_INT(found, current != FAILS);
        CHECK_INT(opensearch_view_error(view, &problem),
                  current == FAILS ? ERROR_BUSY : ERROR_NONE);
        if (found)
            CHECK_INT(hits[0].document, 101);
        stop(&fake);
    }
    search_index_destroy(index);
}

TEST(replaced_documents_are_searched_again)
{
    const struct opensearch_scope scope = scope_of(0, 0);
    struct search_index *index = embed();
    const struct opensearch_totals totals = totals_of(index);
    const char *sources[TEXTS];
    bool written = write_all(sources) > 0;
    size_t count = terms_of("receipt", TEXT_EN), all;
    const char *counts = counts_answer(index, count), *best = candidates_answer(sources);
    struct fake fake = SERVE(counts, best, counts, best);
    struct opensearch server = server_of(&fake);
    enum current current = ONLY_SECOND;
    struct opensearch_caller caller = {NULL, keep_current, read_again, &current};
    struct opensearch_view *view = opensearch_view_open(arena, &server, &scope, &totals, &caller);
    struct search_hit hits[TEXTS];

    all = search_index_best(index, arena, all_terms, count, hits, TEXTS);
    CHECK(written && all > 1);
    CHECK_INT(search_index_best(opensearch_view_index(view), arena, all_terms, count, hits, TEXTS),
              all);
    stop(&fake);
    search_index_destroy(index);
}

#define GOOD_COUNT "{" WHOLE ",\"status\":200,\"hits\":{\"total\":{\"value\":1}}}"
#define GOOD_COUNTS "{\"responses\":[" GOOD_COUNT "," GOOD_COUNT "]}"
#define STATUS(line) "HTTP/1.1 " line "\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
#define LOST                                                                                       \
    "HTTP/1.1 404 Lost\r\nContent-Length: 46\r\nConnection: close\r\n\r\n"                         \
    "{\"error\":{\"type\":\"index_not_found_exception\"}}"

/* Ways to misbehave, as the answer to the counts and to the search. */
static const struct {
    const char *counts, *candidates;
    enum error error;
} faults[] = {
    {STATUS("500 No"), "", ERROR_UNAVAILABLE},
    {STATUS("429 Later"), "", ERROR_UNAVAILABLE},
    {STATUS("401 Who"), "", ERROR_UNAVAILABLE},
    {STATUS("404 Lost"), "", ERROR_UNAVAILABLE}, /* of a proxy */
    {LOST, "", ERROR_NOT_FOUND},
    {"", "", ERROR_UNAVAILABLE},
    {"hang", "", ERROR_UNAVAILABLE},
    {"no JSON", "", ERROR_UNAVAILABLE},
    {"[1]", "", ERROR_UNAVAILABLE},
    {"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{\"responses\":[", "", ERROR_UNAVAILABLE},
    {"{\"responses\":[" GOOD_COUNT "]}", "", ERROR_UNAVAILABLE}, /* one of two is missing */
    {"{\"responses\":[" GOOD_COUNT ",{\"status\":404}]}", "", ERROR_NOT_FOUND},
    {"{\"responses\":[" GOOD_COUNT
     ",{\"timed_out\":true,\"_shards\":{\"successful\":1,\"failed\":0}"
     "}]}",
     "", ERROR_UNAVAILABLE},
    {GOOD_COUNTS, "{}", ERROR_UNAVAILABLE},
    {GOOD_COUNTS,
     "{\"timed_out\":true,\"_shards\":{\"successful\":1,\"failed\":0},\"hits\":{\"hits\":[]}}",
     ERROR_UNAVAILABLE},
    {GOOD_COUNTS,
     "{\"timed_out\":false,\"_shards\":{\"successful\":1,\"failed\":1},\"hits\":{\"hits\":[]}}",
     ERROR_UNAVAILABLE},
    {GOOD_COUNTS,
     "{\"timed_out\":false,\"_shards\":{\"successful\":0,\"failed\":0},\"hits\":{\"hits\":[]}}",
     ERROR_UNAVAILABLE},
};

TEST(part_of_an_answer_is_none)
{
    const struct opensearch_scope scope = scope_of(0, 0);
    const struct opensearch_totals totals = {{1, 10, 100, 20, 1}, 10, 10};

    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        /* A failed call is repeated twice; the search comes after one good count. */
        bool counts = strcmp(faults[i].counts, GOOD_COUNTS) == 0;
        struct fake fake =
            SERVE(faults[i].counts, counts ? faults[i].candidates : faults[i].counts);
        struct opensearch server = server_of(&fake);
        struct opensearch_view *view;
        struct search_hit hits[5];
        struct problem problem;

        server.seconds = 1;
        view = opensearch_view_open(arena, &server, &scope, &totals, NULL);
        CHECK_INT(search_index_best(opensearch_view_index(view), arena, terms, 1, hits, 5), 0);
        if (opensearch_view_error(view, &problem) != faults[i].error)
            printf("fault %zu\n", i);
        CHECK_INT(opensearch_view_error(view, &problem), faults[i].error);
        CHECK_INT(search_index_best(opensearch_view_index(view), arena, terms, 1, hits, 5), 0);
        CHECK_INT(search_index_frequency(opensearch_view_index(view), "return", 6).chunks, 0);
        stop(&fake);
    }
}

TEST(totals_need_all_shards)
{
    const struct opensearch_scope scope = scope_of(1, 1);
    const char *good =
        "{" WHOLE ",\"aggregations\":{\"chunk\":{\"value\":7},\"words\":{\"value\":70.0},"
        "\"passages\":{\"value\":9.0},\"language\":{\"buckets\":[{\"key\":\"en\"},"
        "{\"key\":\"th\"}]},\"parents\":{\"doc_count\":6},\"visible\":{\"doc_count\":5}}}";
    struct fake fake = SERVE(good, "{" WHOLE "}", "{\"timed_out\":true}");
    struct opensearch server = server_of(&fake);
    struct opensearch_totals totals;
    struct problem problem;

    CHECK_INT(opensearch_read_totals(&server, arena, &scope, &totals, &problem), ERROR_NONE);
    CHECK_INT(totals.totals.chunks, 7);
    CHECK_INT(totals.totals.words, 70);
    CHECK_INT(totals.totals.passages, 9);
    CHECK_INT(totals.totals.languages, 1 << TEXT_EN | 1 << TEXT_TH);
    CHECK_INT(totals.parents, 6);
    CHECK_INT(totals.visible, 5);
    CHECK(strstr(fake.heard->call[0].head, "routing=a%2Fb") != NULL);
    CHECK_INT(opensearch_read_totals(&server, arena, &scope, &totals, &problem), ERROR_UNAVAILABLE);
    CHECK_INT(opensearch_read_totals(&server, arena, &scope, &totals, &problem), ERROR_UNAVAILABLE);
    stop(&fake);
}

static enum error write_one(const struct opensearch *server, int chunks, struct problem *problem)
{
    const struct opensearch_document document = {"t", 1, TEXT_EN};
    const struct index_passage passage = {"words of a chunk", 16};
    struct opensearch_writer *writer = opensearch_writer_start(server, arena, &document);

    for (int i = 0; i < chunks; i++)
        opensearch_writer_chunk(writer, i + 1, 0, "Head", &passage, 1);
    return opensearch_writer_finish(writer, problem);
}

TEST(a_document_is_stored_wholly_or_not)
{
    static const struct {
        const char *answer;
        enum error error;
    } cases[] = {
        {"{\"errors\":false}", ERROR_NONE},
        {"{}", ERROR_UNAVAILABLE},
        {"{\"errors\":true,\"items\":[{\"index\":{}},{\"index\":{\"error\":{\"type\":\"rejected\"}}"
         "}]}",
         ERROR_UNAVAILABLE},
        {"{\"errors\":true,\"items\":[{\"index\":{\"error\":{\"type\":\"index_not_found_"
         "exception\"}}}]}",
         ERROR_NOT_FOUND},
        {STATUS("503 No"), ERROR_UNAVAILABLE},
        {"", ERROR_UNAVAILABLE},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fake fake = SERVE(cases[i].answer);
        struct opensearch server = server_of(&fake);
        struct problem problem;

        CHECK_INT(write_one(&server, 2, &problem), cases[i].error);
        stop(&fake);
    }
}

TEST(a_long_document_takes_several_calls_and_the_first_error_ends_them)
{
    struct fake fake = SERVE("{\"errors\":false}", "{\"errors\":false}", "{\"errors\":true}");
    struct opensearch server = server_of(&fake);
    struct problem problem;

    server.bulk_bytes = 500; /* of about one chunk with its passage */
    CHECK_INT(write_one(&server, 6, &problem), ERROR_UNAVAILABLE);
    CHECK_INT(fake.heard->calls, 3);
    stop(&fake);
}

TEST(a_document_is_deleted_until_nothing_is_left)
{
    struct fake fake =
        SERVE("{" WHOLE ",\"hits\":{\"hits\":[{\"_id\":\"t:1:0\"},{\"_id\":\"t:1:0:0\"}]}}",
              "{\"errors\":false}", "{\"_shards\":{\"total\":1,\"successful\":1,\"failed\":0}}",
              "{" WHOLE "}");
    struct opensearch server = server_of(&fake);
    struct problem problem;

    CHECK_INT(opensearch_remove(&server, arena, "t", 5, &problem), ERROR_NONE);
    CHECK_INT(fake.heard->calls, 4);
    CHECK(strstr(fake.heard->call[0].body, "{\"term\":{\"document\":5}}") != NULL);
    CHECK_TEXT(fake.heard->call[1].body, "{\"delete\":{\"_id\":\"t:1:0\",\"routing\":\"t\"}}\n"
                                         "{\"delete\":{\"_id\":\"t:1:0:0\",\"routing\":\"t\"}}\n");
    stop(&fake);
}

TEST(what_is_of_no_known_document_is_deleted)
{
    int64_t keys[] = {5, 7};
    const struct integer_list known = {2, keys};
    struct fake fake =
        SERVE("{" WHOLE ",\"hits\":{\"hits\":[{\"_id\":\"t:1:0\"}]}}", "{\"errors\":false}",
              "{\"_shards\":{\"total\":1,\"successful\":1,\"failed\":0}}", "{" WHOLE "}");
    struct opensearch server = server_of(&fake);
    struct problem problem;
    bool none;

    CHECK_INT(opensearch_remove_others(&server, arena, "t", &known, &none, &problem), ERROR_NONE);
    CHECK(!none);
    CHECK_INT(opensearch_remove_others(&server, arena, "t", &known, &none, &problem), ERROR_NONE);
    CHECK(none);
    CHECK_INT(fake.heard->calls, 4);
    CHECK(strstr(fake.heard->call[0].body, "\"must_not\":[{\"terms\":{\"document\":[5,7]}}]"));
    CHECK_TEXT(fake.heard->call[1].body, "{\"delete\":{\"_id\":\"t:1:0\",\"routing\":\"t\"}}\n");
    stop(&fake);
}

int main(void)
{
    static const struct test_case cases[] = {
        {"a search always filters", test_a_search_always_filters},
        {"counts are of the whole tenant", test_counts_are_of_the_whole_tenant},
        {"the index takes no other fields", test_the_index_takes_no_other_fields},
        {"scores are those of the embedded index", test_scores_are_those_of_the_embedded_index},
        {"the caller decides what is current", test_the_caller_decides_what_is_current},
        {"replaced documents are searched again", test_replaced_documents_are_searched_again},
        {"part of an answer is none", test_part_of_an_answer_is_none},
        {"totals need all shards", test_totals_need_all_shards},
        {"a document is stored wholly or not", test_a_document_is_stored_wholly_or_not},
        {"a long document takes several calls",
         test_a_long_document_takes_several_calls_and_the_first_error_ends_them},
        {"a document is deleted until nothing is left",
         test_a_document_is_deleted_until_nothing_is_left},
        {"what is of no known document is deleted", test_what_is_of_no_known_document_is_deleted},
    };
    char file[64];
    int status;

    arena = arena_create((size_t)1 << 28);
    if (!mkdtemp(directory))
        return 1;
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    snprintf(file, sizeof file, "%s/one.seg", directory);
    unlink(file);
    rmdir(directory);
    arena_destroy(arena);
    return status;
}
