/* Building the curated file from confirmed cases. */
#include "base/instant.h"
#include "base/json.h"
#include "support/curated/curated.h"
#include "support/curated/phrases.h"
#include "support/improvement/files.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_MAX = 1 << 22, LEAST_SCORE = 70, DEPTH = 64 };

/* A line by its case. */
struct record {
    const char *case_id, *line, *source_trace_id;
    size_t order; /* later ones win */
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

/* What is in the file so far. */
static enum error old_records(const struct trace_call *call, const struct curated_plan *plan,
                              size_t more, struct record **records, size_t *count)
{
    struct curated_set set;
    enum error error = curated_read(call->arena, plan->path, &set, call->problem);

    if (error == ERROR_NOT_FOUND)
        error = ERROR_NONE;
    if (error)
        return error;
    *records = ARENA_ARRAY(call->arena, struct record, set.count + more + 1);
    for (size_t i = 0; i < set.count; i++)
        (*records)[i] = (struct record){set.cases[i].case_id, set.cases[i].line,
                                        set.cases[i].source_trace_id, i};
    *count = set.count;
    return ERROR_NONE;
}

/* A case that was made before is left out; one whose question is not known is of no use. */
static enum error new_record(const struct trace_call *call, const struct curated_plan *plan,
                             const struct review_row *row, struct record *record, bool *wanted)
{
    struct extract extract;
    int64_t made = 0;
    enum error error;

    *wanted = instant_parse(row->created_at, &made) && made >= plan->since;
    if (!*wanted)
        return ERROR_NONE;
    error = review_extract(call, row, &extract);
    if (error)
        return error;
    *wanted = *extract.query != '\0';
    record->case_id = case_id_of(call->arena, row->trace_id);
    record->source_trace_id = row->trace_id;
    if (*wanted)
        record->line = line_of(call->arena, record->case_id, row, &extract);
    return ERROR_NONE;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Without the records whose case exists and is not confirmed any more. */
static enum error prune(const struct trace_call *call, struct record *records, size_t *count)
{
    struct string_list revoked;
    size_t kept = 0;
    enum error error = review_revoked(call, &revoked);

    for (size_t i = 0; i < *count && !error; i++)
        if (!revoked.count || !bsearch(&records[i].source_trace_id, revoked.items, revoked.count,
                                       sizeof *revoked.items, compare_texts))
            records[kept++] = records[i];
    if (!error)
        *count = kept;
    return error;
}

static enum error write_records(const struct trace_call *call, const struct curated_plan *plan,
                                struct record *records, size_t count, struct curated_built *built)
{
    struct text text;

    qsort(records, count, sizeof *records, compare_records);
    text_start(&text, call->arena, IMPROVEMENT_FILE_MAX);
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && strcmp(records[i].case_id, records[i + 1].case_id) == 0)
            continue;
        text_append_string(&text, records[i].line);
        text_append_byte(&text, '\n');
        built->total++;
    }
    if (text.overflowed)
        return problem_set(call->problem, ERROR_TOO_LARGE, "curated_too_large",
                           "the curated data would be larger than %d bytes", IMPROVEMENT_FILE_MAX);
    return improvement_write(call->arena, plan->path, text.bytes, text.length, call->problem);
}

enum error curated_build(const struct trace_call *call, const struct curated_plan *plan,
                         struct curated_built *built)
{
    struct object_list rows;
    struct record *records = NULL;
    size_t count = 0;
    enum error error = review_confirmed(call, plan->include_bad, &rows);

    *built = (struct curated_built){0, 0};
    if (!error)
        error = old_records(call, plan, rows.count, &records, &count);
    for (size_t i = 0; i < rows.count && !error; i++) {
        bool wanted = false;

        error = new_record(call, plan, &((const struct review_row *)rows.items)[i], &records[count],
                           &wanted);
        records[count].order = count;
        count += wanted;
        built->selected += wanted;
    }
    if (!error && plan->prune)
        error = prune(call, records, &count);
    return error ? error : write_records(call, plan, records, count, built);
}
