/* Vocabulary: a hash table of words, and their match with each term. */
#include "support/answer/vocabulary.h"
#include "search/terms.h"

#include <math.h>
#include <string.h>

enum { BUCKETS = 1024 }; /* twenty chunks have about eight hundred distinct words */

struct vocabulary {
    struct known_word *buckets[BUCKETS];
};

/* The match of a synonym, and of a similar word. */
static const double synonym_worth = 0.9, alike_worth = 0.8;

static double cover_of(struct question_term *term, enum text_language language, uint64_t stem,
                       int group, const struct shape *shape)
{
    double best = 0;

    if (stem == question_stem(term, language))
        return 1;
    if (term->group && group == term->group)
        best = synonym_worth;
    return term->code ? best : fmax(best, alike_worth * shape_likeness(&term->shape, shape));
}

/* Half of all words are function words, which match no term. */
static const double *covers_of(struct question *question, struct arena *arena,
                               const struct known_word *known, const struct word *word)
{
    double covers[QUESTION_TERMS_MAX], most = 0;
    int group = synonym_group(question->synonyms, known->stem);
    struct shape shape = {.count = 0};

    if (!language_is_stop_word(known->language, word->text))
        shape_of(word, &shape);
    for (size_t i = 0; i < question->count; i++) {
        covers[i] = cover_of(&question->terms[i], known->language, known->stem, group, &shape);
        most = fmax(most, covers[i]);
    }
    return most > 0 ? memcpy(ARENA_ARRAY(arena, double, question->count), covers,
                             question->count * sizeof covers[0])
                    : NULL;
}

const struct known_word *vocabulary_word(struct question *question, struct arena *arena,
                                         enum text_language language, const struct word *word)
{
    size_t bucket = (stem_hash(word->text, word->length) + (uint64_t)language) % BUCKETS;
    char stem[WORD_BYTES_MAX + 1];
    struct known_word *known;

    if (!question->vocabulary)
        question->vocabulary = ARENA_NEW(arena, struct vocabulary);
    for (known = question->vocabulary->buckets[bucket]; known; known = known->next) {
        if (known->length == word->length && known->language == language &&
            memcmp(known->text, word->text, word->length) == 0)
            return known;
    }
    known = ARENA_NEW(arena, struct known_word);
    *known = (struct known_word){.stem = stem_hash(stem, term_stem(language, word, stem)),
                                 .text = arena_copy(arena, word->text, word->length),
                                 .length = word->length,
                                 .language = language,
                                 .held = ngram_matches_of(question->ngrams, word),
                                 .next = question->vocabulary->buckets[bucket]};
    known->covers = covers_of(question, arena, known, word);
    question->vocabulary->buckets[bucket] = known;
    return known;
}
