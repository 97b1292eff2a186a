/* Stateless rules of the graph: complexity of a question, and route of an answer. */
#include "support/answer/graph.h"

#include <string.h>

/* Words that indicate a complex question, or one across documents. */
static const char *const complex_words[] = {"compare", "difference", "why",    "analyse",
                                            "analyze", "explain",    "versus", "сравн",
                                            "отлич",   "почему",     "разниц", "объясн"};
static const char *const global_words[] = {"all policies",   "which topics", "all topics",
                                           "which policies", "recurring",    "relate to",
                                           "все темы",       "какие темы",   "связаны"};

enum { COMPLEX_WORDS = 25 };

const char *graph_complexity(const char *question)
{
    struct word_reader reader;
    struct word word;
    size_t words = 0, clauses = 0;

    for (size_t i = 0; i < sizeof global_words / sizeof global_words[0]; i++) {
        if (strcasestr(question, global_words[i]))
            return "global";
    }
    for (size_t i = 0; i < sizeof complex_words / sizeof complex_words[0]; i++) {
        if (strcasestr(question, complex_words[i]))
            return "complex";
    }
    word_reader_start(&reader, question, strlen(question));
    while (word_next(&reader, &word))
        words++;
    for (const char *at = question; *at; at++)
        clauses += *at == '?';
    return words > COMPLEX_WORDS || clauses > 1 ? "complex" : "simple";
}

enum route_kind graph_route(int quality, double relevance, bool verification_skipped,
                            int factuality, int iteration, const struct support_settings *settings)
{
    if (quality >= settings->quality_threshold &&
        relevance >= (double)settings->quality_threshold / 100 - 1e-9 &&
        (verification_skipped || factuality >= settings->fact_verification_min_score))
        return ROUTE_AUTO;
    return iteration < settings->self_rag_max_iterations ? ROUTE_NONE : ROUTE_HUMAN;
}
