/* Columns of running text: two blocks of the program that found the words which stand side by side
 * and whose lines are full. Runs in a child process that exits afterwards, so nothing is freed. */
#include "documents/layout_parts.h"

#include <math.h>
#include <stdlib.h>

enum { LINES_LEAST = 4 };

static const float width_least = 9;    /* em, of a column */
static const float fill_least = 0.72F; /* of its width: the lines of running text */
static const float gap_most = 1.3F;    /* em, between words of a line */
static const float aligned = 1.5F;     /* em */
static const float strip_most = 1.05F; /* em: a larger free strip ends the columns */

struct box {
    float left, top, right, bottom;
    float gap; /* the largest between words of a line */
    float sum; /* of the widths of its lines */
    size_t lines;
};

static void widen(struct box *box, const struct word *word)
{
    box->left = fminf(box->left, word->left);
    box->top = fminf(box->top, word->top);
    box->right = fmaxf(box->right, word->right);
    box->bottom = fmaxf(box->bottom, word->bottom);
}

static int compare_places(const void *a, const void *b)
{
    const struct word *left = a, *right = b;

    if (left->block != right->block)
        return left->block < right->block ? -1 : 1;
    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    return (left->left > right->left) - (left->left < right->left);
}

/* The lines of the page, in the order of their blocks; `blocks` says where each begins. */
static size_t make_lines(const struct word *words, size_t count, struct box *lines, int *blocks)
{
    size_t made = 0;

    for (size_t i = 0; i < count; i++) {
        const struct word *word = &words[i];

        if (!i || word->line != words[i - 1].line || word->block != words[i - 1].block) {
            blocks[made] = word->block;
            lines[made++] = (struct box){word->left, word->top, word->right, word->bottom, 0, 0, 1};
            continue;
        }
        lines[made - 1].gap = fmaxf(lines[made - 1].gap, word->left - lines[made - 1].right);
        widen(&lines[made - 1], word);
    }
    return made;
}

/* Blocks of running text among the lines. */
static size_t make_blocks(const struct box *lines, const int *numbers, size_t count, float em,
                          struct box *blocks)
{
    size_t made = 0;

    for (size_t i = 0, end; i < count; i = end) {
        struct box block = lines[i];

        block.sum = 0;
        block.lines = 0;
        for (end = i; end < count && numbers[end] == numbers[i]; end++) {
            widen(&block, &(struct word){.left = lines[end].left,
                                         .top = lines[end].top,
                                         .right = lines[end].right,
                                         .bottom = lines[end].bottom});
            block.gap = fmaxf(block.gap, lines[end].gap);
            block.sum += lines[end].right - lines[end].left;
            block.lines++;
        }
        if (block.lines >= LINES_LEAST && block.right - block.left >= width_least * em &&
            block.gap <= gap_most * em &&
            block.sum >= fill_least * (float)block.lines * (block.right - block.left))
            blocks[made++] = block;
    }
    return made;
}

/* Whether a line is in a row of several, as the cells of a table are. */
static bool is_in_row(const struct box *lines, size_t count, const struct box *line)
{
    size_t beside = 0;

    for (size_t i = 0; i < count; i++)
        beside += fabsf(lines[i].top + lines[i].bottom - line->top - line->bottom) <
                  0.5F * (line->bottom - line->top);
    return beside > 2;
}

/* Whether a line begins or ends where its column does. */
static bool is_in_column(const struct box *line, const struct box sides[2], float gutter, float em)
{
    const struct box *side = &sides[line->left >= gutter];

    return fabsf(line->left - side->left) < aligned * em ||
           fabsf(line->right - side->right) < aligned * em;
}

/* Moves the ends of the columns to the next line that crosses the gutter, or to a free strip. */
static void extend(const struct box *lines, size_t count, const struct box sides[2], float gutter,
                   float em, float *top, float *bottom)
{
    float upper = -INFINITY, lower = INFINITY;
    bool moved = true;

    for (size_t i = 0; i < count; i++) {
        if (lines[i].left >= gutter || lines[i].right <= gutter)
            continue;
        if (lines[i].bottom <= *top + em / 2)
            upper = fmaxf(upper, lines[i].bottom - em / 4);
        else if (lines[i].top >= *bottom - em / 2)
            lower = fminf(lower, lines[i].top + em / 4);
    }
    while (moved) {
        moved = false;
        for (size_t i = 0; i < count; i++) {
            const struct box *line = &lines[i];

            if ((line->top < *top || line->bottom > *bottom) &&
                (is_in_row(lines, count, line) || !is_in_column(line, sides, gutter, em)))
                continue;
            if (line->top < *top && line->top >= upper && line->bottom > *top - strip_most * em) {
                *top = line->top;
                moved = true;
            }
            if (line->bottom > *bottom && line->bottom <= lower &&
                line->top < *bottom + strip_most * em) {
                *bottom = line->bottom;
                moved = true;
            }
        }
    }
}

/* Whether a line of the page crosses the gutter between these heights. */
static bool is_crossed(const struct box *lines, size_t count, float gutter, float top, float bottom)
{
    for (size_t i = 0; i < count; i++) {
        float middle = (lines[i].top + lines[i].bottom) / 2;

        if (lines[i].left < gutter && lines[i].right > gutter && middle > top && middle < bottom)
            return true;
    }
    return false;
}

bool columns_find(const struct word *words, size_t count, float em, float *gutter, float *top,
                  float *bottom)
{
    struct word *sorted = layout_memory(count, sizeof *sorted);
    struct box *lines = layout_memory(count, sizeof *lines);
    struct box *blocks = layout_memory(count, sizeof *blocks);
    int *numbers = layout_memory(count, sizeof *numbers);
    size_t line_count, block_count;
    bool found = false;

    for (size_t i = 0; i < count; i++)
        sorted[i] = words[i];
    qsort(sorted, count, sizeof *sorted, compare_places);
    line_count = make_lines(sorted, count, lines, numbers);
    block_count = make_blocks(lines, numbers, line_count, em, blocks);
    for (size_t i = 0; i < block_count && !found; i++) {
        for (size_t j = 0; j < block_count && !found; j++) {
            const struct box *a = &blocks[i], *b = &blocks[j];

            *gutter = (a->right + b->left) / 2;
            *top = fmaxf(a->top, b->top);
            *bottom = fminf(a->bottom, b->bottom);
            if (a->right + em / 2 > b->left || *bottom - *top < 3 * em ||
                is_crossed(lines, line_count, *gutter, fminf(a->top, b->top),
                           fmaxf(a->bottom, b->bottom)))
                continue;
            *top = fminf(a->top, b->top);
            *bottom = fmaxf(a->bottom, b->bottom);
            extend(lines, line_count, (struct box[2]){*a, *b}, *gutter, em, top, bottom);
            found = true;
        }
    }
    free(sorted);
    free(lines);
    free(blocks);
    free(numbers);
    return found;
}
