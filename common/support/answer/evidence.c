/* Computes the evidence of passages from their coverage of the question's terms. */
#include "support/answer/evidence.h"
#include "base/text.h"
#include "search/terms.h"
#include "support/answer/vocabulary.h"
#include "support/documents/titles.h"
#include "support/matching/fusion.h"
#include "text/exact_words.h"
#include "text/sentences.h"

#include <math.h>
#include <string.h>

enum {
    RIVALS = 5,           /* chunks compared with the best one */
    SHORT_POINTS = 400,   /* of an entry about one thing */
    SHORT_UNSPACED = 160, /* the same in Chinese, which needs fewer */
    WORDED = 8,           /* chunks used to estimate the rarity of n-grams */
};

/* Evidence from which a question is answered, and from which without review (quality 80). */
static const double answered_from = 0.45, alone_from = 0.58, untouched_share = 2.0 / 3;
/* The cosine with the question, without its share of the mean, from which a short text answers. */
static const double near_cosine = 0.795;
#define MEANING_WORTH 0.3 /* of a standard deviation, for the order of passages */
#define TITLE_WORTH 0.5   /* of standing below the nearest title */
static const double head_worth = 0.6, neighbour_worth = 0.5;
/* The subject of a list or row of a table is often only in the heading; less than a term of their
 * own, which is .75 for fields and rows. */
static const double list_head_worth = 0.74;

/* Two neighboring words of the question, and the weight of finding them as neighbors here. */
struct neighbours {
    uint64_t first, second; /* stems */
    double worth;
};

/* The state of reading one chunk for a question. */
struct reading {
    struct question *question;
    struct arena *arena;
    struct found_chunk *found;

    struct neighbours *neighbours;
    size_t neighbour_count;
    uint64_t *stems; /* of the text read last */
    size_t stem_count;

    bool named[QUESTION_TERMS_MAX]; /* codes in what the chunk is called: they hold for all of it */
    bool all_named;
};

/* Reads the words of a text; computes how well together they cover each term, and which n-grams of
 * the question they contain. */
static void read_words(struct reading *reading, const char *text, size_t length, double *covers,
                       struct ngram_matches *held)
{
    enum text_language language = reading->found->chunk.language;
    size_t count = reading->question->count, most = words_most(length);
    struct word_reader reader;
    struct word word;

    memset(covers, 0, count * sizeof covers[0]);
    reading->stems = ARENA_ARRAY(reading->arena, uint64_t, most);
    reading->stem_count = 0;
    word_reader_start(&reader, text, length);
    while (reading->stem_count < most && exact_word_next(&reader, &word)) {
        const struct known_word *known =
            vocabulary_word(reading->question, reading->arena, language, &word);

        reading->stems[reading->stem_count++] = known->stem;
        for (size_t i = 0; known->covers && i < count; i++)
            covers[i] = fmax(covers[i], known->covers[i]);
        ngram_matches_join(held, &known->held);
    }
}

static const struct question_term *term_of_word(const struct question *question,
                                                const struct word *word)
{
    for (size_t i = 0; i < question->count; i++) {
        if (strcmp(question->terms[i].word.text, word->text) == 0)
            return &question->terms[i];
    }
    return NULL;
}

/* Function words may be neighbors of content words, but not of each other. */
static void find_neighbours(struct reading *reading)
{
    struct question *question = reading->question;
    enum text_language language = reading->found->chunk.language;
    const struct question_term *last = NULL;
    uint64_t before = 0;

    reading->neighbours = ARENA_ARRAY(reading->arena, struct neighbours, question->word_count + 1);
    for (size_t i = 0; i < question->word_count; i++) {
        const struct word *word = &question->words[i];
        const struct question_term *term = term_of_word(question, word);
        uint64_t stem = vocabulary_word(question, reading->arena, language, word)->stem;

        if (i && (term || last))
            reading->neighbours[reading->neighbour_count++] = (struct neighbours){
                before, stem, fmin(term ? term->weight : 1, last ? last->weight : 1)};
        before = stem;
        last = term;
    }
}

static bool stand_together(const struct reading *reading, const struct neighbours *both)
{
    for (size_t i = 0; i + 1 < reading->stem_count; i++) {
        if (reading->stems[i] == both->first && reading->stems[i + 1] == both->second)
            return true;
    }
    return false;
}

/* Word pairs of the question that are neighbors in the sentence. */
static double pairs_of(const struct reading *reading)
{
    double sum = 0;

    for (size_t i = 0; i < reading->neighbour_count; i++) {
        if (stand_together(reading, &reading->neighbours[i]))
            sum += reading->neighbours[i].worth;
    }
    return sum;
}

/* The codes of the question in the document's name and in the headings above the chunk. */
static void read_names(struct reading *reading)
{
    const struct knowledge_chunk *chunk = &reading->found->chunk;
    const char *const names[] = {chunk->title, chunk->source, chunk->header};
    double covers[QUESTION_TERMS_MAX];
    struct ngram_matches held = {0};

    memset(reading->named, 0, sizeof reading->named);
    reading->all_named = reading->question->has_codes;
    for (size_t n = 0; n < sizeof names / sizeof names[0] && reading->question->has_codes; n++) {
        if (!names[n])
            continue;
        read_words(reading, names[n], strlen(names[n]), covers, &held);
        for (size_t i = 0; i < reading->question->count; i++)
            reading->named[i] |= reading->question->terms[i].code && covers[i] == 1;
    }
    for (size_t i = 0; i < reading->question->count; i++)
        reading->all_named &= !reading->question->terms[i].code || reading->named[i];
}

/* Scores a sentence: by its own words, and by the heading for terms missing in it. */
static void read_sentence(struct reading *reading, const double *head, size_t passage,
                          const char *text, size_t length)
{
    const struct question *question = reading->question;
    struct found_chunk *found = reading->found;
    struct found_sentence *sentence = &found->sentences[found->sentence_count++];
    struct found_passage *owner = &found->passages[passage];
    double covers[QUESTION_TERMS_MAX];
    double worth = strchr(owner->passage->text, '\n') ? list_head_worth : head_worth;

    read_words(reading, text, length, covers, &owner->held);
    *sentence =
        (struct found_sentence){passage, ARENA_ARRAY(reading->arena, float, question->count + 1)};
    for (size_t i = 0; i < question->count; i++) {
        double cover = covers[i];

        owner->has_code |=
            reading->all_named || (question->terms[i].code && !reading->named[i] && cover == 1);
        if (cover < worth)
            cover = fmax(cover, worth * (reading->named[i] ? 1 : head[i]));
        sentence->cover[i] = (float)cover;
        owner->cover[i] = fmaxf(owner->cover[i], (float)cover);
    }
    if (question->total > 0)
        owner->pairs = fmax(owner->pairs, pairs_of(reading) / question->total);
}

static void read_passage(struct reading *reading, size_t index)
{
    const struct question *question = reading->question;
    struct found_passage *passage = &reading->found->passages[index];
    const struct passage *text = passage->passage;
    double head[QUESTION_TERMS_MAX];
    struct sentence_reader reader;
    size_t start, end;

    read_words(reading, text->head, strlen(text->head), head, &passage->held);
    passage->cover = ARENA_ARRAY(reading->arena, float, question->count + 1);
    sentence_reader_start(&reader, text->text, text->length);
    while (sentence_next(&reader, &start, &end))
        read_sentence(reading, head, index, text->text + start, end - start);
    passage->has_duration = question->asks_duration && text_has_duration(text->text, text->length);
}

/* The best coverage of a term in the sentences before and after. */
static double near_cover(const struct found_chunk *found, size_t sentence, size_t term)
{
    double best = 0;

    if (sentence > 0)
        best = found->sentences[sentence - 1].cover[term];
    if (sentence + 1 < found->sentence_count)
        best = fmax(best, found->sentences[sentence + 1].cover[term]);
    return best;
}

static double share_of(const struct question *question, const float *cover)
{
    double sum = 0;

    for (size_t t = 0; t < question->count; t++)
        sum += question->terms[t].weight * cover[t];
    return question->total > 0 ? sum / question->total : 0;
}

/* Terms covered only by other chunks; the remaining terms are in no document. */
static double elsewhere_share(const struct question *question, const float *cover)
{
    double sum = 0;

    for (size_t t = 0; t < question->count; t++)
        sum += question->terms[t].in_index ? question->terms[t].weight * (1 - cover[t]) : 0;
    return question->total > 0 ? sum / question->total : 0;
}

static void scan_neighbors(const struct question *question, struct arena *arena,
                           struct found_chunk *found)
{
    float *all = ARENA_ARRAY(arena, float, question->count + 1);
    float *near = ARENA_ARRAY(arena, float, question->count + 1);

    for (size_t i = 0; i < found->sentence_count; i++) {
        struct found_passage *passage = &found->passages[found->sentences[i].passage];

        for (size_t t = 0; t < question->count; t++) {
            all[t] = fmaxf(all[t], found->sentences[i].cover[t]);
            near[t] = (float)fmax(found->sentences[i].cover[t],
                                  neighbour_worth * near_cover(found, i, t));
        }
        passage->near = fmax(passage->near, share_of(question, near));
    }
    found->share = share_of(question, all);
    found->elsewhere = elsewhere_share(question, all);
    for (size_t p = 0; p < found->list.count; p++) {
        found->passages[p].share = share_of(question, found->passages[p].cover);
        ngram_matches_join(&found->held, &found->passages[p].held);
    }
}

/* By words; the meaning of a chunk is that of all its passages. */
static double score_of(const struct question *question, const struct found_chunk *found,
                       const struct found_passage *passage, double best_lexical)
{
    bool dated = question->asks_duration && passage->has_duration && passage->share > 0;

    return 0.6 * passage->near + 0.4 * found->share + 0.3 * fmin(passage->pairs, 1) +
           (best_lexical > 0 ? 0.2 * found->lexical / best_lexical : 0) + (dated ? 0.25 : 0);
}

static double by_meaning_worth(const struct found_chunk *found)
{
    return found->by_meaning ? MEANING_WORTH * found->meaning : 0;
}

/* Passages below the title that is nearest to the question come before others of the chunk. */
static void prefer_below_title(struct arena *arena, struct found_chunk *found)
{
    struct title_list titles;

    if (!found->by_meaning || found->near.title <= -1)
        return;
    titles_of(arena, found->chunk.body, strlen(found->chunk.body), &titles);
    if (titles.count < 2 || found->near.place >= titles.count)
        return;
    for (size_t i = 0; i < found->list.count; i++)
        if (title_is_above(titles.items[found->near.place], found->passages[i].passage))
            found->passages[i].score += TITLE_WORTH;
}

/* The meaning of a chunk as if it were a share of the question's terms. */
static double meant_share(const struct found_chunk *found)
{
    return fmax(0, fmin(1, (found->meaning - 1) / 3));
}

void evidence_read(struct question *question, struct arena *arena,
                   const struct knowledge_chunk *chunk, const struct chunk_scores *scores,
                   struct found_chunk *found)
{
    struct reading reading = {.question = question, .arena = arena, .found = found};
    const double best_lexical = scores->best_lexical;
    size_t length = strlen(chunk->body);
    double best = 0;

    *found = (struct found_chunk){.chunk = *chunk,
                                  .lexical = scores->lexical,
                                  .by_meaning = scores->by_meaning,
                                  .near = scores->near,
                                  .meaning = scores->meaning,
                                  .nearest = scores->nearest};
    found->list = passages_of(arena, chunk->body, length);
    found->passages = ARENA_ARRAY(arena, struct found_passage, found->list.count + 1);
    /* Tables repeat their header in every row, so passages may be longer than the body. */
    for (size_t i = 0; i < found->list.count; i++)
        length += found->list.items[i].length;
    found->sentences = ARENA_ARRAY(arena, struct found_sentence, length / 2 + 2);
    find_neighbours(&reading);
    read_names(&reading);
    for (size_t i = 0; i < found->list.count; i++) {
        found->passages[i].passage = &found->list.items[i];
        read_passage(&reading, i);
    }
    scan_neighbors(question, arena, found);
    for (size_t i = 0; i < found->list.count; i++) {
        struct found_passage *passage = &found->passages[i];

        passage->score = score_of(question, found, passage, best_lexical);
        found->score = fmax(found->score, passage->score);
        best = fmax(best, passage->share);
        passage->score += by_meaning_worth(found);
    }
    prefer_below_title(arena, found);
    found->rank = (best_lexical > 0 ? found->lexical / best_lexical : 0) + 0.5 * found->score;
    if (found->by_meaning) {
        found->rank += FUSION_WEIGHT * found->meaning;
        best = fmax(best, meant_share(found));
    }
    found->relevance = round(fmin(best, 1) * 1000) / 1000;
}

/* Whether two chunks have the same text: neighbors overlap, copies are equal. */
static bool is_same_content(const struct knowledge_chunk *a, const struct knowledge_chunk *b)
{
    if (a->document == b->document)
        return a->chunk_index - b->chunk_index <= 1 && b->chunk_index - a->chunk_index <= 1;
    return strcmp(a->body, b->body) == 0;
}

/* A chunk as found by a search. */
struct scored {
    const struct knowledge_chunk *chunk; /* NULL when it was not read */
    double score;
};

/* The margin of the first one: 1 when nothing else is found, 0 when others fit equally well. */
static double margin_of(const struct search_index *index, const struct scored *scored, size_t count)
{
    double sum = 0;
    int rivals = search_index_count(index, RIVALS + 1) - 1, seen = 0;

    if (!count || rivals < 1 || scored[0].score <= 0)
        return 0.5;
    for (size_t i = 1; i < count && seen < rivals; i++) {
        if (scored[0].chunk && scored[i].chunk && is_same_content(scored[0].chunk, scored[i].chunk))
            continue;
        sum += scored[i].score;
        seen++;
    }
    return 1 - sum / rivals / scored[0].score;
}

static double lexical_margin(const struct search_index *index, struct arena *arena,
                             const struct found_chunk *chunks, size_t count)
{
    struct scored *scored = ARENA_ARRAY(arena, struct scored, count + 1);

    for (size_t i = 0; i < count; i++)
        scored[i] = (struct scored){&chunks[i].chunk, chunks[i].lexical};
    return margin_of(index, scored, count);
}

/* For a search with only the four-grams, which match across endings and spellings; without
 * four-grams (character pairs) the score of all terms. */
static double gram_margin(const struct question *question, const struct search_index *index,
                          struct arena *arena, const struct found_chunk *chunks, size_t count,
                          double lexical)
{
    struct search_hit hits[1 + 2 * RIVALS]; /* some are copies of the first, or overlap it */
    struct scored scored[1 + 2 * RIVALS];
    size_t term_count, found;
    const struct search_term *terms = question_gram_terms(question, arena, &term_count);

    found = search_index_best(index, arena, terms, term_count, hits, 1 + 2 * RIVALS);
    for (size_t i = 0; i < found; i++) {
        scored[i] = (struct scored){NULL, hits[i].score};
        for (size_t j = 0; j < count && !scored[i].chunk; j++)
            scored[i].chunk = chunks[j].chunk.key == hits[i].chunk ? &chunks[j].chunk : NULL;
    }
    return found ? margin_of(index, scored, found) : lexical;
}

/* The n-gram overlap of the best passage, relative to the chunks found with it. */
static double ngram_overlap_of_best(const struct question *question,
                                    const struct found_chunk *chunks, size_t count,
                                    const struct found_passage *best)
{
    struct ngram_matches texts[WORDED];
    size_t text_count = 0;

    while (text_count < count && text_count < WORDED) {
        texts[text_count] = chunks[text_count].held;
        text_count++;
    }
    return ngram_overlap(question->ngrams, &best->held, texts, text_count);
}

/* Words of Thai are pairs of its letters, of which any text of some length covers a part. */
static double above_chance(const struct question *question, double covered)
{
    static const double by_chance = 0.35;

    return question->language == TEXT_TH ? fmax(0, covered - by_chance) / (1 - by_chance) : covered;
}

static double logistic(double z)
{
    return 1 / (1 + exp(-z));
}

/* Logistic regressions of "the knowledge base contains the answer" on the features, the same for
 * all languages, without and with vectors. They are shifted so that both errors have about equal
 * weight at the minimum evidence of an answer, .45. docs/develop/search.md describes the training
 * data and the cross-validation. */
static double by_words(const struct evidence *evidence)
{
    return logistic(4.6 * evidence->near + 5.4 * evidence->chunk + 3.1 * evidence->elsewhere +
                    2.8 * evidence->margin + 2.4 * evidence->grams + 2.1 * evidence->agreement +
                    4.7 * evidence->overlap + 0.3 * evidence->terms - 12.5);
}

static double by_both(const struct evidence *evidence)
{
    return logistic(4.4 * evidence->near + 4.9 * evidence->chunk + 2.8 * evidence->elsewhere +
                    0.9 * evidence->margin + 0.7 * evidence->agreement + 4.6 * evidence->overlap +
                    0.4 * evidence->terms + 3.8 * evidence->cosine +
                    3.2 * fmin(0, evidence->cosine - 0.78) + 0.7 * evidence->lead - 12.55);
}

void evidence_order(struct found_chunk *chunks, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct found_chunk chunk = chunks[i];
        size_t place = i;

        for (; place > 0 && chunks[place - 1].lexical < chunk.lexical; place--)
            chunks[place] = chunks[place - 1];
        chunks[place] = chunk;
    }
}

/* A short text is about one thing, and so is what stands below a title: when it is near enough, it
 * answers the question in whatever words. A person looks at such an answer before it is sent. */
static double by_meaning(const struct evidence *evidence, const struct knowledge_chunk *chunk)
{
    size_t points = utf8_count(chunk->body);
    bool unspaced = strlen(chunk->body) > 2 * points;

    if (evidence->cosine < near_cosine ||
        (evidence->title <= -1 && points > (unspaced ? SHORT_UNSPACED : SHORT_POINTS)))
        return 0;
    return fmin(alone_from - 0.01, answered_from + 4 * (evidence->cosine - near_cosine));
}

static double value_of(const struct evidence *evidence, const struct knowledge_chunk *chunk)
{
    if (!evidence->by_meaning)
        return by_words(evidence);
    return fmax(by_both(evidence), by_meaning(evidence, chunk));
}

/* An answer that leaves a third of the question uncovered needs a review: its quality stays below
 * the threshold for sending, in its order. */
static double hold_back(double value, double share)
{
    if (share >= untouched_share || value <= answered_from)
        return value;
    return answered_from +
           (value - answered_from) * (alone_from - answered_from) / (1 - answered_from);
}

static void weigh_meaning(struct evidence *evidence, const struct found_chunk *best,
                          const struct found_chunk *chunks, size_t count)
{
    double next = -10;

    evidence->by_meaning = best->by_meaning;
    if (!best->by_meaning)
        return;
    evidence->cosine = search_nearness_both(&best->near);
    evidence->title = best->near.title;
    evidence->meaning = best->meaning;
    for (size_t i = 0; i < count; i++)
        if (&chunks[i] != best && !is_same_content(&best->chunk, &chunks[i].chunk))
            next = fmax(next, chunks[i].meaning);
    evidence->lead = next > -10 ? best->meaning - next : 0;
}

struct evidence evidence_weigh(const struct question *question, const struct search_index *index,
                               struct arena *arena, const struct found_chunk *chunks, size_t count)
{
    const struct found_chunk *best_chunk = NULL;
    const struct found_passage *best = NULL;
    struct evidence evidence = {.value = 0};

    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < chunks[i].list.count; j++) {
            if (!best || chunks[i].passages[j].score > best->score) {
                best = &chunks[i].passages[j];
                best_chunk = &chunks[i];
            }
        }
    }
    if (!best || question->total <= 0)
        return evidence;
    evidence.near = above_chance(question, best->near);
    evidence.chunk = above_chance(question, best_chunk->share);
    evidence.elsewhere = best_chunk->elsewhere;
    evidence.margin = lexical_margin(index, arena, chunks, count);
    evidence.grams = gram_margin(question, index, arena, chunks, count, evidence.margin);
    evidence.agreement = chunks[0].lexical > 0 ? best_chunk->lexical / chunks[0].lexical : 0.5;
    evidence.overlap = ngram_overlap_of_best(question, chunks, count, best);
    evidence.terms = log((double)question->count);
    weigh_meaning(&evidence, best_chunk, chunks, count);
    evidence.value = value_of(&evidence, &best_chunk->chunk);
    if (question->missing_code) /* nothing else compensates for it */
        evidence.value *= 0.1;
    evidence.sure = hold_back(evidence.value, best_chunk->share);
    return evidence;
}
