/* Measures of words: what of an answer stands in its documents, what of a question was found. */
#include "support/trends/nightly.h"
#include "base/number.h"
#include "base/text.h"
#include "db/query.h"
#include "text/fold.h"
#include "text/sentences.h"
#include "text/words.h"

#include <math.h>
#include <string.h>

enum {
    WORD_LEAST = 3,
    WORDS_MOST = 4096,
    TEXT_MOST = 1 << 24,
    DOCUMENTS_MOST = 64,
    SAMPLE_MEMORY = 64 << 20
};
static const double drift_from = 0.1;

const char *const nightly_names[NIGHTLY__MAX] = {"faithfulness", "context_precision",
                                                 "answer_relevancy"};

static const struct statement read_sample = {
    .name = "nightly_sample",
    .sql = "SELECT trace_id, question, answer FROM traces WHERE origin = 'live'"
           " AND finished_at IS NOT NULL AND final_route = 'auto' AND answer IS NOT NULL"
           " AND started_at >= {now_plus:?} ORDER BY started_at DESC, trace_id DESC LIMIT ?",
};
static const struct statement read_documents = {
    .name = "nightly_documents",
    .sql = "SELECT page_content FROM trace_docs WHERE trace_id = ? ORDER BY ref LIMIT ?",
};
static const struct statement read_week = {
    .name = "nightly_week",
    .sql = "SELECT avg(value) FROM eval_results WHERE kind = 'nightly' AND metric_name = ?"
           " AND created_at >= {now_plus:?}",
};
static const struct statement put_value = {
    .name = "nightly_put",
    .sql = "INSERT INTO eval_results (created_at, tenant_id, metric_name, value, sample_size,"
           " drift_alert, kind) VALUES ({now}, 'all', ?, ?, ?, ?, 'nightly')",
};
static const struct statement read_drifting = {
    .name = "nightly_drifting",
    .sql = "SELECT e.metric_name FROM eval_results e WHERE e.kind = 'nightly'"
           " AND e.drift_alert = 1 AND e.created_at >= {now_plus:?} AND NOT EXISTS"
           " (SELECT 1 FROM eval_results n WHERE n.kind = 'nightly'"
           " AND n.metric_name = e.metric_name AND n.id > e.id) ORDER BY e.metric_name",
};

/* Folded words with one blank round each. */
static const char *normal_form(struct arena *arena, const char *source, size_t source_length)
{
    const char *lower = text_lower(arena, arena_copy(arena, source, source_length));
    size_t length = strlen(lower);
    bool open = false;
    struct text text;

    text_start(&text, arena, TEXT_MOST);
    text_append_byte(&text, ' ');
    for (size_t at = 0; at < length;) {
        int32_t character = 0;
        size_t bytes = letter_read(lower + at, length - at, &character);
        bool word = bytes && (character == '_' || letter_kind(character) != LETTER_NONE);

        if (word)
            text_append(&text, lower + at, bytes);
        else if (open)
            text_append_byte(&text, ' ');
        open = word;
        at += bytes ? bytes : 1;
    }
    if (open)
        text_append_byte(&text, ' ');
    return text.bytes;
}

/* The words of at least three characters, each as `word` with blanks cut off. */
static size_t long_words(struct arena *arena, const char *form, const char **words, bool distinct)
{
    size_t count = 0;

    for (const char *at = form; *at && count < WORDS_MOST;) {
        size_t blank = strspn(at, " "), length = strcspn(at + blank, " ");
        const char *word = arena_copy(arena, at + blank, length);
        bool known = utf8_count(word) < WORD_LEAST;

        for (size_t i = 0; distinct && i < count && !known; i++)
            known = strcmp(words[i], word) == 0;
        if (!known)
            words[count++] = word;
        at += blank + length;
    }
    return count;
}

/* The share of words that stand in the text: as parts of words, or as whole ones. */
static double share_in(struct arena *arena, const char *const *words, size_t count,
                       const char *form, bool whole)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        found += strstr(form, whole ? arena_print(arena, " %s ", words[i]) : words[i]) != NULL;
    return count ? (double)found / (double)count : 1;
}

static double faithfulness(struct arena *arena, const char *answer, const char *context)
{
    const char **words = ARENA_ARRAY(arena, const char *, WORDS_MOST);
    struct sentence_reader reader;
    size_t start, end, sentences = 0, faithful = 0;

    if (strcmp(context, " ") == 0)
        return 0;
    sentence_reader_start(&reader, answer, strlen(answer));
    while (sentence_next(&reader, &start, &end)) {
        size_t count =
            long_words(arena, normal_form(arena, answer + start, end - start), words, false);

        sentences++;
        faithful += count == 0 || share_in(arena, words, count, context, true) >= 0.5;
    }
    return sentences ? (double)faithful / (double)sentences : 0;
}

void nightly_score(struct arena *arena, const char *question, const char *answer,
                   const char *const *documents, size_t count, double scores[NIGHTLY__MAX])
{
    const char **words = ARENA_ARRAY(arena, const char *, WORDS_MOST);
    const char *asked = normal_form(arena, question, strlen(question));
    const char *told = normal_form(arena, answer, strlen(answer));
    size_t distinct = long_words(arena, asked, words, true), all;
    double sum = 0, weight = 0;
    struct text context;

    text_start(&context, arena, TEXT_MOST);
    for (size_t i = 0; i < count; i++) {
        const char *form = normal_form(arena, documents[i], strlen(documents[i]));

        text_append_string(&context, form);
        sum += share_in(arena, words, distinct, form, false) / (double)(i + 1);
        weight += 1 / (double)(i + 1);
    }
    scores[NIGHTLY_FAITHFULNESS] =
        faithfulness(arena, answer, context.length ? context.bytes : " ");
    scores[NIGHTLY_PRECISION] = count == 0 ? 0 : distinct == 0 ? 1 : sum / weight;
    all = long_words(arena, asked, words, false);
    scores[NIGHTLY_RELEVANCY] = strcmp(asked, " ") == 0 || strcmp(told, " ") == 0
                                    ? 0
                                    : share_in(arena, words, all, told, false);
}

double nightly_drift(double now, struct optional_number before)
{
    return before.given && before.value != 0 ? fabs(now - before.value) / before.value : 0;
}

struct sampled {
    const char *trace_id, *question, *answer;
};

static enum error read_answers(const struct trace_call *call, struct sampled *answers,
                               int64_t *count)
{
    struct query *query = db_query(call->db, &read_sample);

    query_bind_number(query, -86400);
    query_bind_integer(query, NIGHTLY_MOST);
    for (*count = 0; *count < NIGHTLY_MOST && query_next(query); ++*count)
        answers[*count] =
            (struct sampled){query_text(query, 0, call->arena), query_text(query, 1, call->arena),
                             query_text(query, 2, call->arena)};
    return query_end(query, call->problem);
}

static enum error score_one(const struct trace_call *call, struct arena *scratch,
                            const struct sampled *sampled, double sums[NIGHTLY__MAX])
{
    const char *documents[DOCUMENTS_MOST];
    double scores[NIGHTLY__MAX];
    size_t count = 0;
    struct query *query = db_query(call->db, &read_documents);
    enum error error;

    query_bind_text(query, sampled->trace_id);
    query_bind_integer(query, DOCUMENTS_MOST);
    while (count < DOCUMENTS_MOST && query_next(query))
        documents[count++] = query_text(query, 0, scratch);
    error = query_end(query, call->problem);
    if (error)
        return error;
    nightly_score(scratch, sampled->question, sampled->answer, documents, count, scores);
    for (int i = 0; i < NIGHTLY__MAX; i++)
        sums[i] += scores[i];
    arena_reset(scratch);
    return ERROR_NONE;
}

static enum error score_all(const struct trace_call *call, const struct sampled *answers,
                            struct nightly_result *result)
{
    struct arena *scratch = arena_create(SAMPLE_MEMORY);
    double sums[NIGHTLY__MAX] = {0};
    enum error error = ERROR_NONE;

    if (!scratch)
        return problem_set(call->problem, ERROR_SYSTEM, "out_of_memory", "no memory");
    for (int64_t i = 0; i < result->sample_size && !error; i++)
        error = score_one(call, scratch, &answers[i], sums);
    arena_destroy(scratch);
    for (int i = 0; i < NIGHTLY__MAX; i++)
        result->values[i] = number_round(sums[i] / (double)result->sample_size, 4);
    return error;
}

static enum error keep(const struct trace_call *call, int which, struct nightly_result *result)
{
    struct query *query = db_query(call->db, &read_week);
    struct optional_number before;
    enum error error;

    query_bind_text(query, nightly_names[which]);
    query_bind_number(query, -7 * 86400);
    before = query_next(query) ? query_optional_number(query, 0) : (struct optional_number){0};
    error = query_end(query, call->problem);
    if (error)
        return error;
    result->drifts[which] = number_round(nightly_drift(result->values[which], before), 4);
    result->alerts[which] = nightly_drift(result->values[which], before) > drift_from;
    query = db_query(call->db, &put_value);
    query_bind_text(query, nightly_names[which]);
    query_bind_number(query, result->values[which]);
    query_bind_integer(query, result->sample_size);
    query_bind_boolean(query, result->alerts[which]);
    return query_end(query, call->problem);
}

enum error nightly_run(const struct trace_call *call, struct nightly_result *result)
{
    struct sampled answers[NIGHTLY_MOST];
    enum error error;

    *result = (struct nightly_result){0};
    error = read_answers(call, answers, &result->sample_size);
    result->skipped = result->sample_size < NIGHTLY_LEAST;
    if (error || result->skipped)
        return error;
    error = score_all(call, answers, result);
    if (!error)
        error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    for (int i = 0; i < NIGHTLY__MAX && !error; i++)
        error = keep(call, i, result);
    return db_finish(call->db, error, call->problem);
}

enum error nightly_drifting(struct db *db, struct arena *arena, int64_t *count, const char **names,
                            struct problem *problem)
{
    struct query *query = db_query(db, &read_drifting);
    struct text text;

    text_start(&text, arena, 4096);
    query_bind_number(query, -26 * 3600);
    *count = 0;
    while (query_next(query))
        text_append_format(&text, "%s%s", (*count)++ ? ", " : "", query_text(query, 0, arena));
    *names = text.bytes;
    return query_end(query, problem);
}
