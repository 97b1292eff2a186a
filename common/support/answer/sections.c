/* Finds sections whose names differ in one word, and what they say about a question. */
#include "support/answer/sections.h"
#include "search/terms.h"
#include "support/answer/table_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SECTIONS_MAX = 64, WORDS_MAX = 8, SHOWN_MAX = 8, QUOTED_MAX = 2 };

/* What a figure is worth where one is asked for, as a share of the question. */
static const double figure_worth = 0.2;

/* Cover from which a passage has a term. */
static const double cover_least = 0.5;

struct section {
    const struct found_chunk *chunk; /* its first one */
    const char *name;
    char stems[WORDS_MAX][WORD_BYTES_MAX + 1];
    size_t count; /* of words */
    bool named[QUESTION_TERMS_MAX];
    bool chosen;
};

struct sections {
    const struct question *question;
    const struct asks *asks;
    const struct found_chunk *chunks;
    size_t chunk_count;
    struct section items[SECTIONS_MAX];
    size_t count;
};

const char *section_name(const struct selected *item)
{
    const char *head = item->passage->passage->head, *title = item->chunk->chunk.title;

    return *head ? head : title ? title : "";
}

static void read_name(const struct question *question, struct section *section)
{
    struct word_reader reader;
    struct word word;
    char stem[WORD_BYTES_MAX + 1];

    word_reader_start(&reader, section->name, strlen(section->name));
    while (section->count < WORDS_MAX && word_next(&reader, &word)) {
        term_stem(question->language, &word, stem);
        memcpy(section->stems[section->count++], stem, sizeof stem);
    }
    for (size_t t = 0; t < question->count; t++) {
        term_stem(question->language, &question->terms[t].word, stem);
        for (size_t i = 0; i < section->count; i++)
            section->named[t] |= strcmp(section->stems[i], stem) == 0;
    }
}

static struct section *section_of(struct sections *sections, const struct selected *item)
{
    const char *name = section_name(item);

    for (size_t i = 0; i < sections->count; i++) {
        if (sections->items[i].chunk->chunk.document == item->chunk->chunk.document &&
            strcmp(sections->items[i].name, name) == 0)
            return &sections->items[i];
    }
    return NULL;
}

static void read_sections(struct sections *sections)
{
    for (size_t i = 0; i < sections->chunk_count; i++) {
        const struct found_chunk *chunk = &sections->chunks[i];

        for (size_t j = 0; j < chunk->list.count && sections->count < SECTIONS_MAX; j++) {
            const struct selected item = {chunk, &chunk->passages[j]};
            struct section *section;

            if (!*section_name(&item) || section_of(sections, &item))
                continue;
            section = &sections->items[sections->count++];
            section->chunk = chunk;
            section->name = section_name(&item);
            read_name(sections->question, section);
        }
    }
}

/* Whether two names are alike but for one word: "Plan S" and "Plan L". */
static bool are_parallel(const struct section *a, const struct section *b)
{
    size_t other = 0;

    if (a->count != b->count || a->count < 2)
        return false;
    for (size_t i = 0; i < a->count; i++)
        other += strcmp(a->stems[i], b->stems[i]) != 0;
    return other == 1;
}

/* Chooses the sections that are of the kind asked for; returns how many. */
static size_t choose_kind(struct sections *sections)
{
    size_t best = 0;

    for (size_t i = 0; i < sections->count; i++) {
        for (size_t t = 0; t < sections->question->count; t++) {
            bool members[SECTIONS_MAX] = {false};
            size_t count = 0;

            for (size_t j = 0; j < sections->count; j++) {
                members[j] = sections->items[i].named[t] && sections->items[j].named[t] &&
                             (i == j || are_parallel(&sections->items[i], &sections->items[j]));
                count += members[j];
            }
            for (size_t j = 0; j < sections->count && count > best; j++)
                sections->items[j].chosen = members[j];
            best = count > best ? count : best;
        }
    }
    return best;
}

/* Chooses the sections that only one word of the question names; returns how many. */
static size_t choose_named(struct sections *sections)
{
    size_t chosen = 0;

    for (size_t t = 0; t < sections->question->count; t++) {
        struct section *only = NULL;
        size_t count = 0;

        for (size_t i = 0; i < sections->count; i++) {
            if (sections->items[i].named[t]) {
                only = &sections->items[i];
                count++;
            }
        }
        if (count == 1 && !sections->question->terms[t].asks && !only->chosen) {
            only->chosen = true;
            chosen++;
        }
    }
    return chosen;
}

static bool has_digit(const char *text)
{
    return text[strcspn(text, "0123456789")] != '\0';
}

/* What a passage says of the question beside the name of its section. */
static double worth_of(const struct sections *sections, const struct section *section,
                       const struct found_passage *passage)
{
    const struct question *question = sections->question;
    double sum = 0;

    for (size_t t = 0; t < question->count; t++)
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): ordered sections are there */
        sum += section->named[t] ? 0 : question->terms[t].weight * passage->cover[t];
    sum = question->total > 0 ? sum / question->total : 0;
    return sum + (sections->asks->figure && has_digit(passage->passage->text) ? figure_worth : 0);
}

/* The passages of a section in their order: the best one, and for a comparison the next best. */
static void add_passages(struct sections *sections, const struct section *section,
                         struct selection *selection)
{
    size_t most = sections->asks->compare ? QUOTED_MAX : 1, first = selection->count;
    struct selected all[SECTIONS_MAX];
    double worth[SECTIONS_MAX];
    size_t count = 0;

    for (size_t i = 0; i < sections->chunk_count; i++) {
        for (size_t j = 0; j < sections->chunks[i].list.count && count < SECTIONS_MAX; j++) {
            const struct selected item = {&sections->chunks[i], &sections->chunks[i].passages[j]};

            if (section_of(sections, &item) != section)
                continue;
            worth[count] = worth_of(sections, section, item.passage);
            all[count++] = item;
        }
    }
    for (size_t taken = 0; taken < most && selection->count < SELECTION_MAX; taken++) {
        size_t best = count;

        for (size_t i = 0; i < count; i++)
            if (worth[i] >= 0 && (best == count || worth[i] > worth[best] + 1e-9))
                best = i;
        if (best == count)
            break;
        worth[best] = -1;
        selection->items[selection->count++] = all[best];
    }
    if (selection->count - first == 2 &&
        selection->items[first].passage > selection->items[first + 1].passage &&
        selection->items[first].chunk == selection->items[first + 1].chunk) {
        const struct selected kept = selection->items[first];

        selection->items[first] = selection->items[first + 1];
        selection->items[first + 1] = kept;
    }
}

static int by_place(const void *a, const void *b)
{
    const struct section *x = *(const struct section *const *)a;
    const struct section *y = *(const struct section *const *)b;
    int order = strcmp(x->chunk->chunk.doc_id, y->chunk->chunk.doc_id);

    if (order)
        return order;
    if (x->chunk->chunk.chunk_index != y->chunk->chunk.chunk_index)
        return x->chunk->chunk.chunk_index - y->chunk->chunk.chunk_index;
    return (x > y) - (x < y);
}

void sections_select(const struct question *question, struct arena *arena, const struct asks *asks,
                     const struct found_chunk *chunks, size_t count, struct selection *selection)
{
    struct sections *sections;
    struct selection found = {.by_section = true};
    const struct section *order[SECTIONS_MAX];
    size_t chosen, ordered = 0;

    if ((!asks->list && !asks->compare) || !selection->count ||
        table_rows_is_row(selection->items[0].passage->passage))
        return;
    sections = ARENA_NEW(arena, struct sections);
    *sections = (struct sections){
        .question = question, .asks = asks, .chunks = chunks, .chunk_count = count};
    read_sections(sections);
    chosen = asks->compare ? choose_named(sections) : choose_kind(sections);
    if (chosen < 2 || chosen > SHOWN_MAX)
        return;
    for (size_t i = 0; i < sections->count; i++) {
        if (sections->items[i].chosen)
            order[ordered++] = &sections->items[i];
    }
    qsort(order, ordered, sizeof(const struct section *), by_place);
    for (size_t i = 0; i < ordered; i++)
        add_passages(sections, order[i], &found);
    *selection = found;
}

static bool has_term(const struct question *question, struct arena *arena,
                     const struct selection *selection, size_t term)
{
    for (size_t i = 0; i < selection->count; i++) {
        struct section *section = ARENA_NEW(arena, struct section);

        *section = (struct section){.name = section_name(&selection->items[i])};
        read_name(question, section);
        if (section->named[term] || selection->items[i].passage->cover[term] >= cover_least)
            return true;
    }
    return false;
}

bool sections_compare_all(const struct question *question, struct arena *arena,
                          const struct selection *selection)
{
    for (size_t t = 0; t < question->count; t++) {
        const struct question_term *term = &question->terms[t];

        if (!term->asks && !has_term(question, arena, selection, t))
            return false;
    }
    return selection->by_section;
}
