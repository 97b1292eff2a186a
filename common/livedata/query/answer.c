/* From a question to a page of rows. */
#include "livedata/query/answer.h"

#include "base/clock.h"
#include "base/number.h"
#include "crypto/digest.h"
#include "livedata/query/model.h"
#include "livedata/query/scope.h"
#include "livedata/query/sql_guard.h"
#include "livedata/query/translate.h"
#include "livedata/storage/journal.h"

#include <stdio.h>
#include <string.h>

enum { COUNT_MOST = 10000 };

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const char *cursor_make(struct arena *arena, int64_t offset, const char *hash)
{
    const char *plain = arena_print(arena, "%lld:%s", (long long)offset, hash);
    size_t length = strlen(plain), at = 0;
    char *cursor = arena_alloc(arena, (length + 2) / 3 * 4 + 1);

    for (size_t i = 0; i < length; i += 3) {
        unsigned bits = (unsigned)(unsigned char)plain[i] << 16;

        bits |= i + 1 < length ? (unsigned)(unsigned char)plain[i + 1] << 8 : 0;
        bits |= i + 2 < length ? (unsigned)(unsigned char)plain[i + 2] : 0;
        cursor[at++] = letters[bits >> 18];
        cursor[at++] = letters[bits >> 12 & 63];
        cursor[at++] = i + 1 < length ? letters[bits >> 6 & 63] : '=';
        cursor[at++] = i + 2 < length ? letters[bits & 63] : '=';
    }
    return cursor;
}

bool cursor_read(struct arena *arena, const char *cursor, int64_t *offset, const char **hash)
{
    char *plain = arena_alloc(arena, strlen(cursor) + 1), *colon;
    unsigned bits = 0;
    size_t count = 0, length = 0;

    for (; *cursor && *cursor != '='; cursor++) {
        const char *letter = strchr(letters, *cursor);

        if (!letter)
            return false;
        bits = bits << 6 | (unsigned)(letter - letters);
        if (++count % 4 != 1)
            plain[length++] = (char)(bits >> (6 - 2 * ((count - 1) % 4)) & 0xff);
    }
    if (cursor[strspn(cursor, "=")] || !length)
        return false;
    colon = strchr(plain, ':');
    if (!colon)
        return false;
    *colon = '\0';
    *hash = colon + 1;
    return integer_parse(plain, offset) && *offset >= 0 && plain[0] != '-' && plain[0] != '+';
}

static enum error untranslatable(const struct storage_call *call, const struct catalog *catalog,
                                 const char *question)
{
    struct text entities, metrics;

    text_start(&entities, call->arena, 2000);
    text_start(&metrics, call->arena, 4000);
    for (size_t i = 0; i < catalog->entity_count; i++)
        text_append_format(&entities, "%s%s", i ? ", " : "", catalog->entities[i].name);
    for (size_t i = 0; i < catalog->metric_count; i++)
        text_append_format(&metrics, "%s%s", i ? ", " : "", catalog->metrics[i].name);
    return problem_set(call->problem, ERROR_INVALID, "untranslatable",
                       "Could not translate question: '%.200s'. Try asking about: [%s] or "
                       "metrics: [%s]",
                       question, entities.bytes, metrics.bytes);
}

struct prepared_question {
    const char *sql; /* guarded, not scoped */
    size_t length;
    const char *engine;
    struct scope scope;
    struct guard_finding finding;
    struct translation_note note;
};

static enum error refuse_unsafe(const struct storage_call *call, const struct problem *why)
{
    return problem_set(call->problem, ERROR_FORBIDDEN, "unsafe_query",
                       "NL-to-SQL produced unsafe query: %s", why->text);
}

/* By the rules; by a model, where there is one and the rules do not know. */
static enum error prepare(const struct storage_call *call, const struct catalog *catalog,
                          const struct livedata_settings *settings,
                          const struct query_request *request, struct prepared_question *prepared)
{
    struct string_list allowed = scope_allowed_tables(call->arena, catalog, request->allowed_types);
    struct problem why = {0};

    *prepared = (struct prepared_question){.engine = "rule_based"};
    prepared->sql =
        translate_question(call->arena, db_engine(call->db), request->question, &prepared->note);
    if (!prepared->sql && settings->orchestrator_url) {
        prepared->engine = "llm";
        prepared->sql = model_translate(call->arena, db_engine(call->db), catalog, settings,
                                        &allowed, request->question);
    }
    if (!prepared->sql)
        return untranslatable(call, catalog, request->question);
    if (guard_check(call->arena, prepared->sql, &allowed, &prepared->finding, &why))
        return refuse_unsafe(call, &why);
    prepared->length = prepared->finding.length;
    prepared->scope = (struct scope){
        .engine = db_engine(call->db), .tenant = call->tenant, .tables = prepared->finding.tables};
    return ERROR_NONE;
}

static void hash_of(const struct storage_call *call, const char *sql, char hash[DIGEST_SHA256_TEXT])
{
    const char *text = arena_print(call->arena, "%s:%s", call->tenant, sql);

    digest_sha256_hex(text, strlen(text), hash);
}

static enum error read_cursor(const struct storage_call *call, const struct query_request *request,
                              const char *hash, int64_t *offset)
{
    const char *named;

    *offset = 0;
    if (!request->cursor)
        return ERROR_NONE;
    if (!cursor_read(call->arena, request->cursor, offset, &named))
        return problem_set(call->problem, ERROR_INVALID, "invalid_cursor", "Invalid cursor value.");
    if (strcmp(named, hash) != 0)
        return problem_set(call->problem, ERROR_INVALID, "foreign_cursor",
                           "Cursor does not match the requested query.");
    return ERROR_NONE;
}

/* A statement without an order of its own gets one by all its columns, so that pages do not
 * overlap. How many columns it has is known once it was asked for none of its rows. */
static enum error order_of(const struct storage_call *call,
                           const struct prepared_question *prepared,
                           const struct guarded_rules *rules, const char *sql, const char **order)
{
    struct guarded_answer none;
    struct text text;
    enum error error;

    *order = "";
    if (prepared->finding.ordered)
        return ERROR_NONE;
    error = guarded_query(call->db, call->arena, arena_print(call->arena, "%s LIMIT 0", sql), rules,
                          &none, call->problem);
    if (error)
        return error;
    text_start(&text, call->arena, 2000);
    for (size_t i = 0; i < none.column_count; i++)
        text_append_format(&text, "%s%zu", i ? ", " : " ORDER BY ", i + 1);
    *order = text.bytes;
    return ERROR_NONE;
}

static enum error count_rows(const struct storage_call *call, const struct guarded_rules *rules,
                             const char *sql, struct optional_integer *total)
{
    static const char head[] = "SELECT COUNT(*) FROM (", tail[] = ") AS counted";
    struct guarded_answer answer;
    enum error error =
        guarded_query(call->db, call->arena,
                      arena_print(call->arena, "%s%s LIMIT %d%s", head, sql, COUNT_MOST + 1, tail),
                      rules, &answer, call->problem);

    if (!error && answer.row_count && answer.cells[0].kind == GUARDED_INTEGER &&
        answer.cells[0].integer <= COUNT_MOST)
        *total = GIVEN_INTEGER(answer.cells[0].integer);
    return error;
}

static enum error read_page(const struct storage_call *call, const struct query_request *request,
                            const struct prepared_question *prepared, const char *sql,
                            const char *hash, int64_t offset, struct query_result *result,
                            const struct livedata_settings *settings)
{
    struct guarded_rules rules = scope_rules(
        call->arena, &prepared->scope, (int)settings->query_timeout_ms, (size_t)request->limit);
    const char *order;
    enum error error = order_of(call, prepared, &rules, sql, &order);

    if (!error)
        error = guarded_query(call->db, call->arena,
                              arena_print(call->arena, "%s%s LIMIT %lld OFFSET %lld", sql, order,
                                          (long long)request->limit + 1, (long long)offset),
                              &rules, &result->answer, call->problem);
    if (error)
        return error;
    result->has_more = result->answer.cut;
    if (result->has_more)
        result->next_cursor = cursor_make(call->arena, offset + request->limit, hash);
    return request->paged ? count_rows(call, &rules, sql, &result->total_count) : ERROR_NONE;
}

enum error query_answer(const struct storage_call *call, const struct catalog *catalog,
                        const struct livedata_settings *settings,
                        const struct query_request *request, struct query_result *result)
{
    int64_t started = clock_monotonic_microseconds(), offset;
    struct prepared_question prepared;
    char hash[DIGEST_SHA256_TEXT];
    enum error error = prepare(call, catalog, settings, request, &prepared);

    *result = (struct query_result){0};
    if (error)
        return error;
    result->sql = scope_sql(call->arena, &prepared.scope, prepared.sql, prepared.length);
    if (!result->sql)
        return problem_set(call->problem, ERROR_INVALID, "query_failed", "the query is too long");
    result->engine = prepared.engine;
    result->tables = prepared.finding.tables;
    result->clamped = prepared.note.clamped;
    hash_of(call, result->sql, hash);
    error = read_cursor(call, request, hash, &offset);
    if (!error)
        error = read_page(call, request, &prepared, result->sql, hash, offset, result, settings);
    if (!error)
        error = ages_of_tables(call, &result->tables, &result->ages);
    result->execution_ms = (clock_monotonic_microseconds() - started) / 1000;
    return error;
}

enum error query_explain(const struct storage_call *call, const struct catalog *catalog,
                         const struct livedata_settings *settings,
                         const struct query_request *request, struct query_explanation *explanation)
{
    struct prepared_question prepared;
    struct guarded_rules rules;
    struct guarded_plan plan;
    enum error error = prepare(call, catalog, settings, request, &prepared);

    *explanation = (struct query_explanation){0};
    if (error)
        return error;
    explanation->sql = scope_sql(call->arena, &prepared.scope, prepared.sql, prepared.length);
    explanation->engine = prepared.engine;
    explanation->tables = prepared.finding.tables;
    if (!explanation->sql)
        return problem_set(call->problem, ERROR_INVALID, "query_failed", "the query is too long");
    rules = scope_rules(call->arena, &prepared.scope, (int)settings->query_timeout_ms,
                        (size_t)settings->query_rows_max);
    error = guarded_explain(call->db, call->arena, explanation->sql, &rules, &plan, call->problem);
    if (error)
        return error;
    if (plan.rows >= 0)
        explanation->estimated_rows = GIVEN_INTEGER(plan.rows);
    if (plan.scan_count && explanation->tables.count)
        explanation->warning = arena_print(call->arena, "Full table scan on %s (no index)",
                                           explanation->tables.items[0]);
    return ERROR_NONE;
}

void query_write_rows(struct json_writer *writer, const struct guarded_answer *answer)
{
    writer_open_array(writer);
    for (size_t row = 0; row < answer->row_count; row++) {
        writer_open_object(writer);
        for (size_t i = 0; i < answer->column_count; i++) {
            writer_key(writer, answer->columns[i]);
            scope_write_cell(writer, answer->columns[i],
                             &answer->cells[row * answer->column_count + i]);
        }
        writer_close_object(writer);
    }
    writer_close_array(writer);
}
