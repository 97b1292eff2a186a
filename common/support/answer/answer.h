/*
 * The embedded answerer: quotes the passages of a knowledge base that answer a question, with
 * markers to the documents they stand in, or says that it cannot. Deterministic, no model. The
 * steps are separate so that the answer graph can record each, and replace some by a model.
 */
#ifndef ASSAY_SUPPORT_ANSWER_ANSWER_H
#define ASSAY_SUPPORT_ANSWER_ANSWER_H

#include "support/answer/select.h"

enum {
    ANSWER_LENGTH_MAX = 1200, /* code points */
    EXCERPT_LENGTH_MAX = 300,
    ANSWER_DOCUMENTS_MAX = 20,
    SUGGESTIONS_MAX = 3,
    SUGGESTION_LENGTH_MAX = 60
};

struct claim {
    const char *text;
    bool supported;
    const char *evidence; /* at most 200 code points; "" when there is none */
    int number;           /* of the document that supports it, from 1; 0 = none, or not known */
};

struct answer {
    bool refused;
    const char *text;
    struct evidence evidence;
    int quality; /* 0 to 100 */
    /* What the answer was made from, in the order of its markers: those it quotes come first. */
    const struct found_chunk *documents[ANSWER_DOCUMENTS_MAX];
    size_t document_count, cited_count;
    const char *excerpts[ANSWER_DOCUMENTS_MAX];
    struct selection selection;
};

/* Puts the chunks in their final order: by rank, then as they came. */
void answer_rank(struct found_chunk *chunks, size_t count);

bool answer_is_relevant(const struct found_chunk *chunk);

/* Keeps the chunks whose relevance is at least .25; how many. Order stays. */
size_t answer_grade(struct found_chunk *chunks, size_t count);

/* The answer from graded chunks; `lexical_order` are all chunks as the search gave them. At most
 * `most` documents. Below `least` evidence it is a refusal. */
struct answer answer_compose(const struct question *question, const struct search_index *index,
                             struct arena *arena, const struct found_chunk *graded, size_t count,
                             const struct found_chunk *lexical_order, size_t found, double least,
                             size_t most);

/* One sentence in the language that says that there is no answer; names the code it lacks. */
const char *answer_refusal(struct arena *arena, enum text_language language, const char *code);

/* Whether a text is one of our refusals, or a model's, by the phrases of refusals. */
bool answer_is_refusal(struct arena *arena, const char *text);

/* Quality of an evidence: 50 to 100 when answered, at most 40 when refused. */
int answer_quality(double evidence, bool refused);

/* How many of the claims of a text (its sentences) the chunks support: floor(100 * share); 100 for
 * none. Claims are the arena's. */
int answer_verify(struct arena *arena, const char *text, const struct found_chunk *const *chunks,
                  size_t count, struct claim *claims, size_t most, size_t *claim_count);

/* Says of claims, given by their texts, whether one of the chunks supports them, and fills the rest
 * in. */
void answer_check(struct arena *arena, const struct found_chunk *const *chunks, size_t count,
                  struct claim *claims, size_t claim_count);

/* The 300 code points around `passage` in a text. */
const char *answer_excerpt(struct arena *arena, const char *text, const char *passage);

/* Questions that the cited documents answer as well, phrased in the question's language. */
size_t answer_suggest(struct arena *arena, const struct question *question,
                      const struct answer *answer, const char *suggestions[SUGGESTIONS_MAX]);

#endif
