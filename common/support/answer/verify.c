/* Verifies quoted sentences against the documents that they are from. */
#include "base/text.h"
#include "search/terms.h"
#include "support/answer/answer.h"
#include "support/answer/citations.h"
#include "text/exact_words.h"
#include "text/fold.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 512, EVIDENCE_MAX = 200 };

static const double support_least = 0.8;

/* The stems of a text, sorted, for looking up. */
struct stem_set {
    uint64_t *stems;
    size_t count;
};

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void add_stems(struct stem_set *set, enum text_language language, const char *text,
                      size_t length)
{
    struct word_reader reader;
    struct word word;
    char stem[WORD_BYTES_MAX + 1];

    word_reader_start(&reader, text, length);
    while (exact_word_next(&reader, &word))
        set->stems[set->count++] = stem_hash(stem, term_stem(language, &word, stem));
}

/* Checks the original text, and its passages, whose lines are joined. */
static struct stem_set read_set(struct arena *arena, const struct found_chunk *chunk)
{
    size_t length = strlen(chunk->chunk.body), most = words_most(length);
    struct stem_set set;

    for (size_t i = 0; i < chunk->list.count; i++)
        most += words_most(chunk->list.items[i].length);
    set = (struct stem_set){ARENA_ARRAY(arena, uint64_t, most), 0};
    add_stems(&set, chunk->chunk.language, chunk->chunk.body, length);
    for (size_t i = 0; i < chunk->list.count; i++)
        add_stems(&set, chunk->chunk.language, chunk->list.items[i].text,
                  chunk->list.items[i].length);
    qsort(set.stems, set.count, sizeof set.stems[0], by_value);
    return set;
}

static bool holds(const struct stem_set *set, uint64_t stem)
{
    return bsearch(&stem, set->stems, set->count, sizeof stem, by_value) != NULL;
}

/* Whether one document contains nearly all of a sentence's significant words and all of its
 * numbers. */
static bool supports(const struct stem_set *set, enum text_language language, const char *sentence,
                     size_t length)
{
    enum text_language spoken = language_detect(sentence, length);
    struct word_reader reader;
    struct word word;
    char stem[WORD_BYTES_MAX + 1];
    int words = 0, found = 0;

    word_reader_start(&reader, sentence, length);
    while (exact_word_next(&reader, &word)) {
        bool is_there = holds(set, stem_hash(stem, term_stem(language, &word, stem)));

        if (word.digits && !is_there)
            return false;
        if (language_is_stop_word(spoken, word.text))
            continue;
        words++;
        found += is_there;
    }
    return found >= support_least * words;
}

static const char *evidence_of(struct arena *arena, const struct found_chunk *chunk,
                               const char *sentence)
{
    const char *excerpt = answer_excerpt(arena, chunk->chunk.body, sentence);

    return arena_copy(arena, excerpt, utf8_prefix(excerpt, EVIDENCE_MAX));
}

static struct stem_set *read_sets(struct arena *arena, const struct found_chunk *const *chunks,
                                  size_t count)
{
    struct stem_set *sets = ARENA_ARRAY(arena, struct stem_set, count + 1);

    for (size_t i = 0; i < count; i++)
        sets[i] = read_set(arena, chunks[i]);
    return sets;
}

/* Fills in the chunk that supports a claim, and its words. */
static void check(struct arena *arena, const struct stem_set *sets,
                  const struct found_chunk *const *chunks, size_t count, struct claim *claim)
{
    size_t by = 0, length = strlen(claim->text);

    while (by < count && !supports(&sets[by], chunks[by]->chunk.language, claim->text, length))
        by++;
    claim->supported = by < count;
    claim->evidence = claim->supported ? evidence_of(arena, chunks[by], claim->text) : "";
}

int answer_verify(struct arena *arena, const char *text, const struct found_chunk *const *chunks,
                  size_t count, struct claim *claims, size_t most, size_t *claim_count)
{
    const char *plain = citation_strip(arena, text);
    size_t length = strlen(plain), at = 0;
    const struct stem_set *sets = read_sets(arena, chunks, count);
    int total = 0, supported = 0;

    *claim_count = 0;
    while (at < length) {
        size_t end = citation_sentence_end(plain, length, at);
        struct claim claim = {.text = arena_copy(arena, plain + at, end - at)};

        check(arena, sets, chunks, count, &claim);
        total++;
        supported += claim.supported;
        if (*claim_count < most)
            claims[(*claim_count)++] = claim;
        at = end;
    }
    return total ? 100 * supported / total : 100;
}
