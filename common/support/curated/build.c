/* Builds the curated file from confirmed cases. Memory holds only the source of each line; the
 * lines themselves are read one at a time. */
#include "base/list.h"
#include "base/timestamp.h"
#include "support/answer/answer.h"
#include "support/curated/curated.h"
#include "support/curated/expectations.h"
#include "support/curated/phrases.h"
#include "support/programs/data_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX = 1 << 22, LEAST_SCORE = 70, DEPTH = 64 };

/* The source of a case's line: the current file, or a review case. */
struct record {
    const char *case_id, *source_trace_id;
    size_t order; /* later ones win */
    int64_t id;   /* of review; 0 = of the file */
    long start;
    size_t size;
};

struct build {
    struct trace_call call;
    const struct curated_plan *plan;
    struct curated_built *built;
    struct record *records;
    size_t count;
    struct arena_guard *old; /* the file so far, or NULL */
    struct data_file *file;
    struct arena *scratch; /* of one case */
};

#define OWNER struct curated_skipped
static const struct field skipped_fields[] = {STRING(OWNER, case_id), STRING(OWNER, query),
                                              STRINGS(OWNER, failures)};
#undef OWNER
static SCHEMA(skipped_schema, struct curated_skipped, "CuratedSkipped", skipped_fields);

#define OWNER struct curated_built
static const struct field built_fields[] = {
    STRING(OWNER, status),
    INTEGER(OWNER, selected),
    INTEGER(OWNER, written),
    INTEGER(OWNER, total),
    INTEGER(OWNER, added),
    INTEGER(OWNER, changed),
    INTEGER(OWNER, skipped),
    OBJECTS(OWNER, skipped_cases, skipped_schema),
    STRING(OWNER, out, .nullable = true, .omit_if_null = true)};
#undef OWNER
SCHEMA(curated_built_schema, struct curated_built, "CuratedBuilt", built_fields);

/* A line of the file. */
struct line_input {
    const char *query, *context_hint, *channel;
};

#define OWNER struct line_input
static const struct field input_fields[] = {STRING(OWNER, query), STRING(OWNER, context_hint),
                                            STRING(OWNER, channel)};
#undef OWNER
static SCHEMA(input_schema, struct line_input, "CuratedInput", input_fields);

struct line_expected {
    struct string_list answer_contains, answer_not_contains;
    const char *route;
    int64_t min_quality, min_factuality, citations_min_count;
};

#define OWNER struct line_expected
static const struct field expected_fields[] = {STRINGS(OWNER, answer_contains),
                                               STRINGS(OWNER, answer_not_contains),
                                               STRING(OWNER, route),
                                               INTEGER(OWNER, min_quality),
                                               INTEGER(OWNER, min_factuality),
                                               INTEGER(OWNER, citations_min_count)};
#undef OWNER
static SCHEMA(expected_schema, struct line_expected, "CuratedExpected", expected_fields);

struct line {
    const char *case_id, *tenant_id;
    const struct line_input *input;
    const struct line_expected *expected;
    const char *human_verdict, *reviewer_notes, *source_trace_id, *created_at;
    json_t *tags;
};

#define OWNER struct line
static const struct field line_fields[] = {STRING(OWNER, case_id),
                                           STRING(OWNER, tenant_id),
                                           OBJECT(OWNER, input, input_schema),
                                           OBJECT(OWNER, expected, expected_schema),
                                           STRING(OWNER, human_verdict),
                                           STRING(OWNER, reviewer_notes),
                                           STRING(OWNER, source_trace_id),
                                           STRING(OWNER, created_at),
                                           JSON_VALUE(OWNER, tags)};
#undef OWNER
static SCHEMA(line_schema, struct line, "CuratedLine", line_fields);

/* A refusal or a handover to a human quotes nothing. */
static bool quotes_nothing(struct arena *arena, const struct extract *extract)
{
    return (extract->route && strcmp(extract->route, "human") == 0) ||
           answer_is_refusal(arena, extract->answer);
}

/* Requires no more than the confirmed answer contains: a human has confirmed it as good. */
static struct optional_number least_score(bool good, struct optional_number seen)
{
    return GIVEN_NUMBER(good && seen.given && seen.value < LEAST_SCORE ? floor(seen.value)
                                                                       : LEAST_SCORE);
}

static struct curated_expected expected_of(struct arena *arena, const struct review_row *row,
                                           const struct extract *extract, bool good)
{
    struct phrase_marks marks = phrase_marks_of(arena, row->notes);
    int64_t citations = extract->citations_count;

    if (good && !marks.contains.count)
        marks.contains = phrases_of(arena, extract->answer);
    if (good && quotes_nothing(arena, extract))
        citations = 0;
    else if (good && citations < 1)
        citations = 1;
    return (struct curated_expected){.contains = marks.contains,
                                     .contains_not = marks.contains_not,
                                     .route = extract->route ? extract->route : "auto",
                                     .min_quality = least_score(good, extract->quality),
                                     .min_factuality = least_score(good, extract->fact_score),
                                     .citations_least = GIVEN_INTEGER(citations)};
}

/* Why the confirmed answer fails the expectations of its own case. */
static struct string_list own_failures(struct arena *arena, const struct extract *extract,
                                       const struct curated_expected *expected)
{
    const struct execution source = {
        .answer = extract->answer,
        .quality_score = extract->quality.given ? extract->quality.value : LEAST_SCORE,
        .factuality_score = extract->fact_score.given ? extract->fact_score.value : LEAST_SCORE,
        .citation_count = extract->citations_count,
        .route = extract->route ? extract->route : "auto"};

    return expectations_failed(arena, expected, &source);
}

/* Tags of a verdict imported from a batch; an empty list when there are none. */
static json_t *tags_of(struct arena *arena, const char *snapshot)
{
    struct json_fault fault;
    json_t *object = NULL, *tags, *none = NULL;

    if (snapshot && !json_read(arena, snapshot, strlen(snapshot), DEPTH, &object, &fault)) {
        tags = json_object_get(object, "tags");
        if (json_is_array(tags))
            return tags;
    }
    return json_read(arena, "[]", 2, 1, &none, &fault) ? NULL : none;
}

static bool is_good(const struct review_row *row)
{
    return strcmp(row->status, review_status_names[REVIEW_CONFIRMED_GOOD]) == 0;
}

static const char *line_of(struct arena *arena, const char *case_id, const struct review_row *row,
                           const struct extract *extract, const struct curated_expected *expected)
{
    const struct line_input input = {.query = extract->query,
                                     .context_hint = extract->context_hint,
                                     .channel = extract->channel};
    const struct line_expected shape = {.answer_contains = expected->contains,
                                        .answer_not_contains = expected->contains_not,
                                        .route = expected->route,
                                        .min_quality = (int64_t)expected->min_quality.value,
                                        .min_factuality = (int64_t)expected->min_factuality.value,
                                        .citations_min_count = expected->citations_least.value};
    const struct line line = {.case_id = case_id,
                              .tenant_id = row->tenant_id,
                              .input = &input,
                              .expected = &shape,
                              .human_verdict = is_good(row) ? "good" : "bad",
                              .reviewer_notes = text_trimmed(arena, row->notes, strlen(row->notes)),
                              .source_trace_id = row->trace_id,
                              .created_at = row->created_at,
                              .tags = tags_of(arena, row->snapshot)};

    return schema_json(arena, LINE_MAX, &line_schema, &line);
}

static const char *case_id_of(struct arena *arena, const char *trace_id)
{
    return strncmp(trace_id, "trace-", 6) == 0 ? trace_id
                                               : arena_print(arena, "trace-%s", trace_id);
}

static int compare_records(const void *a, const void *b)
{
    const struct record *left = a, *right = b;
    int order = strcmp(left->case_id, right->case_id);

    return order ? order : (left->order > right->order) - (left->order < right->order);
}

static void add_record(struct build *build, struct record record)
{
    record.order = build->count;
    *ARRAY_ADD(build->call.arena, build->records, build->count) = record;
}

static void add_old(void *context, const struct curated_case *item)
{
    struct build *build = context;
    struct arena *arena = build->call.arena;

    add_record(build, (struct record){.case_id = arena_copy_string(arena, item->case_id),
                                      .source_trace_id =
                                          build->plan->prune
                                              ? arena_copy_string(arena, item->source_trace_id)
                                              : "",
                                      .start = item->start,
                                      .size = item->size});
}

/* Reads the current file. */
static enum error old_records(struct build *build)
{
    const struct trace_call *call = &build->call;
    const char *path = build->plan->path;
    enum error error = data_file_open(call->arena, path, &build->old, call->problem);

    if (error == ERROR_NOT_FOUND)
        return ERROR_NONE;
    if (!error)
        error = curated_each(call->arena, build->old->thing, path, add_old, build, call->problem);
    return error;
}

/* Skips a case created earlier. */
static enum error new_records(struct build *build)
{
    const struct trace_call *call = &build->call;
    struct object_list keys;
    enum error error = review_confirmed(call, build->plan->include_bad, &keys);

    for (size_t i = 0; i < keys.count && !error; i++) {
        const struct review_key *key = &((const struct review_key *)keys.items)[i];
        int64_t made = 0;

        if (timestamp_from_text(key->created_at, &made) && made >= build->plan->since)
            add_record(build, (struct record){.case_id = case_id_of(call->arena, key->trace_id),
                                              .source_trace_id = key->trace_id,
                                              .id = key->id});
    }
    return error;
}

static void skip(const struct build *build, const char *case_id, const char *query,
                 const struct string_list *failures)
{
    struct curated_built *built = build->built;
    struct arena *arena = build->call.arena;
    struct curated_skipped *skipped;

    built->skipped++;
    if (built->skipped_cases.count == CURATED_SKIPPED_SHOWN)
        return;
    skipped = &((struct curated_skipped *)built->skipped_cases.items)[built->skipped_cases.count++];
    *skipped = (struct curated_skipped){
        .case_id = case_id,
        .query = arena_copy_string(arena, query),
        .failures = {failures->count, ARENA_ARRAY(arena, const char *, failures->count)}};
    for (size_t i = 0; i < failures->count; i++)
        skipped->failures.items[i] = arena_copy_string(arena, failures->items[i]);
}

/* Writes no line for a case without a known question, or one that its own answer would fail. */
static enum error new_line(const struct build *build, const struct record *record,
                           const char **line)
{
    struct trace_call call = build->call;
    struct review_row row;
    struct extract extract;
    struct curated_expected expected;
    struct string_list failures = {0};
    enum error error;

    call.arena = build->scratch;
    error = review_find(&call, record->id, &row);
    if (!error)
        error = review_extract(&call, &row, &extract);
    if (error || !*extract.query)
        return error;
    expected = expected_of(build->scratch, &row, &extract, is_good(&row));
    if (is_good(&row))
        failures = own_failures(build->scratch, &extract, &expected);
    if (failures.count) {
        skip(build, record->case_id, extract.query, &failures);
    } else {
        *line = line_of(build->scratch, record->case_id, &row, &extract, &expected);
        build->built->selected++;
        build->built->written++;
    }
    return ERROR_NONE;
}

static enum error old_line(const struct build *build, const struct record *record,
                           const char **line)
{
    char *bytes = arena_alloc(build->scratch, record->size + 1);
    FILE *file = build->old->thing;

    if (fseek(file, record->start, SEEK_SET) != 0 ||
        fread(bytes, 1, record->size, file) != record->size)
        return problem_set(build->call.problem, ERROR_SYSTEM, "file_not_read", "%s cannot be read",
                           build->plan->path);
    *line = text_trimmed(build->scratch, bytes, record->size);
    return ERROR_NONE;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Drops the records whose case exists and is no longer confirmed. */
static enum error prune(struct build *build)
{
    struct string_list revoked;
    size_t kept = 0;
    enum error error = review_revoked(&build->call, &revoked);

    if (error)
        return error;
    for (size_t i = 0; i < build->count; i++)
        if (!revoked.count || !bsearch(&build->records[i].source_trace_id, revoked.items,
                                       revoked.count, sizeof *revoked.items, compare_texts))
            build->records[kept++] = build->records[i];
    build->count = kept;
    return ERROR_NONE;
}

/* Counts a written case: `old` is its line in the current file, NULL = none. */
static void count_case(struct curated_built *built, const char *old, const char *line)
{
    built->total++;
    if (!old)
        built->added++;
    else if (strcmp(old, line) != 0)
        built->changed++;
}

/* The last line of the records of one case. Returns how many there are. */
static size_t write_case(const struct build *build, size_t first, enum error *error)
{
    const struct record *records = build->records + first;
    const char *line = NULL, *old = NULL;
    size_t count = 0;

    do {
        *error = (records[count].id ? new_line : old_line)(build, &records[count], &line);
        if (!records[count].id)
            old = line;
        count++;
    } while (!*error && first + count < build->count &&
             strcmp(records[count].case_id, records[0].case_id) == 0);
    if (!*error && line) {
        data_file_append(build->file, line, strlen(line));
        data_file_append(build->file, "\n", 1);
        count_case(build->built, old, line);
    }
    arena_reset(build->scratch);
    return count;
}

static enum error write_cases(const struct build *build)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < build->count && !error;) {
        i += write_case(build, i, &error);
        if (!error && data_file_length(build->file) > DATA_FILE_MAX)
            error = problem_set(build->call.problem, ERROR_TOO_LARGE, "curated_too_large",
                                "the curated data would be larger than %d bytes", DATA_FILE_MAX);
    }
    return error;
}

/* In one snapshot of the database. */
static enum error build_file(struct build *build)
{
    const struct trace_call *call = &build->call;
    enum error error = db_begin(call->db, DB_READ, call->problem);

    if (error)
        return error;
    error = new_records(build);
    if (!error && build->plan->prune)
        error = prune(build);
    if (!error && build->count)
        qsort(build->records, build->count, sizeof *build->records, compare_records);
    if (!error)
        error = data_file_begin(call->arena, build->plan->path, &build->file, call->problem);
    if (!error)
        error = write_cases(build);
    error = db_finish(call->db, error, call->problem);
    if (!error)
        return data_file_finish(build->file, call->problem);
    if (build->file)
        data_file_abandon(build->file);
    return error;
}

enum error curated_build(const struct trace_call *call, const struct curated_plan *plan,
                         struct curated_built *built)
{
    struct build build = {.call = *call,
                          .plan = plan,
                          .built = built,
                          .scratch = arena_create_below(call->arena, CURATED_SCRATCH)};
    enum error error = old_records(&build);

    *built =
        (struct curated_built){.status = "ok",
                               .skipped_cases = {0, ARENA_ARRAY(call->arena, struct curated_skipped,
                                                                CURATED_SKIPPED_SHOWN)}};
    if (!error)
        error = build_file(&build);
    if (build.old)
        arena_guard_end(build.old);
    arena_destroy(build.scratch);
    return error;
}
