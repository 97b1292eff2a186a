/* A knowledge base in memory for tests of answering: documents of Markdown, chunked and indexed as
 * an upload is, and questions asked of it without a database. */
#ifndef ASSAY_ANSWER_BASE_H
#define ASSAY_ANSWER_BASE_H

#include "base/text.h"
#include "golden_vectors.h"
#include "search/builder.h"
#include "support/answer/answer.h"
#include "support/answer/citations.h"
#include "support/documents/chunk.h"
#include "support/documents/titles.h"
#include "support/matching/fusion.h"
#include "support/matching/question_mean.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BASE_CHUNKS_MAX = 400, BASE_PASSAGES_MAX = 2000 };

struct file {
    const char *name, *text;
};

struct base {
    const struct file *files;
    size_t file_count;
    const char *const *units; /* how the passages of the golden table begin; may be NULL */
    bool meant;               /* its chunks have vectors, from golden_vectors.h */
    char path[32];
    struct search_index *index;
    struct knowledge_chunk chunks[BASE_CHUNKS_MAX];
    size_t count;
};

struct asked {
    struct question question;
    struct answer answer;
    struct found_chunk *found, *graded;
    size_t count;
};

/* Ends the test program: nothing can be asked of such a base. */
#define BASE_NEEDS(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: no knowledge base: %s\n", __FILE__, __LINE__, #condition);     \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static void base_add_file(struct base *base, struct arena *arena, struct index_builder *builder,
                          int number)
{
    static const struct chunk_options options = {800, 200, true};
    const struct file *file = &base->files[number];
    enum text_language language = language_detect(file->text, strlen(file->text));
    struct chunk_list list = {0};
    struct title_list titles;

    chunk_text(arena, file->text, strlen(file->text), 0, &options, &list);
    index_builder_document(builder, number, language);
    for (size_t i = 0; i < list.count && base->count < BASE_CHUNKS_MAX; i++) {
        struct passage_list passages = passages_of(arena, list.items[i].body, list.items[i].length);
        struct index_passage *texts = ARENA_ARRAY(arena, struct index_passage, passages.count + 1);

        for (size_t p = 0; p < passages.count; p++)
            texts[p] = (struct index_passage){passages.items[p].text, passages.items[p].length};
        index_builder_chunk(builder, (int64_t)base->count,
                            chunk_header(arena, file->name, &list.items[i]), texts, passages.count);
        titles_of(arena, list.items[i].body, list.items[i].length, &titles);
        for (size_t t = 0; t < titles.count; t++)
            index_builder_chunk(builder, (int64_t)base->count, NULL, NULL, 0);
        base->chunks[base->count] =
            (struct knowledge_chunk){.key = (int64_t)base->count,
                                     .document = number,
                                     .doc_id = file->name,
                                     .title = file->name,
                                     .source = file->name,
                                     .language = language,
                                     .chunk_index = (int)i,
                                     .header = chunk_header(arena, file->name, &list.items[i]),
                                     .body = list.items[i].body};
        base->count++;
    }
}

/* Of a chunk, or of one of its titles (child 1 and on). */
static const char *base_text(struct arena *arena, const struct knowledge_chunk *chunk,
                             uint32_t child)
{
    struct title_list titles;

    titles_of(arena, chunk->body, strlen(chunk->body), &titles);
    return child ? titles.items[child - 1]
                 : arena_print(arena, "%s\n%s", chunk->header, chunk->body);
}

static bool base_embed(void *context, const struct search_wanted *wanted, size_t count,
                       const uint8_t **rows, uint32_t *dimension)
{
    static uint8_t packed[BASE_CHUNKS_MAX][GOLDEN_ROW];
    const struct base *base = context;
    struct arena *arena = arena_create((size_t)1 << 22);

    for (size_t i = 0; i < count; i++) {
        const struct knowledge_chunk *chunk = &base->chunks[wanted[i].chunk];

        memcpy(packed[i],
               golden_vector(arena, "passage: ", base_text(arena, chunk, wanted[i].child)),
               GOLDEN_ROW);
    }
    arena_destroy(arena);
    *rows = packed[0];
    *dimension = GOLDEN_VALUES;
    return true;
}

static void base_add_vectors(struct base *base, struct search_segment *segment)
{
    const struct search_embedder embedder = {search_vector_model("m"), 0, BASE_CHUNKS_MAX,
                                             base_embed, base};
    struct search_segment from = *segment;
    struct problem problem;
    bool whole;

    segment->name = "v";
    BASE_NEEDS(!search_fill_vectors(base->path, &from, &embedder, segment->name, &segment->bytes,
                                    &whole, &problem));
}

/* The chunks are the arena's. */
static void base_make(struct base *base, struct arena *arena)
{
    struct index_builder *builder = index_builder_create((size_t)1 << 26);
    struct search_segment segment = {"s", 0, NULL, 0};
    struct problem problem;
    size_t damaged;

    snprintf(base->path, sizeof base->path, "/tmp/assay-answer-XXXXXX");
    BASE_NEEDS(mkdtemp(base->path));
    for (size_t i = 0; i < base->file_count; i++)
        base_add_file(base, arena, builder, (int)i);
    BASE_NEEDS(!index_builder_finish(builder, base->path, "s", &segment.bytes, &problem));
    index_builder_destroy(builder);
    if (base->meant)
        base_add_vectors(base, &segment);
    base->index = search_index_create(base->path);
    BASE_NEEDS(!search_index_update(base->index, &segment, 1, &damaged, &problem));
}

static void base_drop(struct base *base)
{
    char path[40];

    search_index_destroy(base->index);
    for (const char *name = "sv"; *name; name++) {
        snprintf(path, sizeof path, "%s/%c", base->path, *name);
        unlink(path);
    }
    rmdir(base->path);
}

/* The hits by words, or by both where the base has vectors. */
static size_t base_find(const struct base *base, struct arena *arena, const char *text,
                        const struct search_hit *hits, size_t count, struct fused_hit *fused)
{
    struct nearest_hits nearest;
    uint8_t vector[GOLDEN_ROW];

    for (size_t i = 0; i < count; i++)
        fused[i] = (struct fused_hit){.chunk = hits[i].chunk, .lexical = hits[i].score};
    if (!base->meant)
        return count;
    question_center(golden_vector(arena, "query: ", text), vector);
    nearest = fusion_search(base->index, arena, vector, hits, count, 20);
    return fusion_by_score(hits, count, &nearest, fused);
}

/* Refuses below `least` evidence. */
static void base_ask(const struct base *base, struct arena *arena, const struct synonyms *synonyms,
                     const char *text, const char *before, double least, struct asked *asked)
{
    struct search_hit hits[20];
    struct fused_hit fused[40];
    const struct search_term *terms;
    double best;
    size_t term_count, kept_count;

    question_read(&asked->question, arena, text, before, synonyms);
    question_weigh(&asked->question, base->index);
    terms = question_search_terms(&asked->question, arena, base->index, &term_count);
    asked->count = search_index_best(base->index, arena, terms, term_count, hits, 20);
    best = asked->count ? hits[0].score : 0;
    asked->count = base_find(base, arena, text, hits, asked->count, fused);
    asked->found = ARENA_ARRAY(arena, struct found_chunk, asked->count + 1);
    for (size_t i = 0; i < asked->count; i++)
        evidence_read(&asked->question, arena, &base->chunks[fused[i].chunk],
                      &(struct chunk_scores){fused[i].lexical, best, base->meant, fused[i].near,
                                             fused[i].meaning, fused[i].nearest},
                      &asked->found[i]);
    asked->graded = ARENA_ARRAY(arena, struct found_chunk, asked->count + 1);
    memcpy(asked->graded, asked->found, asked->count * sizeof *asked->found);
    evidence_order(asked->found, asked->count);
    answer_rank(asked->graded, asked->count);
    kept_count = answer_grade(asked->graded, asked->count);
    asked->answer = answer_compose(&asked->question, base->index, arena, asked->graded, kept_count,
                                   asked->found, asked->count, least, 5);
}

static bool base_is_text(const char *text)
{
    return utf8_valid_prefix(text, strlen(text)) == strlen(text);
}

/* What every answer keeps, whatever was uploaded and asked: NULL, or what this one broke. */
static const char *base_broken_promise(struct arena *arena, const struct answer *answer)
{
    struct claim claims[20];
    size_t claim_count;
    int number;

    if (!base_is_text(answer->text))
        return "an answer is UTF-8";
    for (const char *at = answer->text; *at; at++) {
        if (citation_read(at, &number) && (number < 1 || number > (int)answer->document_count))
            return "a marker points at a document";
    }
    for (size_t i = 0; i < answer->document_count; i++) {
        const char *excerpt = answer->excerpts[i], *body = answer->documents[i]->chunk.body;

        if (!base_is_text(excerpt) || utf8_count(excerpt) > EXCERPT_LENGTH_MAX)
            return "an excerpt is UTF-8 and short enough";
        if (!strstr(body, excerpt))
            return "an excerpt is a part of its document";
        if (utf8_count(excerpt) < EXCERPT_LENGTH_MAX && strcmp(excerpt, body) != 0)
            return "an excerpt is as long as may be";
    }
    if (!answer->refused && answer_verify(arena, answer->quoted, answer->documents,
                                          answer->document_count, claims, 20, &claim_count) != 100)
        return "the documents support what is quoted";
    return NULL;
}

#endif
