/*
 * Scores how well passages answer a question, without a model: matching terms, neighboring words,
 * and the distance of the best chunk from the others. docs/develop/search.md shows the gain of each
 * feature on each dataset.
 */
#ifndef ASSAY_SUPPORT_ANSWER_EVIDENCE_H
#define ASSAY_SUPPORT_ANSWER_EVIDENCE_H

#include "support/answer/question.h"
#include "support/documents/passages.h"

/* A chunk of the knowledge base with the members needed for answering. */
struct knowledge_chunk {
    int64_t key, document; /* as in the index */
    const char *doc_id, *title, *source;
    enum text_language language;
    int chunk_index, page;
    const char *header; /* context of the chunk: document and headings */
    const char *body;
    const char *metadata; /* JSON, for the trace; may be NULL */
};

struct found_passage {
    const struct passage *passage;
    float *cover; /* per term of the question, 0 to 1 */
    double share; /* share of the terms' weights covered here, 0 to 1 */
    double near;  /* coverage of its best sentence, plus half of that of its neighbors */
    double pairs; /* share of the question's word pairs that are neighbors here too */
    double score; /* sort key of passages */
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
    double lexical;              /* the search's score */
    bool by_meaning;             /* the next two are known */
    struct search_nearness near; /* to the question's vector, as question_center() gives it */
    double meaning; /* both cosines, in standard deviations above the mean of the index */
    struct passage_list list;
    struct found_passage *passages;
    struct found_sentence *sentences;
    size_t sentence_count;
    struct ngram_matches held; /* coverage by all passages together */
    double share;              /* share of the weights, by all passages together */
    double elsewhere;          /* share of the weights: not covered here, but known to the index */
    double relevance;          /* 0 to 1: the highest share of a passage, three decimals */
    double score;              /* of the best passage */
    double rank;               /* sort key of chunks: search and passages together */
    size_t nearest;            /* rank among the nearest vectors, from 1; 0 = not among them */
};

/* What the searches say about a chunk. */
struct chunk_scores {
    double lexical, best_lexical; /* of this chunk, and of the best one */
    bool by_meaning;              /* the next two are known, by the embedder's model */
    struct search_nearness near;
    double meaning;
    size_t nearest; /* rank by meaning, from 1; 0 = not among the nearest */
};

/* Scores the passages of a chunk. The arena must live as long as the question, which caches the
 * words it has read. */
void evidence_read(struct question *question, struct arena *arena,
                   const struct knowledge_chunk *chunk, const struct chunk_scores *scores,
                   struct found_chunk *found);

struct evidence {
    /* the features, of the best passage */
    double near, chunk, elsewhere, margin, grams, agreement, overlap, terms;
    bool by_meaning; /* the next four are known */
    double cosine, title, meaning, lead;
    double value; /* 0 to 1: probability that the question can be answered */
    double sure;  /* at most `value`: that the answer needs no review */
};

/* Sorts by lexical score; chunks without one come last, in order of arrival. */
void evidence_order(struct found_chunk *chunks, size_t count);

/* The probability that the question can be answered, from chunks in the order of
 * evidence_order(). */
struct evidence evidence_weigh(const struct question *question, const struct search_index *index,
                               struct arena *arena, const struct found_chunk *chunks, size_t count);

#endif
