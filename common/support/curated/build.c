/* Building the curated file from confirmed cases: what is in memory of each is where its line comes
 * from; the lines themselves are there one at a time. */
#include "base/instant.h"
#include "base/json.h"
#include "support/curated/curated.h"
#include "support/curated/phrases.h"
#include "support/improvement/files.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_MAX = 1 << 22, LEAST_SCORE = 70, DEPTH = 64, RECORDS_FIRST = 1024 };

/* Where the line of a case comes from: the file so far, or a case of review. */
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
    size_t count, room;
    struct arena_guard *old; /* the file so far, or NULL */
    struct improvement_file *file;
    struct arena *scratch; /* of one case */
};

static void write_texts(struct json_writer *writer, const char *key, const struct string_list *list)
{
    writer_key(writer, key);
    writer_open_array(writer);
    for (size_t i = 0; i < list->count; i++)
        writer_string(writer, list->items[i]);
    writer_close_array(writer);
}

static void write_expected(struct arena *arena, struct json_writer *writer,
                           const struct review_row *row, const struct extract *extract, bool good)
{
    struct phrase_marks marks = phrase_marks_of(arena, row->notes);
    int64_t citations = extract->citations_count;

    if (good && !marks.contains.count)
        marks.contains = phrases_of(arena, extract->answer);
    if (good && citations < 1)
        citations = 1;
    writer_key(writer, "expected");
    writer_open_object(writer);
    write_texts(writer, "answer_contains", &marks.contains);
    write_texts(writer, "answer_not_contains", &marks.contains_not);
    writer_key_string(writer, "route", extract->route ? extract->route : "auto");
    writer_key_integer(writer, "min_quality", LEAST_SCORE);
    writer_key_integer(writer, "min_factuality", LEAST_SCORE);
    writer_key_integer(writer, "citations_min_count", citations);
    writer_close_object(writer);
}

/* Tags that came with a verdict taken from a batch. */
static void write_tags(struct arena *arena, struct json_writer *writer, const char *snapshot)
{
    struct json_fault fault;
    json_t *object = NULL;

    writer_key(writer, "tags");
    if (snapshot && !json_read(arena, snapshot, strlen(snapshot), DEPTH, &object, &fault) &&
        json_is_array(json_object_get(object, "tags")))
        writer_value(writer, json_object_get(object, "tags"));
    else
        writer_raw(writer, "[]");
}

static const char *line_of(struct arena *arena, const char *case_id, const struct review_row *row,
                           const struct extract *extract)
{
    bool good = strcmp(row->status, review_status_names[REVIEW_CONFIRMED_GOOD]) == 0;
    struct text text;
    struct json_writer writer;

    text_start(&text, arena, LINE_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "case_id", case_id);
    writer_key_string(&writer, "tenant_id", row->tenant_id);
    writer_key(&writer, "input");
    writer_open_object(&writer);
    writer_key_string(&writer, "query", extract->query);
    writer_key_string(&writer, "context_hint", extract->context_hint);
    writer_key_string(&writer, "channel", extract->channel);
    writer_close_object(&writer);
    write_expected(arena, &writer, row, extract, good);
    writer_key_string(&writer, "human_verdict", good ? "good" : "bad");
    writer_key_string(&writer, "reviewer_notes",
                      text_trimmed(arena, row->notes, strlen(row->notes)));
    writer_key_string(&writer, "source_trace_id", row->trace_id);
    writer_key_string(&writer, "created_at", row->created_at);
    write_tags(arena, &writer, row->snapshot);
    writer_close_object(&writer);
    return text.bytes;
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
    if (build->count == build->room) {
        size_t room = build->room ? build->room * 2 : RECORDS_FIRST;
        struct record *more = ARENA_ARRAY(build->call.arena, struct record, room);

        if (build->count)
            memcpy(more, build->records, build->count * sizeof *more);
        build->records = more;
        build->room = room;
    }
    record.order = build->count;
    build->records[build->count++] = record;
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

/* What is in the file so far. */
static enum error old_records(struct build *build)
{
    const struct trace_call *call = &build->call;
    const char *path = build->plan->path;
    enum error error = improvement_open(call->arena, path, &build->old, call->problem);

    if (error == ERROR_NOT_FOUND)
        return ERROR_NONE;
    if (!error)
        error = curated_each(call->arena, build->old->thing, path, add_old, build, call->problem);
    return error;
}

/* A case that was made before is left out. */
static enum error new_records(struct build *build)
{
    const struct trace_call *call = &build->call;
    struct object_list keys;
    enum error error = review_confirmed(call, build->plan->include_bad, &keys);

    for (size_t i = 0; i < keys.count && !error; i++) {
        const struct review_key *key = &((const struct review_key *)keys.items)[i];
        int64_t made = 0;

        if (instant_parse(key->created_at, &made) && made >= build->plan->since)
            add_record(build, (struct record){.case_id = case_id_of(call->arena, key->trace_id),
                                              .source_trace_id = key->trace_id,
                                              .id = key->id});
    }
    return error;
}

/* A case whose question is not known is of no use: no line. */
static enum error new_line(const struct build *build, const struct record *record,
                           const char **line)
{
    struct trace_call call = build->call;
    struct review_row row;
    struct extract extract;
    enum error error;

    call.arena = build->scratch;
    error = review_find(&call, record->id, &row);
    if (!error)
        error = review_extract(&call, &row, &extract);
    if (!error && *extract.query) {
        *line = line_of(build->scratch, record->case_id, &row, &extract);
        build->built->selected++;
    }
    return error;
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

/* Without the records whose case exists and is not confirmed any more. */
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

/* The last line that the records of one case have. Gives how many there are. */
static size_t write_case(const struct build *build, size_t first, enum error *error)
{
    const struct record *records = build->records + first;
    const char *line = NULL;
    size_t count = 0;

    do {
        *error = (records[count].id ? new_line : old_line)(build, &records[count], &line);
        count++;
    } while (!*error && first + count < build->count &&
             strcmp(records[count].case_id, records[0].case_id) == 0);
    if (!*error && line) {
        improvement_append(build->file, line, strlen(line));
        improvement_append(build->file, "\n", 1);
        build->built->total++;
    }
    arena_reset(build->scratch);
    return count;
}

static enum error write_cases(const struct build *build)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < build->count && !error;) {
        i += write_case(build, i, &error);
        if (!error && improvement_length(build->file) > IMPROVEMENT_FILE_MAX)
            error =
                problem_set(build->call.problem, ERROR_TOO_LARGE, "curated_too_large",
                            "the curated data would be larger than %d bytes", IMPROVEMENT_FILE_MAX);
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
        error = improvement_begin(call->arena, build->plan->path, &build->file, call->problem);
    if (!error)
        error = write_cases(build);
    error = db_finish(call->db, error, call->problem);
    if (!error)
        return improvement_finish(build->file, call->problem);
    if (build->file)
        improvement_abandon(build->file);
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

    *built = (struct curated_built){0, 0};
    if (!error)
        error = build_file(&build);
    if (build.old)
        arena_guard_end(build.old);
    arena_destroy(build.scratch);
    return error;
}
