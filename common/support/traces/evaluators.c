/* Evaluators: one function each, from an answer to a score, a verdict and figures. */
#include "support/traces/evaluators.h"
#include "base/schema.h"
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

int evaluator_of_name(const char *name)
{
    int i = 0;

    while (i < EVALUATORS && strcmp(evaluator_names[i], name) != 0)
        i++;
    return i;
}

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

static struct evaluation evaluation_of(struct arena *arena, int evaluator, double score,
                                       const char *verdict, const struct schema *schema,
                                       const void *metadata)
{
    return (struct evaluation){.evaluator = evaluator_names[evaluator],
                               .score = score,
                               .verdict = verdict,
                               .metadata = schema_json(arena, METADATA_MAX, schema, metadata)};
}

struct coverage_metadata {
    int64_t sentence_count, cited_sentences;
};

#define OWNER struct coverage_metadata
static const struct field coverage_fields[] = {INTEGER(OWNER, sentence_count),
                                               INTEGER(OWNER, cited_sentences)};
#undef OWNER
static SCHEMA(coverage_schema, struct coverage_metadata, "CoverageMetadata", coverage_fields);

struct evaluation evaluate_citation_coverage(struct arena *arena, const char *answer)
{
    struct citation_coverage coverage = citation_coverage_of(answer);
    const struct coverage_metadata metadata = {.sentence_count = coverage.sentences,
                                               .cited_sentences = coverage.cited};
    const char *verdict = coverage.cited == 0                    ? "missing"
                          : coverage.cited == coverage.sentences ? "ok"
                                                                 : "partial";

    return evaluation_of(arena, 0,
                         coverage.sentences ? (double)coverage.cited / coverage.sentences : 0,
                         verdict, &coverage_schema, &metadata);
}

struct length_metadata {
    int64_t answer_words;
    double z_score;
};

#define OWNER struct length_metadata
static const struct field length_fields[] = {INTEGER(OWNER, answer_words), NUMBER(OWNER, z_score)};
#undef OWNER
static SCHEMA(length_schema, struct length_metadata, "LengthMetadata", length_fields);

struct evaluation evaluate_length(struct arena *arena, int words, double mean, double deviation)
{
    double z = deviation > 0 ? (words - mean) / deviation : 0;
    bool odd = fabs(z) > length_odd;
    const struct length_metadata metadata = {.answer_words = words, .z_score = z};

    return evaluation_of(arena, 1, odd ? 1 : 0,
                         deviation <= 0 ? "unknown"
                         : odd          ? "anomaly"
                                        : "ok",
                         &length_schema, &metadata);
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

struct hits_metadata {
    int64_t retrieved_docs, scored_docs;
    struct optional_integer relevant_docs;
    struct optional_number min_score, max_score, mean_score;
};

#define OWNER struct hits_metadata
static const struct field hits_fields[] = {
    INTEGER(OWNER, retrieved_docs),
    INTEGER(OWNER, scored_docs),
    NULLABLE_INTEGER(OWNER, relevant_docs, .omit_if_null = true),
    NULLABLE_NUMBER(OWNER, min_score, .omit_if_null = true),
    NULLABLE_NUMBER(OWNER, max_score, .omit_if_null = true),
    NULLABLE_NUMBER(OWNER, mean_score, .omit_if_null = true)};
#undef OWNER
static SCHEMA(hits_schema, struct hits_metadata, "HitsMetadata", hits_fields);

struct evaluation evaluate_hit_rate(struct arena *arena, const struct optional_number *relevances,
                                    size_t count)
{
    struct hits hits = count_hits(relevances, count);
    double score = hits.scored ? (double)hits.relevant / hits.scored : 0;
    const char *verdict = "unknown";
    struct hits_metadata metadata = {.retrieved_docs = (int64_t)count, .scored_docs = hits.scored};

    if (hits.scored) {
        verdict = score >= hits_fine ? "ok" : hits.relevant ? "partial" : "low";
        metadata.relevant_docs = (struct optional_integer)GIVEN_INTEGER(hits.relevant);
        metadata.min_score = (struct optional_number)GIVEN_NUMBER(hits.lowest);
        metadata.max_score = (struct optional_number)GIVEN_NUMBER(hits.highest);
        metadata.mean_score = (struct optional_number)GIVEN_NUMBER(hits.sum / hits.scored);
    }
    return evaluation_of(arena, 2, score, verdict, &hits_schema, &metadata);
}

struct tools_metadata {
    int64_t answer_final_tokens, tool_tokens, tool_call_count;
};

#define OWNER struct tools_metadata
static const struct field tools_fields[] = {INTEGER(OWNER, answer_final_tokens),
                                            INTEGER(OWNER, tool_tokens),
                                            INTEGER(OWNER, tool_call_count)};
#undef OWNER
static SCHEMA(tools_schema, struct tools_metadata, "ToolsMetadata", tools_fields);

struct evaluation evaluate_tool_use(struct arena *arena, int answer_tokens, const int *tool_tokens,
                                    size_t count)
{
    struct tools_metadata metadata = {.answer_final_tokens = answer_tokens,
                                      .tool_call_count = (int64_t)count};
    double score, all;

    for (size_t i = 0; i < count; i++)
        metadata.tool_tokens += tool_tokens[i];
    all = (double)(answer_tokens + metadata.tool_tokens);
    score = all != 0 ? answer_tokens / all : 0;
    return evaluation_of(arena, 3, score, score >= efficient_from ? "efficient" : "inefficient",
                         &tools_schema, &metadata);
}

/* What was found of a list of phrases or patterns. */
struct matches_metadata {
    struct string_list matches;
};

#define OWNER struct matches_metadata
static const struct field matches_fields[] = {STRINGS(OWNER, matches)};
#undef OWNER
static SCHEMA(matches_schema, struct matches_metadata, "MatchesMetadata", matches_fields);

struct evaluation evaluate_refusal(struct arena *arena, const char *answer)
{
    const char *lower = text_lower(arena, answer);
    const char *const *phrases = patterns_refusals();
    struct matches_metadata metadata = {0};
    size_t count = 0;

    while (phrases[count])
        count++;
    metadata.matches.items = ARENA_ARRAY(arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        if (strstr(lower, phrases[i]))
            metadata.matches.items[metadata.matches.count++] = phrases[i];
    return evaluation_of(arena, 4, metadata.matches.count ? 1 : 0,
                         metadata.matches.count ? "refusal" : "ok", &matches_schema, &metadata);
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
    struct pii_pattern *patterns = patterns_pii(&count);
    struct matches_metadata metadata = {
        .matches = {0, ARENA_ARRAY(arena, const char *, count + 1)}};

    for (size_t i = 0; i < count; i++)
        if (holds_pii(&patterns[i], plain))
            metadata.matches.items[metadata.matches.count++] = patterns[i].name;
    return evaluation_of(arena, 5, metadata.matches.count ? 1 : 0,
                         metadata.matches.count ? "suspicious" : "ok", &matches_schema, &metadata);
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

struct language_metadata {
    const char *query_language, *answer_language;
    int64_t query_words, answer_words;
};

#define OWNER struct language_metadata
static const struct field language_fields[] = {
    STRING(OWNER, query_language), STRING(OWNER, answer_language), INTEGER(OWNER, query_words),
    INTEGER(OWNER, answer_words)};
#undef OWNER
static SCHEMA(language_schema, struct language_metadata, "LanguageMetadata", language_fields);

struct evaluation evaluate_language(struct arena *arena, const char *question, const char *answer)
{
    enum text_language asked = language_detect(question, strlen(question));
    enum text_language said = language_detect(answer, strlen(answer));
    const struct language_metadata metadata = {.query_language = language_codes[asked],
                                               .answer_language = language_codes[said],
                                               .query_words = evaluate_count_words(question),
                                               .answer_words = evaluate_count_words(answer)};
    const char *verdict = asked == said ? "ok" : "mismatch";

    if (metadata.query_words < FEW_WORDS && metadata.answer_words < FEW_WORDS)
        verdict = "low_confidence";
    return evaluation_of(arena, 6, strcmp(verdict, "mismatch") == 0, verdict, &language_schema,
                         &metadata);
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
