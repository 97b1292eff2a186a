/* Batches of cases: out as lines of JSON, verdicts back in. */
#include "support/review/review_batch.h"
#include "base/list.h"
#include "base/schema.h"

#include <string.h>

enum { DEPTH = 64 };

/* A verdict that is to be filled in. */
struct open_review {
    const char *verdict, *notes, *fix_hint;
    struct string_list tags;
};

#define OWNER struct open_review
static const struct field open_fields[] = {STRING(OWNER, verdict, .nullable = true),
                                           STRING(OWNER, notes), STRING(OWNER, fix_hint),
                                           STRINGS(OWNER, tags)};
#undef OWNER
static SCHEMA(open_schema, struct open_review, "OpenReview", open_fields);

struct exported_case {
    int64_t review_id;
    const char *trace_id, *tenant_id, *reason, *exported_at, *query, *answer, *final_route;
    struct optional_integer final_quality, fact_score, duration_ms;
    OBJECT_LIST(struct extract_document, retrieved_docs);
    OBJECT_LIST(struct extract_tool, tool_calls);
    struct string_list citations;
    const struct open_review *review;
};

#define OWNER struct exported_case
static const struct field case_fields[] = {
    INTEGER(OWNER, review_id),
    STRING(OWNER, trace_id),
    STRING(OWNER, tenant_id),
    STRING(OWNER, reason),
    STRING(OWNER, exported_at),
    STRING(OWNER, query),
    STRING(OWNER, answer),
    STRING(OWNER, final_route, .nullable = true),
    NULLABLE_INTEGER(OWNER, final_quality),
    NULLABLE_INTEGER(OWNER, fact_score),
    NULLABLE_INTEGER(OWNER, duration_ms),
    OBJECTS(OWNER, retrieved_docs, extract_document_schema),
    OBJECTS(OWNER, tool_calls, extract_tool_schema),
    STRINGS(OWNER, citations),
    OBJECT(OWNER, review, open_schema),
};
#undef OWNER
static SCHEMA(case_schema, struct exported_case, "ExportedCase", case_fields);

static struct optional_integer whole(struct optional_number value)
{
    return (struct optional_integer){value.given, (int64_t)value.value};
}

static void append_case(struct text *out, const struct review_row *row,
                        const struct extract *extract, const char *exported_at)
{
    static const struct open_review open = {.notes = "", .fix_hint = ""};
    const struct exported_case item = {.review_id = row->id,
                                       .trace_id = row->trace_id,
                                       .tenant_id = row->tenant_id,
                                       .reason = row->reason,
                                       .exported_at = exported_at,
                                       .query = extract->query,
                                       .answer = extract->answer,
                                       .final_route = extract->route,
                                       .final_quality = whole(extract->quality),
                                       .fact_score = whole(extract->fact_score),
                                       .duration_ms = whole(extract->duration_ms),
                                       .retrieved_docs = extract->docs,
                                       .tool_calls = extract->tool_calls,
                                       .citations = extract->citations,
                                       .review = &open};
    struct json_writer writer;

    writer_start(&writer, out);
    schema_write(&writer, &case_schema, &item);
    text_append_byte(out, '\n');
}

enum error review_export(const struct trace_call *call, const struct review_filter *filter,
                         const char *exported_at, struct text *out, int64_t *count)
{
    struct object_list rows;
    enum error error = review_list(call, filter, &rows);

    *count = (int64_t)rows.count;
    for (size_t i = 0; i < rows.count && !error; i++) {
        const struct review_row *row = &((const struct review_row *)rows.items)[i];
        struct extract extract;

        error = review_extract(call, row, &extract);
        if (!error)
            append_case(out, row, &extract, exported_at);
    }
    if (!error && out->overflowed)
        return problem_set(call->problem, ERROR_TOO_LARGE, "batch_too_large",
                           "the batch is too large; take fewer cases");
    return error;
}

static void add_row(struct arena *arena, struct review_batch *batch, const json_t *row)
{
    const json_t *review = json_object_get(row, "review"),
                 *verdict = json_object_get(review, "verdict");

    /* NOLINTNEXTLINE(bugprone-sizeof-expression): the items are pointers */
    *ARRAY_ADD(arena, batch->rows, batch->count) = row;
    batch->actionable += verdict && !json_is_null(verdict);
}

enum error review_read_batch(struct arena *arena, const char *bytes, size_t length,
                             struct review_batch *batch, struct problem *problem)
{
    size_t line = 0;

    *batch = (struct review_batch){0};
    for (size_t at = 0; at < length; line++) {
        const char *end = memchr(bytes + at, '\n', length - at);
        size_t size = end ? (size_t)(end - bytes) - at : length - at;
        const char *text = text_trimmed(arena, bytes + at, size);
        struct json_fault fault;
        json_t *row;

        at += size + 1;
        if (!*text || *text == '#')
            continue;
        if (json_read(arena, text, strlen(text), DEPTH, &row, &fault) || !json_is_object(row))
            return problem_set(problem, ERROR_MALFORMED, "batch_malformed",
                               "line %zu is no JSON object", line + 1);
        add_row(arena, batch, row);
    }
    return ERROR_NONE;
}

static const char *lower_trimmed(struct arena *arena, const json_t *value)
{
    char *text;

    if (!json_is_string(value))
        return "";
    text = text_trimmed(arena, json_string_value(value), json_string_length(value));
    for (char *letter = text; *letter; letter++)
        if (*letter >= 'A' && *letter <= 'Z')
            *letter = (char)(*letter + 32);
    return text;
}

static bool read_verdict(struct arena *arena, const json_t *value, enum review_status *status)
{
    static const struct {
        const char *word;
        enum review_status status;
    } words[] = {{"good", REVIEW_CONFIRMED_GOOD},
                 {"bad", REVIEW_CONFIRMED_BAD},
                 {"dismiss", REVIEW_DISMISSED}};
    const char *text = lower_trimmed(arena, value);

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].word, text) == 0) {
            *status = words[i].status;
            return true;
        }
    return false;
}

static const char *trimmed(struct arena *arena, const json_t *value)
{
    return json_is_string(value)
               ? text_trimmed(arena, json_string_value(value), json_string_length(value))
               : "";
}

static const char *notes_of(struct arena *arena, const json_t *review)
{
    const char *notes = trimmed(arena, json_object_get(review, "notes")),
               *hint = trimmed(arena, json_object_get(review, "fix_hint"));

    if (*notes && *hint)
        return arena_print(arena, "%s\n%s", notes, hint);
    return *notes ? notes : hint;
}

static struct string_list tags_of(struct arena *arena, const json_t *review)
{
    const json_t *list = json_object_get(review, "tags"), *tag;
    struct string_list tags = {0, ARENA_ARRAY(arena, const char *, json_array_size(list) + 1)};
    size_t i;

    json_array_foreach(list, i, tag)
    {
        if (json_is_string(tag))
            tags.items[tags.count++] = json_string_value(tag);
    }
    return tags;
}

/* What is to be done about one row. */
struct taken {
    const struct trace_call *call;
    const char *tenant, *reviewer;
    bool dry_run;
    struct review_imported *imported;
};

static void warn(struct taken *taken, const char *warning)
{
    struct string_list *warnings = &taken->imported->warnings;

    warnings->items[warnings->count++] = warning;
}

/* Whether the row refers to the case's own trace, or to none: ids of another database refer to
 * other cases, and a file may have been edited manually. */
static bool names_trace_of(struct taken *taken, const struct review_row *row, const json_t *trace)
{
    if (!trace || json_is_null(trace) ||
        (json_is_string(trace) && strcmp(json_string_value(trace), row->trace_id) == 0))
        return true;
    warn(taken, arena_print(taken->call->arena,
                            "case %lld is about trace %s, the row about %s; left as it is",
                            (long long)row->id, row->trace_id,
                            json_is_string(trace) ? json_string_value(trace) : "none"));
    taken->imported->errored++;
    return false;
}

static enum error take_verdict(struct taken *taken, const struct trace_call *call, int64_t id,
                               const json_t *trace, const struct review_verdict *verdict)
{
    struct review_row row;
    enum error error = taken->dry_run ? ERROR_NONE : review_hold(call, id);

    if (!error)
        error = review_find(call, id, &row);
    if (error == ERROR_NOT_FOUND) {
        taken->imported->errored++;
        return ERROR_NONE;
    }
    if (error)
        return error;
    if (!names_trace_of(taken, &row, trace))
        return ERROR_NONE;
    if (strcmp(row.status, review_status_names[REVIEW_PENDING]) != 0) {
        warn(taken,
             arena_print(call->arena, "case %lld is %s; left as it is", (long long)id, row.status));
        taken->imported->skipped++;
        return ERROR_NONE;
    }
    taken->imported->would_update++;
    if (taken->dry_run)
        return ERROR_NONE;
    error = review_decide(call, id, verdict);
    taken->imported->updated += !error;
    return error;
}

static enum error take_row(struct taken *taken, const json_t *row)
{
    struct arena *arena = taken->call->arena;
    const json_t *review = json_object_get(row, "review"), *id = json_object_get(row, "review_id");
    struct review_verdict verdict = {.reviewer = taken->reviewer, .pending_only = true};
    struct trace_call call = *taken->call;

    if (!review || json_is_null(review) ||
        (json_is_object(review) && (!json_object_get(review, "verdict") ||
                                    json_is_null(json_object_get(review, "verdict"))))) {
        taken->imported->skipped++;
        return ERROR_NONE;
    }
    call.tenant = taken->tenant ? taken->tenant : trimmed(arena, json_object_get(row, "tenant_id"));
    if (!json_is_object(review) || !json_is_integer(id) || !*call.tenant ||
        !read_verdict(arena, json_object_get(review, "verdict"), &verdict.status)) {
        taken->imported->errored++;
        return ERROR_NONE;
    }
    verdict.notes = notes_of(arena, review);
    verdict.tags = tags_of(arena, review);
    return take_verdict(taken, &call, json_integer_value(id), json_object_get(row, "trace_id"),
                        &verdict);
}

enum error review_import(const struct trace_call *call, const struct review_batch *batch,
                         const char *tenant, const char *reviewer, bool dry_run,
                         struct review_imported *imported)
{
    struct taken taken = {call, tenant, reviewer, dry_run, imported};
    enum error error;

    *imported = (struct review_imported){
        .warnings = {0, ARENA_ARRAY(call->arena, const char *, batch->count + 1)}};
    error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    for (size_t i = 0; i < batch->count && !error; i++)
        error = take_row(&taken, batch->rows[i]);
    return db_finish(call->db, error, call->problem);
}
