/*
 * The embedded answerer: quotes the passages of a knowledge base that answer a question, with
 * citation markers to their documents, or refuses. Deterministic, without a model. The steps are
 * separate so that the answer graph can record each, and replace some by a model.
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
};

struct answer {
    bool refused;
    const char *text;
    const char *quoted; /* the text without what the answerer itself says in it */
    struct evidence evidence;
    int quality; /* 0 to 100 */
    /* Sources of the answer, in the order of their markers: quoted ones come first. */
    const struct found_chunk *documents[ANSWER_DOCUMENTS_MAX];
    size_t document_count, cited_count;
    const char *excerpts[ANSWER_DOCUMENTS_MAX];
    struct selection selection;
};

/* Sorts the chunks into their final order: by rank, then by arrival. */
void answer_rank(struct found_chunk *chunks, size_t count);

bool answer_is_relevant(const struct found_chunk *chunk);

/* Keeps the chunks with a relevance of at least .25 in their order; returns how many. */
size_t answer_grade(struct found_chunk *chunks, size_t count);

/* Adds a passage of a further document behind what the answer quotes of its first one; what it
 * quotes of others is left out. */
void answer_follow(struct answer *answer, struct arena *arena, const struct question *question,
                   const struct selected *further, size_t most);

/* The answer from graded chunks; `lexical_order` are all chunks in search order. Uses at most
 * `most` documents. With less than `least` evidence it is a refusal. */
struct answer answer_compose(const struct question *question, const struct search_index *index,
                             struct arena *arena, const struct found_chunk *graded, size_t count,
                             const struct found_chunk *lexical_order, size_t found, double least,
                             size_t most);

/* A sentence in the language of the question that says that there is no answer; it names the code
 * that the knowledge base does not contain. */
const char *answer_refusal(struct arena *arena, enum text_language language, const char *code);

/* Whether a text is a refusal of this service, or of a model by known phrases. */
bool answer_is_refusal(struct arena *arena, const char *text);

/* Quality for an evidence value: 50 to 100 when answered, at most 40 when refused. */
int answer_quality(double evidence, bool refused);

/* Whether what the embedded engine has quoted is in the chunks: the percentage of its claims (its
 * sentences) that they contain: floor(100 * share); 100 without claims. Claims come from the arena.
 * What a model writes is held against them by grounding.h. */
int answer_verify(struct arena *arena, const char *text, const struct found_chunk *const *chunks,
                  size_t count, struct claim *claims, size_t most, size_t *claim_count);

/* The 300 code points of a text around `passage`. */
const char *answer_excerpt(struct arena *arena, const char *text, const char *passage);

/* Further questions that the documents answer, from the headings of the answer's sources: who may
 * read those may read the answer. A heading that is no question is put into one of the question's
 * language. */
size_t answer_suggest(struct arena *arena, const struct question *question,
                      const struct answer *answer, const char *suggestions[SUGGESTIONS_MAX]);

#endif
