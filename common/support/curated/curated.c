/* Reading the curated file, counting what is in it, cutting it in two. */
#include "support/curated/curated.h"
#include "crypto/digest.h"
#include "support/figures.h"
#include "support/improvement/files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH = 32, CASES_FIRST = 256, STATS_MAX = 4 << 20 };

const char curated_default_path[] = "evaluation/curated_cases.jsonl";

static const char *text_of(const json_t *object, const char *key, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : otherwise;
}

static struct string_list texts_of(struct arena *arena, const json_t *list)
{
    struct string_list texts = {0, ARENA_ARRAY(arena, const char *, json_array_size(list) + 1)};
    const json_t *item;
    size_t i;

    json_array_foreach(list, i, item)
    {
        if (json_is_string(item))
            texts.items[texts.count++] = json_string_value(item);
    }
    return texts;
}

static struct optional_number number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return (struct optional_number){json_is_number(value), json_number_value(value)};
}

static void read_expected(struct arena *arena, const json_t *object,
                          struct curated_expected *expected)
{
    const json_t *groups = json_object_get(object, "answer_contains_any"), *group;
    struct optional_number citations = number_of(object, "citations_min_count");
    size_t i;

    *expected = (struct curated_expected){
        .contains = texts_of(arena, json_object_get(object, "answer_contains")),
        .contains_not = texts_of(arena, json_object_get(object, "answer_not_contains")),
        .any = ARENA_ARRAY(arena, struct string_list, json_array_size(groups) + 1),
        .route = text_of(object, "route", NULL),
        .min_quality = number_of(object, "min_quality"),
        .min_factuality = number_of(object, "min_factuality"),
        .citations_least = {citations.given, (int64_t)citations.value}};
    json_array_foreach(groups, i, group) expected->any[expected->any_count++] =
        texts_of(arena, group);
}

static bool read_case(struct arena *arena, const json_t *object, struct curated_case *item)
{
    const json_t *input = json_object_get(object, "input");
    const char *nested = text_of(input, "query", ""), *asked = text_of(object, "question", nested),
               *case_id = text_of(object, "case_id", "");

    *item = (struct curated_case){
        .case_id = case_id,
        .tenant_id = text_of(object, "tenant_id", text_of(object, "tenant", "default")),
        .query = text_of(object, "query", asked),
        .context_hint = text_of(input, "context_hint", text_of(object, "context_hint", "")),
        .channel = text_of(input, "channel", text_of(object, "channel", "web")),
        .verdict = text_of(object, "human_verdict", "good"),
        .notes = text_of(object, "reviewer_notes", ""),
        .source_trace_id = text_of(object, "source_trace_id", ""),
        .created_at = text_of(object, "created_at", NULL),
        .tags = texts_of(arena, json_object_get(object, "tags"))};
    read_expected(arena, json_object_get(object, "expected"), &item->expected);
    return *case_id && *item->query;
}

static void *grown(struct arena *arena, const void *items, size_t count, size_t size)
{
    void *more = arena_alloc_array(arena, count * 2, size);

    memcpy(more, items, count * size);
    return more;
}

enum error curated_read(struct arena *arena, const char *path, struct curated_set *set,
                        struct problem *problem)
{
    size_t length, room = CASES_FIRST, line = 0;
    char *bytes;
    enum error error = improvement_read(arena, path, &bytes, &length, problem);

    *set = (struct curated_set){NULL, 0};
    if (error)
        return error;
    set->cases = ARENA_ARRAY(arena, struct curated_case, room);
    for (size_t at = 0; at < length; line++) {
        const char *end = memchr(bytes + at, '\n', length - at);
        size_t size = end ? (size_t)(end - bytes) - at : length - at;
        const char *text = text_trimmed(arena, bytes + at, size);
        struct json_fault fault;
        json_t *object;

        at += size + 1;
        if (!*text || *text == '#')
            continue;
        if (set->count == room) {
            set->cases = grown(arena, set->cases, room, sizeof *set->cases);
            room *= 2;
        }
        if (json_read(arena, text, strlen(text), DEPTH, &object, &fault) ||
            !json_is_object(object) || !read_case(arena, object, &set->cases[set->count]))
            return problem_set(problem, ERROR_MALFORMED, "curated_malformed",
                               "line %zu of %s is no curated case", line + 1, path);
        set->cases[set->count++].line = text;
    }
    return ERROR_NONE;
}

struct curated_set curated_of(struct arena *arena, const struct curated_set *set,
                              const char *tenant)
{
    struct curated_set part = {ARENA_ARRAY(arena, struct curated_case, set->count + 1), 0};

    for (size_t i = 0; i < set->count; i++)
        if (!tenant || strcmp(set->cases[i].tenant_id, tenant) == 0)
            part.cases[part.count++] = set->cases[i];
    return part;
}

/* A name with its counts. */
struct tally {
    const char *name;
    int64_t good, bad;
};

static struct tally *tally_of(struct tally *tallies, size_t *count, const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(tallies[i].name, name) == 0)
            return &tallies[i];
    tallies[*count] = (struct tally){name, 0, 0};
    return &tallies[(*count)++];
}

static void add_to(struct tally *tally, const struct curated_case *item)
{
    if (strcmp(item->verdict, "bad") == 0)
        tally->bad++;
    else
        tally->good++;
}

static void write_tenants(struct json_writer *writer, const struct tally *tenants, size_t count)
{
    writer_key(writer, "tenant_counts");
    writer_open_object(writer);
    for (size_t i = 0; i < count; i++) {
        writer_key(writer, tenants[i].name);
        writer_open_object(writer);
        writer_key_integer(writer, "good", tenants[i].good);
        writer_key_integer(writer, "bad", tenants[i].bad);
        writer_key_integer(writer, "total", tenants[i].good + tenants[i].bad);
        writer_close_object(writer);
    }
    writer_close_object(writer);
}

const char *curated_stats(struct arena *arena, const struct curated_set *set, const char *tenant)
{
    const struct curated_set part = curated_of(arena, set, tenant);
    struct tally *tenants = ARENA_ARRAY(arena, struct tally, part.count + 1),
                 *channels = ARENA_ARRAY(arena, struct tally, part.count + 1), all = {"", 0, 0};
    size_t tenant_count = 0, channel_count = 0;
    struct text text;
    struct json_writer writer;

    for (size_t i = 0; i < part.count; i++) {
        add_to(&all, &part.cases[i]);
        add_to(tally_of(tenants, &tenant_count, part.cases[i].tenant_id), &part.cases[i]);
        add_to(tally_of(channels, &channel_count, part.cases[i].channel), &part.cases[i]);
    }
    text_start(&text, arena, STATS_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_integer(&writer, "count", (int64_t)part.count);
    writer_key(&writer, "verdict_counts");
    writer_open_object(&writer);
    writer_key_integer(&writer, "good", all.good);
    writer_key_integer(&writer, "bad", all.bad);
    writer_close_object(&writer);
    write_tenants(&writer, tenants, tenant_count);
    writer_key(&writer, "channel_counts");
    writer_open_object(&writer);
    for (size_t i = 0; i < channel_count; i++)
        writer_key_integer(&writer, channels[i].name, channels[i].good + channels[i].bad);
    writer_close_object(&writer);
    writer_close_object(&writer);
    return text.bytes;
}

void curated_show(struct arena *arena, const struct support_settings *settings,
                  struct metrics *metrics)
{
    const char *path = improvement_path(arena, settings, curated_default_path);
    struct problem problem = {0};
    struct curated_set set;
    struct tally *tenants;
    size_t count = 0;
    struct stat facts;

    if (!metrics)
        return;
    metric_set(metrics, FIGURE_CURATED_BUILT, NULL,
               stat(path, &facts) == 0 ? (double)facts.st_mtime : 0);
    metric_clear(metrics, FIGURE_CURATED_SIZE);
    if (curated_read(arena, path, &set, &problem))
        return;
    tenants = ARENA_ARRAY(arena, struct tally, set.count + 1);
    for (size_t i = 0; i < set.count; i++)
        add_to(tally_of(tenants, &count, set.cases[i].tenant_id), &set.cases[i]);
    for (size_t i = 0; i < count; i++) {
        metric_set(metrics, FIGURE_CURATED_SIZE, (const char *const[]){tenants[i].name, "good"},
                   (double)tenants[i].good);
        metric_set(metrics, FIGURE_CURATED_SIZE, (const char *const[]){tenants[i].name, "bad"},
                   (double)tenants[i].bad);
    }
}

/* A case and the digest that says on which side it falls. */
struct dealt {
    unsigned char digest[DIGEST_SHA256_BYTES];
    const struct curated_case *item;
};

static int compare_dealt(const void *a, const void *b)
{
    const struct dealt *left = a, *right = b;
    int order = memcmp(left->digest, right->digest, DIGEST_SHA256_BYTES);

    return order ? order : strcmp(left->item->case_id, right->item->case_id);
}

void curated_split(struct arena *arena, const struct curated_set *set, double ratio,
                   struct curated_set *first, struct curated_set *second)
{
    struct dealt *dealt = ARENA_ARRAY(arena, struct dealt, set->count + 1);
    size_t cut = ratio <= 0 ? 0 : ratio >= 1 ? set->count : (size_t)((double)set->count * ratio);

    for (size_t i = 0; i < set->count; i++) {
        digest_sha256(set->cases[i].case_id, strlen(set->cases[i].case_id), dealt[i].digest);
        dealt[i].item = &set->cases[i];
    }
    qsort(dealt, set->count, sizeof *dealt, compare_dealt);
    *first = (struct curated_set){ARENA_ARRAY(arena, struct curated_case, cut + 1), cut};
    *second = (struct curated_set){ARENA_ARRAY(arena, struct curated_case, set->count - cut + 1),
                                   set->count - cut};
    for (size_t i = 0; i < set->count; i++)
        *(i < cut ? &first->cases[i] : &second->cases[i - cut]) = *dealt[i].item;
}
