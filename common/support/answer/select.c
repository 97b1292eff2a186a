/* Selection of passages. */
#include "support/answer/select.h"
#include "text/plain.h"
#include "text/questions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CONTENT_MAX = 3, MEANT_MAX = 3 };

/* Minimum gain of another passage, as a share of all weights: from the same document, from
 * others. */
static const double gain_same = 0.11, gain_other = 0.25;

/* A first passage that covers this share, or scores better by this much, is quoted alone. */
static const double decided_share = 0.5, decided_score = 0.5;

/* The least share of the question that a passage of another document must cover. */
static const double share_other = 0.45;

/* What a heading that is the question is worth. */
static const double asked_worth = 1;

struct ordered {
    struct selected item;
    double score;
    size_t order; /* of its chunk in the document and of the passage in the chunk */
};

static int by_score(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    double one = x->score, other = y->score;
    int order;

    if (fabs(one - other) > 1e-9)
        return one < other ? 1 : -1;
    order = strcmp(x->item.chunk->chunk.doc_id, y->item.chunk->chunk.doc_id);
    if (order)
        return order;
    return (x->order > y->order) - (x->order < y->order);
}

/* A passage may answer without a word of the question. */
static bool is_meant(const struct found_chunk *chunk)
{
    return chunk->by_meaning && chunk->nearest && chunk->nearest <= MEANT_MAX;
}

static bool is_asked(const struct question *question, struct arena *arena, const char *text)
{
    const char *asked;

    if (!*text || strlen(text) > 2 * strlen(question->text) + 8)
        return false;
    asked = text_plain(arena, question->text, strlen(question->text));
    return *asked && strcmp(asked, text_plain(arena, text, strlen(text))) == 0;
}

/* The passage to quote for the one at `place`: the one after it where that only asks what is asked.
 * NULL when there is none, and for every other question. */
static const struct found_passage *answering(const struct question *question, struct arena *arena,
                                             const struct found_chunk *chunk, size_t place)
{
    const struct passage *passage = chunk->passages[place].passage;

    if (text_is_question(passage->text, passage->length))
        return NULL;
    if (!is_asked(question, arena, passage->text))
        return &chunk->passages[place];
    return place + 1 < chunk->list.count ? &chunk->passages[place + 1] : NULL;
}

static struct ordered *order_passages(const struct question *question, struct arena *arena,
                                      const struct found_chunk *chunks, size_t count, size_t *total)
{
    struct ordered *ordered;
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        n += chunks[i].list.count;
    ordered = ARENA_ARRAY(arena, struct ordered, n + 1);
    *total = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < chunks[i].list.count; j++) {
            const struct found_passage *passage = answering(question, arena, &chunks[i], j);

            if (passage && (chunks[i].passages[j].share > 0 || is_meant(&chunks[i])))
                ordered[(*total)++] = (struct ordered){
                    {&chunks[i], passage},
                    chunks[i].passages[j].score +
                        (is_asked(question, arena, passage->passage->head) ? asked_worth : 0),
                    (size_t)chunks[i].chunk.chunk_index * 100000 + j};
        }
    }
    qsort(ordered, *total, sizeof *ordered, by_score);
    return ordered;
}

static bool is_selected(const struct selection *selection, const struct selected *item)
{
    for (size_t i = 0; i < selection->count; i++) {
        if (strcmp(selection->items[i].passage->passage->text, item->passage->passage->text) == 0)
            return true;
    }
    return false;
}

static double gain_of(const struct question *question, const float *covered,
                      const struct found_passage *passage)
{
    double gain = 0;

    for (size_t t = 0; t < question->count; t++)
        gain += question->terms[t].weight * fmax(0, passage->cover[t] - covered[t]);
    return question->total > 0 ? gain / question->total : 0;
}

static void take(struct selection *selection, const struct question *question, float *covered,
                 const struct selected *item)
{
    selection->items[selection->count++] = *item;
    for (size_t t = 0; t < question->count; t++)
        covered[t] = fmaxf(covered[t], item->passage->cover[t]);
}

/* Whether both are adjacent parts of one long paragraph. */
static bool continues(const struct selected *a, const struct selected *b)
{
    return a->chunk == b->chunk &&
           a->passage->passage->paragraph == b->passage->passage->paragraph &&
           labs(a->passage - b->passage) == 1;
}

/* Whether the words of a question say nothing, and the meaning not much, about which of two is
 * better. */
static bool is_undecided(const struct selected *first, const struct selected *item)
{
    return first->chunk != item->chunk && is_meant(first->chunk) && is_meant(item->chunk) &&
           first->passage->share < decided_share && item->passage->share < decided_share &&
           first->passage->score - item->passage->score < decided_score;
}

static bool is_wanted(const struct question *question, const struct selection *selection,
                      const float *covered, const struct selected *item)
{
    const struct selected *first = &selection->items[0];
    bool same = first->chunk->chunk.document == item->chunk->chunk.document;

    if (is_selected(selection, item))
        return false;
    if (question->has_codes && !item->passage->has_code)
        return false;
    if (continues(first, item))
        return true;
    if (is_undecided(first, item))
        return true;
    if (!same && item->passage->share < share_other)
        return false;
    return gain_of(question, covered, item->passage) >= (same ? gain_same : gain_other);
}

static void add_duration(struct selection *selection, const struct question *question,
                         float *covered, const struct ordered *ordered, size_t total)
{
    for (size_t i = 0; i < selection->count; i++) {
        if (selection->items[i].passage->has_duration)
            return;
    }
    for (size_t i = 0; i < total; i++) {
        const struct selected *item = &ordered[i].item;

        if (item->passage->has_duration && !is_selected(selection, item) &&
            item->chunk->chunk.document == selection->items[0].chunk->chunk.document) {
            take(selection, question, covered, item);
            return;
        }
    }
}

struct selection select_passages(const struct question *question, struct arena *arena,
                                 const struct found_chunk *chunks, size_t count)
{
    struct selection selection = {.count = 0};
    float *covered = ARENA_ARRAY(arena, float, question->count + 1);
    size_t total;
    const struct ordered *ordered = order_passages(question, arena, chunks, count, &total);

    for (size_t i = 0; i < total && selection.count < CONTENT_MAX; i++) {
        if (selection.count == 0 || is_wanted(question, &selection, covered, &ordered[i].item))
            take(&selection, question, covered, &ordered[i].item);
    }
    if (question->asks_duration && selection.count)
        add_duration(&selection, question, covered, ordered, total);
    return selection;
}
