/* Words with positions: one line of tab-separated values for each. Both programs write letters of
 * scripts from right to left differently: pdftotext in the order of their positions, tesseract in
 * reading order. Runs in a child process that exits afterwards, so nothing is freed. */
#include "documents/positioned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIELDS = 12,
    LEVEL_PAGE = 1,
    LEVEL_LINE = 4,
    LEVEL_WORD = 5,
    CONFIDENCE_LEAST = 25, /* percent */
    WORD_BYTES_MAX = 2000,
    PAGE_WORDS_MAX = 200 * 1000, /* further ones are left out */
    LEADERS_LEAST = 3,           /* dots between two columns */
    CODE_BYTES_MAX = 40,
    SKEW_WORDS_LEAST = 4 /* words of a line whose slope is measured */
};

struct reading {
    struct word_pages pages;
    size_t page_capacity, word_capacity;
    int lines, blocks; /* counted on the page */
    int flow, block;   /* numbers of the block before */
    int leaders;       /* words of dots in succession */
    bool is_scan;
};

/* A child without memory ends like one killed for it. */
static void *grow(void *items, size_t count, size_t size)
{
    void *more = realloc(items, count * size);

    if (!more)
        abort();
    return more;
}

/* What the lines of a table leave before and after a word of a scan. */
static char *without_lines(char *text)
{
    size_t length;

    while (strchr("/|[]\\", *text) && text[1])
        text++;
    length = strlen(text);
    while (length > 1 && strchr("/|[]\\", text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* Cyrillic letters that look like Latin ones, in the order of `latin`. */
static const char alike[][3] = {"\xd0\x90", "\xd0\x92", "\xd0\x95", "\xd0\x9a",
                                "\xd0\x9c", "\xd0\x9d", "\xd0\x9e", "\xd0\xa0",
                                "\xd0\xa1", "\xd0\xa2", "\xd0\xa5"};
static const char latin[] = "ABEKMHOPCTX";

/* A code of digits and capitals that all look Latin is Latin. */
static void make_latin(char *text)
{
    char copy[CODE_BYTES_MAX + 1], *to = copy;
    bool has_digit = false;

    if (strlen(text) > CODE_BYTES_MAX)
        return;
    for (const char *at = text; *at; to++) {
        size_t i = 0;

        while (i < sizeof latin - 1 && strncmp(at, alike[i], 2) != 0)
            i++;
        if (i == sizeof latin - 1 && (unsigned char)*at >= 0x80)
            return;
        has_digit |= *at >= '0' && *at <= '9';
        *to = i < sizeof latin - 1 ? latin[i] : *at;
        at += i < sizeof latin - 1 ? 2 : 1;
    }
    *to = '\0';
    if (has_digit)
        memcpy(text, copy, strlen(copy) + 1);
}

static const char *word_text(const struct reading *reading, char *text)
{
    const char *copy = text;

    if (reading->is_scan) {
        copy = text = without_lines(text);
        make_latin(text);
    }
    if (!reading->is_scan && word_is_from_right(text))
        copy = word_in_reading_order(text);
    copy = word_with_plain_letters(copy);
    return copy == text ? strdup(text) : copy;
}

/* The words that only draw something: a row of dots, a line of a table. */
static bool is_drawn(const char *text)
{
    size_t dots = strspn(text, "._-=");

    return strcmp(text, "|") == 0 || (dots >= 3 && !text[dots]) || !text[strspn(text, ".")];
}

/* Cuts the dots off that lead from a word to another column. `least`: so many are no full stop. */
static void cut_leaders(char *text, size_t least)
{
    size_t length = strlen(text), dots = 0;

    while (dots < length && text[length - 1 - dots] == '.')
        dots++;
    if (dots >= least && dots < length)
        text[length - dots] = '\0';
}

/* Leaders in words of their own; the first may be part of the word before them. */
static void note_leader(struct reading *reading, struct word_page *page, const char *text)
{
    reading->leaders = text[strspn(text, ".")] ? 0 : reading->leaders + (int)strlen(text);
    if (reading->leaders >= LEADERS_LEAST && page->count)
        cut_leaders((char *)page->words[page->count - 1].text, 1);
}

static int number_of(const char *text)
{
    return (int)strtol(text, NULL, 10);
}

static void begin_page(struct reading *reading, char **fields)
{
    struct word_pages *pages = &reading->pages;

    if (pages->count == reading->page_capacity) {
        reading->page_capacity = reading->page_capacity ? 2 * reading->page_capacity : 16;
        pages->items = grow(pages->items, reading->page_capacity, sizeof *pages->items);
    }
    pages->items[pages->count++] = (struct word_page){.width = strtof(fields[8], NULL),
                                                      .height = strtof(fields[9], NULL),
                                                      .number = (int)pages->count};
    reading->word_capacity = 0;
    reading->lines = reading->blocks = 0;
    reading->flow = reading->block = -1;
}

static void note_block(struct reading *reading, char **fields)
{
    int flow = number_of(fields[2]), block = number_of(fields[3]);

    if (flow != reading->flow || block != reading->block)
        reading->blocks++;
    reading->flow = flow;
    reading->block = block;
}

static void add_word(struct reading *reading, char **fields)
{
    struct word_page *page = &reading->pages.items[reading->pages.count - 1];
    float left = strtof(fields[6], NULL), top = strtof(fields[7], NULL);
    float width = strtof(fields[8], NULL), height = strtof(fields[9], NULL);
    bool is_doubtful = reading->is_scan && strtof(fields[10], NULL) < CONFIDENCE_LEAST;

    note_leader(reading, page, fields[11]);
    cut_leaders(fields[11], LEADERS_LEAST + 1);
    if (is_doubtful || is_drawn(fields[11]) || strlen(fields[11]) > WORD_BYTES_MAX ||
        !(width > 0) || !(height > 0) || !isfinite(left + top + width + height) ||
        page->count == PAGE_WORDS_MAX || strspn(fields[11], " ") == strlen(fields[11]))
        return;
    if (page->count == reading->word_capacity) {
        reading->word_capacity = reading->word_capacity ? 2 * reading->word_capacity : 256;
        page->words = grow(page->words, reading->word_capacity, sizeof *page->words);
    }
    page->words[page->count++] = (struct word){.left = left,
                                               .top = top,
                                               .right = left + width,
                                               .bottom = top + height,
                                               .text = word_text(reading, fields[11]),
                                               .block = reading->blocks,
                                               .line = reading->lines};
}

static int compare_floats(const void *a, const void *b)
{
    float left = *(const float *)a, right = *(const float *)b;

    return (left > right) - (left < right);
}

/* The median slope of the lines with several words; 0 without any. */
static float slope_of(const struct word_page *page)
{
    float *slopes = grow(NULL, page->count + 1, sizeof *slopes), slope;
    size_t count = 0;

    for (size_t first = 0, next; first < page->count; first = next) {
        const struct word *from = &page->words[first], *to;

        for (next = first; next < page->count && page->words[next].line == from->line;)
            next++;
        to = &page->words[next - 1];
        if (next - first >= SKEW_WORDS_LEAST && fabsf(to->left - from->left) > 1)
            slopes[count++] = (to->bottom - from->bottom) / (to->left - from->left);
    }
    qsort(slopes, count, sizeof *slopes, compare_floats);
    slope = count ? slopes[count / 2] : 0;
    free(slopes);
    return slope;
}

static void straighten(struct word_page *page)
{
    float slope = slope_of(page);

    for (size_t i = 0; i < page->count; i++) {
        struct word *word = &page->words[i];
        float shift = slope * word->left, across = slope * (word->top + word->bottom) / 2;

        word->top -= shift;
        word->bottom -= shift;
        word->left += across;
        word->right += across;
    }
}

static bool split(char *line, char *fields[FIELDS])
{
    size_t count = 0;

    line[strcspn(line, "\n")] = '\0';
    while (count < FIELDS - 1 && line) {
        char *tab = strchr(line, '\t');

        fields[count++] = line;
        if (tab)
            *tab = '\0';
        line = tab ? tab + 1 : NULL;
    }
    if (!line)
        return false;
    fields[count] = line;
    return true;
}

struct word_pages positioned_read(FILE *in, bool is_scan)
{
    struct reading reading = {.is_scan = is_scan};
    char *line = NULL, *fields[FIELDS];
    size_t capacity = 0;

    while (getline(&line, &capacity, in) > 0) {
        int level = split(line, fields) ? number_of(fields[0]) : 0;

        if (level == LEVEL_PAGE)
            begin_page(&reading, fields);
        if (!reading.pages.count)
            continue;
        if (level == LEVEL_LINE)
            reading.lines++;
        if (level == LEVEL_LINE || level == LEVEL_WORD)
            note_block(&reading, fields);
        if (level == LEVEL_WORD)
            add_word(&reading, fields);
    }
    for (size_t i = 0; is_scan && i < reading.pages.count; i++)
        straighten(&reading.pages.items[i]);
    return reading.pages;
}
