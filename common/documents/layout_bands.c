/* Bands of words: grouping, and their text in reading order. Runs in a child process that exits
 * afterwards, so nothing is freed. */
#include "documents/layout_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float same_band = 0.35F;   /* of a height: distance of centers within a band */
static const float wide_gap = 0.65F;    /* em: more than a blank */
static const float figure_gap = 0.36F;  /* em: the same between figures */
static const float unspaced_gap = 0.3F; /* em: a blank in a script without blanks */
static const float raised = 0.72F;      /* of the height of the word before: a raised figure */

void *layout_memory(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);

    if (!memory)
        abort();
    return memory;
}

static int compare_floats(const void *a, const void *b)
{
    float left = *(const float *)a, right = *(const float *)b;

    return (left > right) - (left < right);
}

float layout_em(const struct word *words, size_t count)
{
    float *heights = layout_memory(count, sizeof *heights), em;

    for (size_t i = 0; i < count; i++)
        heights[i] = words[i].bottom - words[i].top;
    qsort(heights, count, sizeof *heights, compare_floats);
    em = count && heights[count / 2] > 0 ? heights[count / 2] : 1;
    free(heights);
    return em;
}

static float middle(const struct word *word)
{
    return (word->top + word->bottom) / 2;
}

static int compare_middles(const void *a, const void *b)
{
    float left = middle(a), right = middle(b);

    return (left > right) - (left < right);
}

static int compare_lefts(const void *a, const void *b)
{
    float left = ((const struct word *)a)->left, right = ((const struct word *)b)->left;

    return (left > right) - (left < right);
}

/* The mark of a list's item: a symbol, "1.", "a)". */
static bool is_mark(const char *text)
{
    static const char *const symbols[] = {"-",
                                          "*",
                                          "\xe2\x80\xa2",
                                          "\xe2\x80\x93",
                                          "\xe2\x97\xa6",
                                          "\xe2\x96\xaa",
                                          "\xe2\x97\x8f",
                                          "\xef\x82\xb7",
                                          "\xe2\x97\x8b",
                                          "\xe2\x96\xa0",
                                          "\xc2\xb7",
                                          "\xe2\x88\x99"};
    size_t length = strlen(text), digits = strspn(text, "0123456789");

    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
        if (strcmp(text, symbols[i]) == 0)
            return true;
    if (digits == 0 && length == 2 && (text[0] | 32) >= 'a' && (text[0] | 32) <= 'z')
        digits = 1;
    return digits && digits <= 2 && length == digits + 1 && strchr(".)", text[digits]);
}

/* An item and its mark are one segment. */
static void join_mark(struct band *band)
{
    if (band->segment_count != 2 || band->segments[0].end != 1 || !is_mark(band->words[0].text))
        return;
    band->segments[0].end = band->segments[1].end;
    band->segments[0].right = band->segments[1].right;
    band->segment_count = 1;
}

/* The gap that separates two words as cells: figures of neighboring columns may be close, but are
 * rarely neighbors in a sentence. */
static float gap_between(const struct word *before, const struct word *word)
{
    return layout_is_figure(before->text) && layout_is_figure(word->text) ? figure_gap : wide_gap;
}

static void cut_segments(struct band *band, float em)
{
    band->segments = layout_memory(band->count, sizeof *band->segments);
    for (size_t i = 0; i < band->count; i++) {
        const struct word *word = &band->words[i];
        struct segment *last =
            band->segment_count ? &band->segments[band->segment_count - 1] : NULL;

        if (last && word->left - last->right <= gap_between(word - 1, word) * em) {
            last->end = i + 1;
            last->right = fmaxf(last->right, word->right);
        } else {
            band->segments[band->segment_count++] =
                (struct segment){i, i + 1, word->left, word->right};
        }
    }
    join_mark(band);
}

static void measure(struct band *band, float em)
{
    qsort(band->words, band->count, sizeof *band->words, compare_lefts);
    band->top = band->words[0].top;
    band->bottom = band->words[0].bottom;
    for (size_t i = 1; i < band->count; i++) {
        band->top = fminf(band->top, band->words[i].top);
        band->bottom = fmaxf(band->bottom, band->words[i].bottom);
    }
    cut_segments(band, em);
}

bool words_are_from_right(const struct word *words, size_t count, size_t share)
{
    size_t from_right = 0, others = 0;

    for (size_t i = 0; i < count; i++) {
        if (word_is_from_right(words[i].text))
            from_right++;
        else if (word_first_point(words[i].text) >= 'A')
            others++;
    }
    return from_right * share > others;
}

struct bands bands_make(struct word *words, size_t count)
{
    struct bands bands = {.em = layout_em(words, count)};
    float center = 0, height = 0;

    bands.items = layout_memory(count, sizeof *bands.items);
    qsort(words, count, sizeof *words, compare_middles);
    for (size_t i = 0; i < count; i++) {
        struct band *band = bands.count ? &bands.items[bands.count - 1] : NULL;
        float own = words[i].bottom - words[i].top;

        if (band && middle(&words[i]) - center < same_band * fmaxf(height, own)) {
            band->count++;
            if (own > height) { /* a raised mark is in the band of its word */
                height = own;
                center = middle(&words[i]);
            }
        } else {
            bands.items[bands.count++] = (struct band){.words = words + i, .count = 1};
            center = middle(&words[i]);
            height = own;
        }
    }
    for (size_t i = 0; i < bands.count; i++)
        measure(&bands.items[i], bands.em);
    return bands;
}

static void reverse(const struct word **words, size_t from, size_t to)
{
    while (from + 1 < to) {
        const struct word *kept = words[from];

        words[from++] = words[--to];
        words[to] = kept;
    }
}

/* Whether a word keeps to the direction that is not `from_right`; figures keep to the text around
 * them. */
static bool is_against(const struct word *word, bool from_right)
{
    bool has_letters = word_first_point(word->text) >= 'A' || word_last_point(word->text) >= 'A';

    return word_is_from_right(word->text) ? !from_right : from_right && has_letters;
}

static void order(const struct word **words, size_t count, bool from_right)
{
    if (from_right)
        reverse(words, 0, count);
    for (size_t i = 0, end; i < count; i = end) {
        end = i + 1;
        if (!is_against(words[i], from_right))
            continue;
        for (size_t next = end; next < count; next++) {
            if (is_against(words[next], from_right))
                end = next + 1;
            else if (word_is_from_right(words[next]->text) ||
                     word_first_point(words[next]->text) >= 'A')
                break;
        }
        reverse(words, i, end);
    }
}

/* Whether no blank belongs between two neighbors. */
static bool is_close(const struct word *before, const struct word *word, float em)
{
    float gap = fmaxf(word->left - before->right, before->left - word->right);
    unsigned last = word_last_point(before->text), first = word_first_point(word->text);

    if (gap < 0.02F * em)
        return gap > -0.3F * em;
    return gap < unspaced_gap * em && word_is_unspaced(last) && word_is_unspaced(first);
}

/* A figure that refers to a note is not part of the figure before it. */
static bool is_raised(const struct word *before, const struct word *word)
{
    float height = before->bottom - before->top;
    size_t digits = strspn(word->text, "0123456789");

    return digits && digits <= 2 && !word->text[digits] &&
           word->bottom - word->top < raised * height &&
           word->bottom < before->bottom - 0.2F * height;
}

static size_t put_raised(char *to, const char *figures)
{
    static const char *const forms[] = {
        "\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",     "\xe2\x81\xb4",
        "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7", "\xe2\x81\xb8", "\xe2\x81\xb9"};
    size_t length = 0;

    for (; *figures; figures++) {
        const char *form = forms[*figures - '0'];

        memcpy(to + length, form, strlen(form));
        length += strlen(form);
    }
    return length;
}

/* Bars would end the cell of a table. */
static size_t put_word(char *to, const char *text)
{
    size_t length = strlen(text);

    memcpy(to, text, length);
    for (size_t i = 0; i < length; i++)
        if (to[i] == '|')
            to[i] = '/';
    return length;
}

char *band_text(const struct band *band, size_t first, size_t end, float em, bool from_right)
{
    size_t count = end - first, length = 0;
    const struct word **words = layout_memory(count, sizeof(void *));
    char *text;

    for (size_t i = 0; i < count; i++) {
        words[i] = &band->words[first + i];
        length += strlen(words[i]->text) + 8;
    }
    order(words, count, from_right);
    text = layout_memory(length, 1);
    length = 0;
    for (size_t i = 0; i < count; i++) {
        if (i && is_raised(words[i - 1], words[i])) {
            length += put_raised(text + length, words[i]->text);
            continue;
        }
        if (i && !is_close(words[i - 1], words[i], em))
            text[length++] = ' ';
        length += put_word(text + length, words[i]->text);
    }
    free((void *)words);
    return text;
}

bool layout_is_figure(const char *text)
{
    size_t digits = 0, letters = 0;

    for (; *text; text++) {
        digits += *text >= '0' && *text <= '9';
        letters += ((unsigned char)*text | 32) >= 'a' && (unsigned char)*text != 0xc2;
    }
    return digits > 0 && letters <= digits + 4;
}
