/*
 * Finds tools by a few English words. A word counts the more, the fewer tools have it, and more in
 * a name than in a description; a tool that has all words comes before one that has a part of
 * them. Endings do not matter: "comparing" finds "compare".
 */
#include "mcp/tool_search.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WORDS_MAX = 16, WORD_MIN = 3, STEM_MIN = 4, TEXTS = 3 };

/* How much a word counts in the name, the title and the description. */
static const double text_weights[TEXTS] = {4, 3, 1};

/* A word of the query without its ending. */
struct word {
    const char *stem;
    size_t length;
    double weight;
};

struct words {
    size_t count;
    struct word items[WORDS_MAX];
};

static bool is_letter(char byte)
{
    return isalnum((unsigned char)byte) || (unsigned char)byte >= 0x80;
}

static size_t word_length(const char *text)
{
    size_t length = 0;

    while (is_letter(text[length]))
        length++;
    return length;
}

/* Words that say nothing of what is to be done. */
static bool is_filler(const char *word, size_t length)
{
    static const char *const fillers[] = {
        "and",   "are",  "can", "does", "for",  "from",  "how",     "its",  "the", "that", "them",
        "there", "this", "was", "what", "when", "which", "whether", "with", "you", "your"};

    for (size_t i = 0; i < COUNT_OF(fillers); i++)
        if (strlen(fillers[i]) == length && strncasecmp(word, fillers[i], length) == 0)
            return true;
    return false;
}

static size_t stem_length(const char *word, size_t length)
{
    static const char *const endings[] = {"ing", "ed", "es", "s", "e"};

    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        size_t ending = strlen(endings[i]);

        if (length >= STEM_MIN + ending &&
            strncasecmp(word + length - ending, endings[i], ending) == 0)
            return length - ending;
    }
    return length;
}

static void read_words(const char *query, struct words *words)
{
    words->count = 0;
    while (*query && words->count < WORDS_MAX) {
        size_t length = word_length(query);

        if (length >= WORD_MIN && !is_filler(query, length))
            words->items[words->count++] =
                (struct word){.stem = query, .length = stem_length(query, length)};
        query += length ? length : 1;
    }
}

/* Whether a word of the text begins with the stem. */
static bool has_word(const char *text, const struct word *word)
{
    while (*text) {
        size_t length = word_length(text);

        if (length >= word->length && strncasecmp(text, word->stem, word->length) == 0)
            return true;
        text += length ? length : 1;
    }
    return false;
}

static double count_in(const struct mcp_tool *tool, const struct word *word)
{
    const char *const texts[TEXTS] = {tool->name, tool->title, tool->about};
    double sum = 0;

    for (size_t i = 0; i < TEXTS; i++)
        if (has_word(texts[i], word))
            sum += text_weights[i];
    return sum;
}

/* Of a word that few tools have: much. */
static void weigh(const struct mcp_catalog *catalog, struct words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        size_t holders = 0;

        for (size_t at = 0; at < catalog->count; at++)
            holders += count_in(&catalog->tools[at], &words->items[i]) > 0;
        words->items[i].weight = log(1 + (double)catalog->count / (double)(holders + 1));
    }
}

static int by_score(const void *left, const void *right)
{
    const struct found_tool *one = left, *other = right;

    if (one->score != other->score)
        return one->score < other->score ? 1 : -1;
    return strcmp(one->tool->name, other->tool->name);
}

static double score_of(const struct mcp_tool *tool, const struct words *words)
{
    double sum = 0;
    size_t present = 0;

    for (size_t i = 0; i < words->count; i++) {
        double count = count_in(tool, &words->items[i]);

        sum += count * words->items[i].weight;
        present += count > 0;
    }
    return present ? sum * (double)present / (double)words->count : 0;
}

size_t mcp_tool_search(const struct mcp_catalog *catalog, const char *query, const char *service,
                       struct found_tool *found)
{
    struct words words;
    size_t count = 0;

    read_words(query, &words);
    weigh(catalog, &words);
    for (size_t i = 0; i < catalog->count; i++) {
        const struct mcp_tool *tool = &catalog->tools[i];
        double score = score_of(tool, &words);

        if (score > 0 && (!service || strcmp(service, tool->service->name) == 0))
            found[count++] = (struct found_tool){tool, score};
    }
    qsort(found, count, sizeof *found, by_score);
    return count;
}
