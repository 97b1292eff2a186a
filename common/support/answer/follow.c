/*
 * The lane of RAG_RETRIEVAL_STRATEGY=graph: follows names from one document to the next. "What
 * warranty does the supplier of the drill grant?": one document says who supplies the drill, and
 * another one what that supplier grants, without a word about drills. Names are words with a
 * capital; so a document and the others that share a name with it are neighbors.
 */
#include "base/list.h"
#include "base/string_list.h"
#include "support/answer/graph_state.h"
#include "support/answer/names.h"
#include "support/documents/graph_lane.h"

#include <math.h>
#include <string.h>

/* Every name is one more search. */
enum { NAMES_MAX = 6, HITS_MAX = 8 };

/* A word is open below this coverage, and a name must be in the other document. */
static const double covered_least = 0.5, name_least = 0.6;
/* Of the weight of the open words, for a passage to be added. */
static const double share_least = 0.5;

struct lane {
    struct graph_state *state;
    const struct found_chunk *first; /* the best chunk of the answer */
    const char *open;                /* words of the question that its document leaves open */
    struct string_list names;
    /* The best passage so far. */
    const struct found_chunk *chunk;
    size_t passage;
    double share;
    int quality;
};

static double cover_of(const struct found_chunk *chunk, size_t term)
{
    double most = 0;

    for (size_t i = 0; i < chunk->list.count; i++)
        most = fmax(most, chunk->passages[i].cover[term]);
    return most;
}

static bool is_open(const struct lane *lane, size_t term)
{
    const struct graph_state *state = lane->state;
    const struct question_term *item = &state->question.terms[term];

    if (item->asks || item->times < 1 || cover_of(lane->first, term) >= covered_least)
        return false;
    for (size_t i = 0; i < state->found_count; i++)
        if (state->found[i].chunk.document == lane->first->chunk.document &&
            cover_of(&state->found[i], term) >= covered_least)
            return false;
    return true;
}

static const char *open_words(const struct lane *lane)
{
    struct text text;

    text_start(&text, lane->state->arena, 1 << 16);
    for (size_t i = 0; i < lane->state->question.count; i++)
        if (is_open(lane, i))
            text_append_format(&text, "%s ", lane->state->question.terms[i].word.text);
    return text.bytes;
}

static bool is_asked(const struct question *question, const struct word *word)
{
    for (size_t i = 0; i < question->word_count; i++)
        if (strcmp(question->words[i].text, word->text) == 0)
            return true;
    return false;
}

/* The names in the passage that the answer begins with. */
static void read_names(struct lane *lane, const char *text)
{
    struct arena *arena = lane->state->arena;
    struct word_reader reader;
    struct word word;

    word_reader_start(&reader, text, strlen(text));
    while (lane->names.count < NAMES_MAX && word_next(&reader, &word))
        if (name_is_capital(text, &word) && !is_asked(&lane->state->question, &word) &&
            !language_is_stop_word(lane->first->chunk.language, word.text) &&
            !string_list_has(&lane->names, word.text))
            *ARRAY_ADD(arena, lane->names.items, lane->names.count) =
                arena_copy_string(arena, word.text);
}

static enum error search(const struct lane *lane, struct question *question,
                         struct found_chunk *found, size_t *count)
{
    const struct knowledge *knowledge = &lane->state->knowledge;
    struct arena *arena = lane->state->arena;
    struct search_hit hits[HITS_MAX];
    size_t term_count, hit_count;
    const struct search_term *terms =
        question_search_terms(question, arena, knowledge->index, &term_count);

    *count = 0;
    hit_count = search_index_best(knowledge->index, arena, terms, term_count, hits, HITS_MAX);
    for (size_t i = 0; i < hit_count; i++) {
        const struct chunk_scores scores = {.lexical = hits[i].score,
                                            .best_lexical = hits[0].score};
        struct knowledge_chunk chunk;
        bool is_there;
        enum error error = knowledge_read(knowledge, hits[i].chunk, &chunk, &is_there);

        if (error)
            return error;
        if (is_there)
            evidence_read(question, arena, &chunk, &scores, &found[(*count)++]);
    }
    return ERROR_NONE;
}

/* The share of the open words that the passage covers, in a chunk about the name; 0 for others. */
static double share_of(const struct question *question, const char *name,
                       const struct selected *item)
{
    double sum = 0, total = 0;

    for (size_t i = 0; i < question->count; i++) {
        const struct question_term *term = &question->terms[i];
        double cover = item->passage->cover[i];

        if (strcmp(term->word.text, name) == 0) {
            if (cover_of(item->chunk, i) < name_least)
                return 0;
            continue;
        }
        total += term->weight;
        sum += cover >= covered_least ? term->weight * cover : 0;
    }
    return total > 0 ? sum / total : 0;
}

/* What the documents say of the open words together with a name. */
static enum error follow(struct lane *lane, const char *name)
{
    const struct support_settings *settings = lane->state->tools->settings;
    struct arena *arena = lane->state->arena;
    struct question *question = ARENA_NEW(arena, struct question);
    struct found_chunk *found = ARENA_ARRAY(arena, struct found_chunk, HITS_MAX);
    struct found_chunk *graded = ARENA_ARRAY(arena, struct found_chunk, HITS_MAX);
    const struct selected *item;
    struct answer answer;
    double share;
    size_t count;
    enum error error;

    question_read(question, arena, arena_print(arena, "%s%s", lane->open, name), NULL,
                  lane->state->tools->synonyms);
    question_look_up(question, arena, lane->state->knowledge.index);
    error = search(lane, question, found, &count);
    if (error)
        return error;
    evidence_order(found, count);
    memcpy(graded, found, count * sizeof *found);
    answer_rank(graded, count);
    answer = answer_compose(question, lane->state->knowledge.index, arena, graded,
                            answer_grade(graded, count), found, count,
                            settings->embedded_min_evidence, (size_t)settings->rerank_top_k);
    item = &answer.selection.items[0];
    if (answer.refused || item->chunk->chunk.document == lane->first->chunk.document)
        return ERROR_NONE;
    share = share_of(question, name, item);
    if (share < share_least || share <= lane->share)
        return ERROR_NONE;
    lane->chunk = item->chunk;
    lane->passage = (size_t)(item->passage - item->chunk->passages);
    lane->share = share;
    lane->quality = answer.quality;
    return ERROR_NONE;
}

/* The passage, read with the words of the whole question, behind what the answer has of its first
 * document. */
static void add(struct lane *lane)
{
    struct graph_state *state = lane->state;
    struct graph_outcome *outcome = state->outcome;
    const struct chunk_scores scores = {.lexical = lane->chunk->lexical};
    struct found_chunk *chunk = ARENA_NEW(state->arena, struct found_chunk);

    evidence_read(&state->question, state->arena, &lane->chunk->chunk, &scores, chunk);
    if (lane->passage >= chunk->list.count)
        return;
    answer_follow(&state->answer, state->arena, &state->question,
                  &(struct selected){chunk, &chunk->passages[lane->passage]},
                  (size_t)state->tools->settings->rerank_top_k);
    if (lane->quality < state->answer.quality)
        state->answer.quality = lane->quality;
    if (!string_list_has(&outcome->used, chunk->chunk.doc_id))
        *ARRAY_ADD(state->arena, outcome->used.items, outcome->used.count) = chunk->chunk.doc_id;
    state->followed = true;
}

enum error follow_names(struct graph_state *state)
{
    const struct selection *selection = &state->answer.selection;
    struct lane lane = {.state = state};
    enum error error = ERROR_NONE;

    state->followed = false;
    if (!graph_lane_is_used(state->tools->settings) || state->answer.refused || !selection->count ||
        selection->by_section)
        return ERROR_NONE;
    lane.first = selection->items[0].chunk;
    lane.open = open_words(&lane);
    if (!*lane.open)
        return ERROR_NONE;
    read_names(&lane, selection->items[0].passage->passage->text);
    for (size_t i = 0; !error && i < lane.names.count; i++)
        error = follow(&lane, lane.names.items[i]);
    if (!error && lane.chunk)
        add(&lane);
    return error;
}
