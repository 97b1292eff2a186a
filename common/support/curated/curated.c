/* Reading the curated file, counting what is in it. */
#include "support/curated/curated.h"
#include "base/list.h"
#include "support/metrics.h"
#include "support/programs/data_files.h"

#include <string.h>
#include <sys/stat.h>

enum { DEPTH = 32, STATS_MAX = 4 << 20 };

const char curated_default_path[] = "evaluation/curated_cases.jsonl";

static const char *text_of(const json_t *object, const char *key, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : otherwise;
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
        .contains = json_strings(arena, json_object_get(object, "answer_contains")),
        .contains_not = json_strings(arena, json_object_get(object, "answer_not_contains")),
        .any = ARENA_ARRAY(arena, struct string_list, json_array_size(groups) + 1),
        .route = text_of(object, "route", NULL),
        .min_quality = number_of(object, "min_quality"),
        .min_factuality = number_of(object, "min_factuality"),
        .citations_least = {citations.given, (int64_t)citations.value}};
    json_array_foreach(groups, i, group) expected->any[expected->any_count++] =
        json_strings(arena, group);
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
        .tags = json_strings(arena, json_object_get(object, "tags"))};
    read_expected(arena, json_object_get(object, "expected"), &item->expected);
    return *case_id && *item->query;
}

static enum error read_line(struct arena *arena, const char *text, struct curated_case *item)
{
    struct json_fault fault;
    json_t *object;

    if (json_read(arena, text, strlen(text), DEPTH, &object, &fault) || !json_is_object(object) ||
        !read_case(arena, object, item))
        return ERROR_MALFORMED;
    item->line = text;
    return ERROR_NONE;
}

/* Each line uses memory of `scratch`, which is reset after the line unless it is the arena. */
static enum error go_through(struct arena *arena, struct arena *scratch, FILE *file,
                             const char *path, curated_visit *visit, void *context,
                             struct problem *problem)
{
    struct arena_guard *guard = arena_guard(arena, free);
    enum error error = ERROR_NONE;
    size_t room = 0, line = 0;
    char *bytes = NULL;
    ssize_t length;

    for (long start = 0; !error && (length = getline(&bytes, &room, file)) > 0; start += length) {
        const char *text;
        struct curated_case item;

        guard->thing = bytes;
        line++;
        text = text_trimmed(scratch, bytes, (size_t)length);
        if (*text && *text != '#') {
            error = read_line(scratch, text, &item);
            item.start = start;
            item.size = (size_t)length;
            if (error)
                problem_set(problem, error, "curated_malformed",
                            "line %zu of %s is no curated case", line, path);
            else
                visit(context, &item);
        }
        if (scratch != arena)
            arena_reset(scratch);
    }
    guard->thing = bytes;
    arena_guard_end(guard);
    if (!error && !feof(file))
        error = problem_set(problem, ERROR_SYSTEM, "file_not_read", "%s cannot be read", path);
    return error;
}

enum error curated_each(struct arena *arena, FILE *file, const char *path, curated_visit *visit,
                        void *context, struct problem *problem)
{
    struct arena *scratch = arena_create_below(arena, CURATED_SCRATCH);
    enum error error = go_through(arena, scratch, file, path, visit, context, problem);

    arena_destroy(scratch);
    return error;
}

/* A set that grows. */
struct growing {
    struct arena *arena;
    struct curated_set *set;
};

static void add_case(void *context, const struct curated_case *item)
{
    struct growing *growing = context;
    struct curated_set *set = growing->set;

    *ARRAY_ADD(growing->arena, set->cases, set->count) = *item;
}

enum error curated_read(struct arena *arena, const char *path, struct curated_set *set,
                        struct problem *problem)
{
    struct growing growing = {arena, set};
    struct arena_guard *file;
    enum error error = data_file_open(arena, path, &file, problem);

    *set = (struct curated_set){NULL, 0};
    if (error)
        return error;
    error = go_through(arena, arena, file->thing, path, add_case, &growing, problem);
    arena_guard_end(file);
    return error;
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
struct tallies {
    struct tally *items;
    size_t count;
};

static void add_to(struct tally *tally, const struct curated_case *item)
{
    if (strcmp(item->verdict, "bad") == 0)
        tally->bad++;
    else
        tally->good++;
}

static void add_by(struct arena *arena, struct tallies *tallies, const char *name,
                   const struct curated_case *item)
{
    size_t i = 0;

    while (i < tallies->count && strcmp(tallies->items[i].name, name) != 0)
        i++;
    if (i == tallies->count)
        *LIST_ADD(arena, tallies) = (struct tally){arena_copy_string(arena, name), 0, 0};
    add_to(&tallies->items[i], item);
}

struct summary {
    struct arena *arena;
    const char *tenant; /* NULL = all */
    struct tally all;
    struct tallies tenants, channels;
};

static void add_to_summary(void *context, const struct curated_case *item)
{
    struct summary *summary = context;

    if (summary->tenant && strcmp(item->tenant_id, summary->tenant) != 0)
        return;
    add_to(&summary->all, item);
    add_by(summary->arena, &summary->tenants, item->tenant_id, item);
    add_by(summary->arena, &summary->channels, item->channel, item);
}

static enum error summarise(struct arena *arena, const char *path, const char *tenant,
                            struct summary *summary, struct problem *problem)
{
    struct arena_guard *file;
    enum error error = data_file_open(arena, path, &file, problem);

    *summary = (struct summary){.arena = arena, .tenant = tenant};
    if (error)
        return error;
    error = curated_each(arena, file->thing, path, add_to_summary, summary, problem);
    arena_guard_end(file);
    return error;
}

struct tenant_counts {
    int64_t good, bad, total;
};

#define OWNER struct tenant_counts
static const struct field tenant_fields[] = {INTEGER(OWNER, good), INTEGER(OWNER, bad),
                                             INTEGER(OWNER, total)};
#undef OWNER
static SCHEMA(tenant_schema, struct tenant_counts, "CuratedTenantCounts", tenant_fields);

#define OWNER struct curated_verdicts
static const struct field verdicts_fields[] = {INTEGER(OWNER, good), INTEGER(OWNER, bad)};
#undef OWNER
static SCHEMA(verdicts_schema, struct curated_verdicts, "CuratedVerdicts", verdicts_fields);

#define OWNER struct curated_stats
static const struct field stats_fields[] = {
    INTEGER(OWNER, count), OBJECT(OWNER, verdict_counts, verdicts_schema),
    JSON_OBJECT(OWNER, tenant_counts, .help = "By tenant: good, bad, total."),
    JSON_OBJECT(OWNER, channel_counts, .help = "By channel: the number of cases.")};
#undef OWNER
SCHEMA(curated_stats_schema, struct curated_stats, "CuratedStats", stats_fields);

/* An object with a member for each name: its total, or with `parts` its counts. */
static json_t *map_of(struct arena *arena, const struct tallies *tallies, bool parts)
{
    struct json_fault fault;
    struct json_writer writer;
    struct text text;
    json_t *map = NULL;

    text_start(&text, arena, STATS_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < tallies->count; i++) {
        const struct tally *tally = &tallies->items[i];
        const struct tenant_counts counts = {tally->good, tally->bad, tally->good + tally->bad};

        writer_key(&writer, tally->name);
        if (parts)
            schema_write(&writer, &tenant_schema, &counts);
        else
            writer_integer(&writer, counts.total);
    }
    writer_close_object(&writer);
    return json_read(arena, text.bytes, text.length, DEPTH, &map, &fault) ? NULL : map;
}

enum error curated_count(struct arena *arena, const char *path, const char *tenant,
                         struct curated_stats *stats, struct problem *problem)
{
    struct curated_verdicts *verdicts = ARENA_NEW(arena, struct curated_verdicts);
    struct summary summary;
    enum error error = summarise(arena, path, tenant, &summary, problem);

    if (error && error != ERROR_NOT_FOUND)
        return error;
    *verdicts = (struct curated_verdicts){.good = summary.all.good, .bad = summary.all.bad};
    *stats = (struct curated_stats){.count = verdicts->good + verdicts->bad,
                                    .verdict_counts = verdicts,
                                    .tenant_counts = map_of(arena, &summary.tenants, true),
                                    .channel_counts = map_of(arena, &summary.channels, false)};
    return ERROR_NONE;
}

void curated_show(struct arena *arena, const struct support_settings *settings,
                  struct metrics *metrics)
{
    const char *path = data_file_path(arena, settings, curated_default_path);
    struct problem problem = {0};
    struct summary summary;
    struct stat facts;

    if (!metrics)
        return;
    metric_set(metrics, METRIC_CURATED_BUILT, NULL,
               stat(path, &facts) == 0 ? (double)facts.st_mtime : 0);
    metric_clear(metrics, METRIC_CURATED_SIZE);
    if (summarise(arena, path, NULL, &summary, &problem))
        return;
    for (size_t i = 0; i < summary.tenants.count; i++) {
        const struct tally *tenant = &summary.tenants.items[i];

        metric_set(metrics, METRIC_CURATED_SIZE, (const char *const[]){tenant->name, "good"},
                   (double)tenant->good);
        metric_set(metrics, METRIC_CURATED_SIZE, (const char *const[]){tenant->name, "bad"},
                   (double)tenant->bad);
    }
}
