/* Evaluators: one function each, from an answer to a score, a verdict and figures. */
#include "support/traces/evaluators.h"
#include "base/json.h"
#include "support/answer/citations.h"
#include "support/answer/patterns.h"
#include "text/fold.h"
#include "text/language.h"
#include "text/pattern.h"

#include <math.h>
#include <string.h>

const char *const evaluator_names[EVALUATORS] = {
    "citation_coverage", "answer_length_anomaly", "retrieval_hit_rate", "tool_use_efficiency",
    "refusal_detected",  "pii_leak_suspicion",    "language_mismatch"};

bool evaluator_lower_is_better(const char *name)
{
    static const char *const flags[] = {"refusal_detected", "pii_leak_suspicion",
                                        "language_mismatch", "answer_length_anomaly"};

    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (strcmp(name, flags[i]) == 0)
            return true;
    }
    return false;
}

static const double hit_above = 0.5, hits_fine = 0.8, length_odd = 2, efficient_from = 0.5;
enum { FEW_WORDS = 4, METADATA_MAX = 65536, PII_CHARACTERS_MAX = 20000 };

static struct json_writer *begin_metadata(struct json_writer *writer, struct text *text,
                                          struct arena *arena)
{
    text_start(text, arena, METADATA_MAX);
    writer_start(writer, text);
    writer_open_object(writer);
    return writer;
}

static const char *end_metadata(struct json_writer *writer)
{
    writer_close_object(writer);
    return writer->out->bytes;
}

struct evaluation evaluate_citation_coverage(struct arena *arena, const char *answer)
{
    struct citation_coverage coverage = citation_coverage_of(answer);
    struct text text;
    struct json_writer writer;
    const char *verdict = coverage.cited == 0                    ? "missing"
                          : coverage.cited == coverage.sentences ? "ok"
                                                                 : "partial";

    begin_metadata(&writer, &text, arena);
    writer_key_integer(&writer, "sentence_count", coverage.sentences);
    writer_key_integer(&writer, "cited_sentences", coverage.cited);
    return (struct evaluation){evaluator_names[0],
                               coverage.sentences ? (double)coverage.cited / coverage.sentences : 0,
                               verdict, end_metadata(&writer)};
}

struct evaluation evaluate_length(struct arena *arena, int words, double mean, double deviation)
{
    double z = deviation > 0 ? (words - mean) / deviation : 0;
    bool odd = fabs(z) > length_odd;
    struct text text;
    struct json_writer writer;

    begin_metadata(&writer, &text, arena);
    writer_key_integer(&writer, "answer_words", words);
    writer_key_number(&writer, "z_score", z);
    return (struct evaluation){evaluator_names[1], odd ? 1 : 0,
                               deviation <= 0 ? "unknown"
                               : odd          ? "anomaly"
                                              : "ok",
                               end_metadata(&writer)};
}

struct hits {
    int scored, relevant;
    double lowest, highest, sum;
};

static struct hits count_hits(const struct optional_number *relevances, size_t count)
{
    struct hits hits = {.lowest = INFINITY, .highest = -INFINITY};

    for (size_t i = 0; i < count; i++) {
        if (!relevances[i].given)
            continue;
        hits.scored++;
        hits.relevant += relevances[i].value > hit_above;
        hits.lowest = fmin(hits.lowest, relevances[i].value);
        hits.highest = fmax(hits.highest, relevances[i].value);
        hits.sum += relevances[i].value;
    }
    return hits;
}

struct evaluation evaluate_hit_rate(struct arena *arena, const struct optional_number *relevances,
                                    size_t count)
{
    struct hits hits = count_hits(relevances, count);
    double score = hits.scored ? (double)hits.relevant / hits.scored : 0;
    const char *verdict = "unknown";
    struct text text;
    struct json_writer writer;

    if (hits.scored)
        verdict = score >= hits_fine ? "ok" : hits.relevant ? "partial" : "low";
    begin_metadata(&writer, &text, arena);
    writer_key_integer(&writer, "retrieved_docs", (int64_t)count);
    writer_key_integer(&writer, "scored_docs", hits.scored);
    if (hits.scored) {
        writer_key_integer(&writer, "relevant_docs", hits.relevant);
        writer_key_number(&writer, "min_score", hits.lowest);
        writer_key_number(&writer, "max_score", hits.highest);
        writer_key_number(&writer, "mean_score", hits.sum / hits.scored);
    }
    return (struct evaluation){evaluator_names[2], score, verdict, end_metadata(&writer)};
}

struct evaluation evaluate_tool_use(struct arena *arena, int answer_tokens, const int *tool_tokens,
                                    size_t count)
{
    int tools = 0;
    double score;
    struct text text;
    struct json_writer writer;

    for (size_t i = 0; i < count; i++)
        tools += tool_tokens[i];
    score = answer_tokens + tools ? (double)answer_tokens / (answer_tokens + tools) : 0;
    begin_metadata(&writer, &text, arena);
    writer_key_integer(&writer, "answer_final_tokens", answer_tokens);
    writer_key_integer(&writer, "tool_tokens", tools);
    writer_key_integer(&writer, "tool_call_count", (int64_t)count);
    return (struct evaluation){evaluator_names[3], score,
                               score >= efficient_from ? "efficient" : "inefficient",
                               end_metadata(&writer)};
}

struct evaluation evaluate_refusal(struct arena *arena, const char *answer)
{
    const char *lower = text_lower(arena, answer);
    bool found = false;
    struct text text;
    struct json_writer writer;

    begin_metadata(&writer, &text, arena);
    writer_key(&writer, "matches");
    writer_open_array(&writer);
    for (const char *const *phrase = patterns_refusals(); *phrase; phrase++) {
        if (!strstr(lower, *phrase))
            continue;
        found = true;
        writer_string(&writer, *phrase);
    }
    writer_close_array(&writer);
    return (struct evaluation){evaluator_names[4], found, found ? "refusal" : "ok",
                               end_metadata(&writer)};
}

static bool holds_pii(struct pii_pattern *pii, const char *text)
{
    size_t length = utf8_prefix(text, PII_CHARACTERS_MAX);
    struct pattern_match match = {0, 0};

    while (pattern_find(&pii->pattern, text, length, match.end, &match)) {
        if (!pii->accepts || pii->accepts(text + match.start, match.end - match.start))
            return true;
    }
    return false;
}

struct evaluation evaluate_pii(struct arena *arena, const char *answer)
{
    const char *plain = citation_strip(arena, answer);
    size_t count;
    struct pii_pattern *piis = patterns_pii(&count);
    bool found = false;
    struct text text;
    struct json_writer writer;

    begin_metadata(&writer, &text, arena);
    writer_key(&writer, "matches");
    writer_open_array(&writer);
    for (size_t i = 0; i < count; i++) {
        if (!holds_pii(&piis[i], plain))
            continue;
        found = true;
        writer_string(&writer, piis[i].name);
    }
    writer_close_array(&writer);
    return (struct evaluation){evaluator_names[5], found, found ? "suspicious" : "ok",
                               end_metadata(&writer)};
}

int evaluate_count_words(const char *text)
{
    int words = 0;

    for (;;) {
        text += strspn(text, " \t\r\n\f\v");
        if (!*text)
            return words;
        words++;
        text += strcspn(text, " \t\r\n\f\v");
    }
}

struct evaluation evaluate_language(struct arena *arena, const char *question, const char *answer)
{
    enum text_language asked = language_detect(question, strlen(question));
    enum text_language said = language_detect(answer, strlen(answer));
    int question_words = evaluate_count_words(question);
    int answer_words = evaluate_count_words(answer);
    const char *verdict = asked == said ? "ok" : "mismatch";
    struct text text;
    struct json_writer writer;

    if (question_words < FEW_WORDS && answer_words < FEW_WORDS)
        verdict = "low_confidence";
    begin_metadata(&writer, &text, arena);
    writer_key_string(&writer, "query_language", language_codes[asked]);
    writer_key_string(&writer, "answer_language", language_codes[said]);
    writer_key_integer(&writer, "query_words", question_words);
    writer_key_integer(&writer, "answer_words", answer_words);
    return (struct evaluation){evaluator_names[6], strcmp(verdict, "mismatch") == 0, verdict,
                               end_metadata(&writer)};
}

void evaluate_answer(struct arena *arena, const struct evaluated *evaluated,
                     struct evaluation evaluations[EVALUATORS])
{
    evaluations[0] = evaluate_citation_coverage(arena, evaluated->answer);
    evaluations[1] = evaluate_length(arena, evaluate_count_words(evaluated->answer),
                                     evaluated->words_mean, evaluated->words_deviation);
    evaluations[2] = evaluate_hit_rate(arena, evaluated->relevances, evaluated->document_count);
    evaluations[3] = evaluate_tool_use(arena, evaluated->answer_tokens, evaluated->tool_tokens,
                                       evaluated->tool_count);
    evaluations[4] = evaluate_refusal(arena, evaluated->answer);
    evaluations[5] = evaluate_pii(arena, evaluated->answer);
    evaluations[6] = evaluate_language(arena, evaluated->question, evaluated->answer);
}
