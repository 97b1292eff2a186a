/* Passages are found by their words: changes between words do not matter. */
#include "support/trends/stale_citations.h"
#include "db/query.h"
#include "support/answer/citations.h"
#include "support/traces/redact.h"
#include "text/sentences.h"
#include "text/words.h"

#include <string.h>

enum {
    SPANS_MOST = 64, /* of one answer */
    DOCUMENTS_MOST = 100,
    ROWS_MOST = 500,
    NUMBERS_MOST = 16,
    FORM_MOST = 64 * 1024 * 1024,
    SECONDS_A_DAY = 86400
};

/* A document that was replaced during the citation has no version with the passage: it is checked
 * as soon as possible. */
#define OWNER struct stale_citation
static const struct field citation_fields[] = {
    STRING(OWNER, trace_id),
    STRING(OWNER, doc_id),
    STRING(OWNER, sentence, .help = "Of the answer."),
    STRING(OWNER, span, .help = "What it stood on in the document."),
    STRING(OWNER, cited_at),
    STRING(OWNER, changed_at, .help = "When the document was found not to hold it any more."),
};
#undef OWNER
SCHEMA(stale_citation_schema, struct stale_citation, "ChangedCitation", citation_fields);

static const struct statement put_span = {
    .name = "stale_citations_put",
    .sql = "INSERT INTO cited_spans (trace_id, place, tenant_id, doc_id, document_key, sentence,"
           " span, cited_at) SELECT ?, ?, d.tenant_id, d.doc_id,"
           " CASE WHEN k.version = ? THEN d.document_key ELSE 0 END, ?, ?, {now}"
           " FROM kb_documents d JOIN kb_state k ON k.tenant_id = d.tenant_id"
           " WHERE d.tenant_id = ? AND d.doc_id = ?",
};
static const struct statement read_outdated = {
    .name = "stale_citations_outdated",
    .sql = "SELECT s.tenant_id, s.doc_id, max(coalesce(d.document_key, -1)) AS key"
           " FROM cited_spans s"
           " LEFT JOIN kb_documents d ON d.tenant_id = s.tenant_id AND d.doc_id = s.doc_id"
           " WHERE s.changed_at IS NULL AND s.document_key <> coalesce(d.document_key, -1)"
           " GROUP BY s.tenant_id, s.doc_id ORDER BY s.tenant_id, s.doc_id LIMIT ?",
};
static const struct statement read_text = {
    .name = "stale_citations_text",
    .sql = "SELECT body FROM kb_chunks WHERE tenant_id = ? AND document_key = ?"
           " ORDER BY chunk_index",
    .streams = true,
};
static const struct statement read_spans = {
    .name = "stale_citations_spans",
    .sql = "SELECT trace_id, place, span FROM cited_spans WHERE tenant_id = ? AND doc_id = ?"
           " AND changed_at IS NULL AND document_key <> ? ORDER BY trace_id, place LIMIT ?",
};
static const struct statement note_standing = {
    .name = "stale_citations_standing",
    .sql = "UPDATE cited_spans SET document_key = ? WHERE trace_id = ? AND place = ?",
};
static const struct statement note_changed = {
    .name = "stale_citations_changed",
    .sql = "UPDATE cited_spans SET document_key = ?, changed_at = {now}"
           " WHERE trace_id = ? AND place = ?",
};
/* Answers of regression runs are not shown to users. */
static const struct statement put_case = {
    .name = "stale_citations_case",
    .sql = "INSERT INTO review_queue (trace_id, tenant_id, reason, status, reviewer_notes,"
           " created_at) SELECT t.trace_id, t.tenant_id, 'manual', 'pending', ?, {now}"
           " FROM traces t WHERE t.trace_id = ? AND t.origin = 'live'"
           " ON CONFLICT (trace_id) DO NOTHING",
};
static const struct statement put_stale = {
    .name = "stale_citations_stale",
    .sql = "INSERT INTO curated_case_status (case_id, tenant_id, status, staleness_reason,"
           " last_checked_at) SELECT CASE WHEN substr(trace_id, 1, 6) = 'trace-' THEN trace_id"
           " ELSE 'trace-' || trace_id END, tenant_id, 'stale_needs_review', 'citation_changed',"
           " {now} FROM review_queue WHERE trace_id = ?"
           " AND status IN ('confirmed_good', 'confirmed_bad')"
           " ON CONFLICT (case_id, tenant_id) DO UPDATE SET status = excluded.status,"
           " staleness_reason = excluded.staleness_reason,"
           " last_checked_at = excluded.last_checked_at",
};
static const struct statement forget_old = {
    .name = "stale_citations_forget",
    .sql = "DELETE FROM cited_spans WHERE cited_at < {now_plus:?} AND NOT EXISTS"
           " (SELECT 1 FROM review_queue r WHERE r.trace_id = cited_spans.trace_id"
           " AND r.status IN ('confirmed_good', 'confirmed_bad'))",
};
static const struct statement list_changed = {
    .name = "stale_citations_list",
    .sql = "SELECT trace_id, doc_id, sentence, span, cited_at, changed_at FROM cited_spans"
           " WHERE tenant_id = ? AND changed_at IS NOT NULL AND reviewed_at IS NULL"
           " AND trace_id NOT IN (SELECT h.trace_id FROM cited_spans h WHERE h.tenant_id = ?"
           " AND h.doc_id IN (SELECT CAST(value AS TEXT) FROM {json_text_rows:?}))"
           " ORDER BY changed_at DESC, trace_id, place LIMIT ?",
};
static const struct statement note_reviewed = {
    .name = "stale_citations_review",
    .sql = "UPDATE cited_spans SET reviewed_at = {now} WHERE tenant_id = ? AND trace_id = ?"
           " AND changed_at IS NOT NULL AND reviewed_at IS NULL",
};

/* Appends the folded words, each with a blank behind it. */
static void append_words(struct text *text, const char *source, size_t length)
{
    struct word_reader reader;
    struct word word;

    word_reader_start(&reader, source, length);
    while (word_next(&reader, &word)) {
        text_append(text, word.text, word.length);
        text_append_byte(text, ' ');
    }
}

/* The words with a blank round each. */
static const char *form_of(struct arena *arena, const char *source, size_t length)
{
    struct text text;

    text_start(&text, arena, FORM_MOST);
    text_append_byte(&text, ' ');
    append_words(&text, source, length);
    return text.bytes;
}

/* The share of the words of one form that stand in another. */
static double share_of(const char *form, const char *other)
{
    size_t words = 0, found = 0;
    char word[WORD_BYTES_MAX + 3] = " ";

    for (const char *at = form + 1; *at; words++) {
        size_t length = strcspn(at, " ");

        if (length <= WORD_BYTES_MAX) {
            memcpy(word + 1, at, length);
            memcpy(word + 1 + length, " ", 2);
            found += strstr(other, word) != NULL;
        }
        at += length + 1;
    }
    return words ? (double)found / (double)words : 0;
}

/* The source of a sentence: itself if it is quoted, else the most similar sentence of the
 * source. */
static const char *span_of(struct arena *arena, const char *sentence, const char *source)
{
    const char *wanted = form_of(arena, sentence, strlen(sentence)), *best = NULL;
    size_t start, end;
    double most = 0;
    struct sentence_reader reader;

    if (!wanted[1])
        return NULL;
    if (strstr(form_of(arena, source, strlen(source)), wanted))
        return sentence;
    sentence_reader_start(&reader, source, strlen(source));
    while (sentence_next(&reader, &start, &end)) {
        double share = share_of(wanted, form_of(arena, source + start, end - start));

        if (share > most) {
            most = share;
            best = arena_copy(arena, source + start, end - start);
        }
    }
    return best;
}

static enum error bind(const struct trace_call *call, const char *trace_id, int64_t place,
                       const struct graph_source *source, const struct graph_outcome *outcome,
                       const char *sentence)
{
    const char *span = span_of(call->arena, sentence, source->text);
    struct query *query;

    if (!span)
        return ERROR_NONE;
    query = db_query(call->db, &put_span);
    query_bind_text(query, trace_id);
    query_bind_integer(query, place);
    query_bind_integer(query, outcome->kb_version);
    query_bind_text(query, redact_text(call->arena, sentence));
    query_bind_text(query, span);
    query_bind_text(query, call->tenant);
    query_bind_text(query, source->doc_id);
    return query_end(query, call->problem);
}

/* The markers of a sentence, each number once. */
static size_t numbers_of(const char *sentence, int numbers[NUMBERS_MOST])
{
    size_t count = 0;

    for (const char *at = sentence; *at && count < NUMBERS_MOST; at++) {
        int number = 0;
        bool known = citation_read(at, &number) == 0;

        for (size_t i = 0; i < count && !known; i++)
            known = numbers[i] == number;
        if (!known)
            numbers[count++] = number;
    }
    return count;
}

enum error stale_citations_bind(const struct trace_call *call, const char *trace_id,
                                const struct graph_outcome *outcome)
{
    const char *answer = outcome->answer;
    size_t length = strlen(answer);
    int64_t place = 0;
    enum error error = ERROR_NONE;

    for (size_t at = 0; at < length && !error;) {
        size_t end = citation_sentence_end(answer, length, at);
        const char *marked = arena_copy(call->arena, answer + at, end - at);
        const char *sentence = text_trimmed(call->arena, citation_strip(call->arena, marked),
                                            strlen(citation_strip(call->arena, marked)));
        int numbers[NUMBERS_MOST];
        size_t count = numbers_of(marked, numbers);

        for (size_t i = 0; i < count && place < SPANS_MOST && !error; i++)
            if (numbers[i] >= 1 && (size_t)numbers[i] <= outcome->source_count)
                error = bind(call, trace_id, place++, &outcome->sources[numbers[i] - 1], outcome,
                             sentence);
        at = end > at ? end : length;
    }
    return error;
}

struct outdated {
    const char *tenant_id, *doc_id;
    int64_t key; /* of the version that is searched; -1 = there is none */
};

#define OWNER struct outdated
static const struct field outdated_fields[] = {STRING(OWNER, tenant_id), STRING(OWNER, doc_id),
                                               INTEGER(OWNER, key)};
#undef OWNER
static SCHEMA(outdated_schema, struct outdated, "OutdatedDocument", outdated_fields);

static enum error list_outdated(const struct trace_call *call, struct outdated *documents,
                                size_t *count)
{
    struct query *query = db_query(call->db, &read_outdated);

    query_bind_integer(query, DOCUMENTS_MOST);
    for (*count = 0; *count < DOCUMENTS_MOST && query_next(query); ++*count)
        query_read(query, &outdated_schema, &documents[*count], call->arena);
    return query_end(query, call->problem);
}

static enum error read_form(const struct trace_call *call, const struct outdated *document,
                            const char **form)
{
    struct query *query = db_query(call->db, &read_text);
    struct text text;

    text_start(&text, call->arena, FORM_MOST);
    text_append_byte(&text, ' ');
    query_bind_text(query, document->tenant_id);
    query_bind_integer(query, document->key);
    while (query_next(query)) {
        struct query_bytes body = query_bytes(query, 0);

        append_words(&text, body.bytes, body.length);
    }
    *form = text.bytes;
    return query_end(query, call->problem);
}

struct span_row {
    const char *trace_id, *span;
    int64_t place;
};

#define OWNER struct span_row
static const struct field span_fields[] = {STRING(OWNER, trace_id), INTEGER(OWNER, place),
                                           STRING(OWNER, span)};
#undef OWNER
static SCHEMA(span_schema, struct span_row, "SpanRow", span_fields);

static enum error list_spans(const struct trace_call *call, const struct outdated *document,
                             struct span_row *rows, size_t *count)
{
    struct query *query = db_query(call->db, &read_spans);

    query_bind_text(query, document->tenant_id);
    query_bind_text(query, document->doc_id);
    query_bind_integer(query, document->key);
    query_bind_integer(query, ROWS_MOST);
    for (*count = 0; *count < ROWS_MOST && query_next(query); ++*count)
        query_read(query, &span_schema, &rows[*count], call->arena);
    return query_end(query, call->problem);
}

static enum error note(const struct trace_call *call, const struct statement *statement,
                       const struct outdated *document, const struct span_row *row)
{
    struct query *query = db_query(call->db, statement);

    query_bind_integer(query, document->key);
    query_bind_text(query, row->trace_id);
    query_bind_integer(query, row->place);
    return query_end(query, call->problem);
}

static enum error flag(const struct trace_call *call, const struct outdated *document,
                       const struct span_row *row)
{
    enum error error = note(call, &note_changed, document, row);
    struct query *query;

    if (error)
        return error;
    query = db_query(call->db, &put_case);
    query_bind_text(query, arena_print(call->arena, "A passage it cites is not in %s any more.",
                                       document->doc_id));
    query_bind_text(query, row->trace_id);
    error = query_end(query, call->problem);
    if (error)
        return error;
    query = db_query(call->db, &put_stale);
    query_bind_text(query, row->trace_id);
    return query_end(query, call->problem);
}

static enum error judge(const struct trace_call *call, const struct outdated *document,
                        const char *form, const struct span_row *rows, size_t count,
                        struct stale_citation_counts *counts)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    for (size_t i = 0; i < count && !error; i++) {
        const char *wanted = form_of(call->arena, rows[i].span, strlen(rows[i].span));

        if (document->key >= 0 && strstr(form, wanted)) {
            error = note(call, &note_standing, document, &rows[i]);
            counts->standing++;
        } else {
            error = flag(call, document, &rows[i]);
            counts->changed++;
        }
    }
    return db_finish(call->db, error, call->problem);
}

/* All spans of one document, in batches; each leaves fewer to look at. */
static enum error check_document(const struct trace_call *call, const struct outdated *document,
                                 struct stale_citation_counts *counts)
{
    struct span_row *rows = ARENA_ARRAY(call->arena, struct span_row, ROWS_MOST);
    const char *form;
    size_t count = 1;
    enum error error = read_form(call, document, &form);

    while (!error && count) {
        error = list_spans(call, document, rows, &count);
        if (!error && count)
            error = judge(call, document, form, rows, count, counts);
    }
    return error;
}

static enum error forget(const struct trace_call *call)
{
    struct query *query = db_query(call->db, &forget_old);

    query_bind_number(query, -(double)CITATION_WATCH_DAYS * SECONDS_A_DAY);
    return query_end(query, call->problem);
}

enum error stale_citations_check(const struct trace_call *call,
                                 struct stale_citation_counts *counts)
{
    struct outdated *documents = ARENA_ARRAY(call->arena, struct outdated, DOCUMENTS_MOST);
    size_t count = 0;
    enum error error = forget(call);

    *counts = (struct stale_citation_counts){0};
    if (!error)
        error = list_outdated(call, documents, &count);
    for (size_t i = 0; i < count && !error; i++) {
        error = check_document(call, &documents[i], counts);
        counts->documents++;
    }
    return error;
}

enum error stale_citations_list(const struct trace_call *call, int64_t limit,
                                struct object_list *rows)
{
    struct stale_citation *items = ARENA_ARRAY(call->arena, struct stale_citation, (size_t)limit);
    struct query *query = db_query(call->db, &list_changed);

    query_bind_text(query, call->tenant);
    query_bind_text(query, call->tenant);
    query_bind_json(query, document_hidden_json(call->reader));
    query_bind_integer(query, limit);
    *rows = (struct object_list){.items = items};
    while (rows->count < (size_t)limit && query_next(query))
        query_read(query, &stale_citation_schema, &items[rows->count++], call->arena);
    return query_end(query, call->problem);
}

enum error stale_citations_review(const struct trace_call *call, const char *trace_id)
{
    struct query *query = db_query(call->db, &note_reviewed);
    int64_t changes;
    enum error error;

    query_bind_text(query, call->tenant);
    query_bind_text(query, trace_id);
    changes = query_changes(query);
    error = query_end(query, call->problem);
    if (error || changes)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "citation_not_found",
                       "no changed citation of that answer waits");
}
