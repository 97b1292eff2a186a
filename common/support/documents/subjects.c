/* Distances of neighboring sentences, and the largest of them. */
#include "support/documents/subjects.h"
#include "base/list.h"
#include "search/terms.h"
#include "support/matching/synonyms.h"
#include "text/sentences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 3, SENTENCES_LEAST = 4 };

static const double percentile = 0.95;

struct sentence {
    const char *text;
    size_t start;
};

struct sentence_list {
    struct sentence *items;
    size_t count;
};

struct stem_count {
    uint64_t stem;
    int left, right;
};

struct sentence_stems {
    uint64_t *items;
    size_t count;
};

static struct sentence_list read_sentences(struct arena *arena, const char *text, size_t length)
{
    struct sentence_list list = {0};
    struct sentence_reader reader;
    size_t start, end;

    sentence_reader_start(&reader, text, length);
    while (sentence_next(&reader, &start, &end))
        *LIST_ADD(arena, &list) =
            (struct sentence){arena_copy(arena, text + start, end - start), start};
    return list;
}

static bool measure(const struct subject_meter *meter, struct arena *arena,
                    const struct sentence_list *list, double *distances)
{
    const char **texts = ARENA_ARRAY(arena, const char *, list->count);

    for (size_t i = 0; i < list->count; i++)
        texts[i] = list->items[i].text;
    return meter->measure && meter->measure(meter->context, arena, texts, list->count, distances);
}

static struct sentence_stems read_stems(struct arena *arena, enum text_language language,
                                        const char *text)
{
    size_t length = strlen(text);
    struct sentence_stems stems = {ARENA_ARRAY(arena, uint64_t, words_most(length)), 0};
    struct word_reader reader;
    struct word word;
    char stem[WORD_BYTES_MAX + 1];

    word_reader_start(&reader, text, length);
    while (word_next(&reader, &word))
        if (!language_is_stop_word(language, word.text))
            stems.items[stems.count++] = stem_hash(stem, term_stem(language, &word, stem));
    return stems;
}

static void count_stems(struct stem_count *counts, size_t *used, const struct sentence_stems *stems,
                        bool left)
{
    for (size_t i = 0; i < stems->count; i++) {
        size_t at = 0;

        while (at < *used && counts[at].stem != stems->items[i])
            at++;
        if (at == *used)
            counts[(*used)++] = (struct stem_count){stems->items[i], 0, 0};
        counts[at].left += left;
        counts[at].right += !left;
    }
}

/* One minus the cosine of the stems on both sides of the gap after a sentence. */
static double word_distance(struct arena *arena, const struct sentence_stems *stems, size_t count,
                            size_t gap)
{
    size_t from = gap + 1 > WINDOW ? gap + 1 - WINDOW : 0, used = 0, most = 0;
    size_t to = gap + 1 + WINDOW < count ? gap + 1 + WINDOW : count;
    double product = 0, left = 0, right = 0;
    struct stem_count *counts;

    for (size_t i = from; i < to; i++)
        most += stems[i].count;
    counts = ARENA_ARRAY(arena, struct stem_count, most + 1);
    for (size_t i = from; i < to; i++)
        count_stems(counts, &used, &stems[i], i <= gap);
    for (size_t i = 0; i < used; i++) {
        product += counts[i].left * counts[i].right;
        left += counts[i].left * counts[i].left;
        right += counts[i].right * counts[i].right;
    }
    return left > 0 && right > 0 ? 1 - product / sqrt(left * right) : 1;
}

static void measure_words(struct arena *arena, enum text_language language,
                          const struct sentence_list *list, double *distances)
{
    struct arena *scratch = arena_create_below(arena, 64 << 20);
    struct sentence_stems *stems = ARENA_ARRAY(arena, struct sentence_stems, list->count);

    for (size_t i = 0; i < list->count; i++)
        stems[i] = read_stems(arena, language, list->items[i].text);
    for (size_t i = 0; i + 1 < list->count; i++) {
        distances[i] = word_distance(scratch, stems, list->count, i);
        arena_reset(scratch);
    }
    arena_destroy(scratch);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Interpolated between the two nearest ranks. */
static double percentile_of(struct arena *arena, const double *values, size_t count)
{
    double *sorted = ARENA_ARRAY(arena, double, count), at = percentile * (double)(count - 1);
    size_t below = (size_t)at;

    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, by_size);
    return below + 1 < count
               ? sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below])
               : sorted[below];
}

struct subject_list subjects_of(struct arena *arena, const char *text, size_t length,
                                const struct subject_meter *meter)
{
    struct sentence_list list = read_sentences(arena, text, length);
    struct subject_list subjects = {ARENA_ARRAY(arena, size_t, list.count + 1), 1};
    double *distances = ARENA_ARRAY(arena, double, list.count + 1), least;

    subjects.starts[0] = 0;
    if (list.count < SENTENCES_LEAST)
        return subjects;
    if (!measure(meter, arena, &list, distances))
        measure_words(arena, language_detect(text, length), &list, distances);
    least = percentile_of(arena, distances, list.count - 1);
    for (size_t i = 0; i + 1 < list.count; i++)
        if (distances[i] > least)
            subjects.starts[subjects.count++] = list.items[i + 1].start;
    return subjects;
}
