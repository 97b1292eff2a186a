/*
 * Scores how well passages answer a question, without a model: which terms they contain, what is
 * near the terms, and how the best chunk compares with the others. docs/develop/search.md says what
 * each feature gained on which set.
 */
#ifndef ASSAY_SUPPORT_ANSWER_EVIDENCE_H
#define ASSAY_SUPPORT_ANSWER_EVIDENCE_H

#include "support/answer/question.h"
#include "support/documents/passages.h"

/* A chunk of the knowledge base as answering needs it. */
struct knowledge_chunk {
    int64_t key, document; /* as in the index */
    const char *doc_id, *title, *source;
    enum text_language language;
    int chunk_index, page;
    const char *header; /* the context it stands in: document and headings */
    const char *body;
    const char *metadata; /* JSON, for the trace; may be NULL */
};

struct found_passage {
    const struct passage *passage;
    float *cover; /* per term of the question, 0 to 1 */
    double share; /* of the weights that are covered here, 0 to 1 */
    double near;  /* that of its best sentence, with half of what its neighbours hold */
    double pairs; /* share of neighbouring words of the question that are neighbours here too */
    double score; /* what passages are ordered by */
    struct ngram_matches held;
    bool has_code, has_duration;
};

/* A sentence of a chunk. */
struct found_sentence {
    size_t passage;
    float *cover;
};

struct found_chunk {
    struct knowledge_chunk chunk;
    double lexical; /* the search's score */
    struct passage_list list;
    struct found_passage *passages;
    struct found_sentence *sentences;
    size_t sentence_count;
    struct ngram_matches held; /* by all passages together */
    double share;              /* of the weights, by all passages together */
    double elsewhere;          /* of the weights: not covered here, but known to the index */
    double relevance;          /* 0 to 1: the best share of a passage, three decimals */
    double score;              /* of the best passage */
    double rank;               /* what chunks are ordered by: search and passages together */
    size_t nearest; /* its place among the nearest by meaning, from 1; 0 = not one of them */
};

/* Looks at the passages of a chunk. `best_lexical` is the score of the best chunk found. The arena
 * lives as long as the question, which remembers the words that it has seen. */
void evidence_read(struct question *question, struct arena *arena,
                   const struct knowledge_chunk *chunk, double lexical, double best_lexical,
                   struct found_chunk *found);

struct evidence {
    /* the features, of the best passage */
    double near, chunk, elsewhere, margin, grams, agreement, overlap, terms;
    double value; /* 0 to 1: that the question can be answered */
    double sure;  /* at most `value`: that the answer needs no review */
};

/* The evidence that the question can be answered, from chunks in the order of their lexical
 * scores. */
struct evidence evidence_weigh(const struct question *question, const struct search_index *index,
                               struct arena *arena, const struct found_chunk *chunks, size_t count);

#endif
