/* Phrases of answers: by rule, or as marked by reviewers. */
#include "support/curated/phrases.h"
#include "base/text.h"
#include "text/fold.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_PHRASE = 3, SHORTEST_PHRASE = 2 };

static const char *const stop_words[] = {
    "a",  "an", "and", "are", "at",  "be", "but", "by",  "for", "from", "how", "i",
    "if", "in", "is",  "it",  "of",  "on", "or",  "the", "to",  "with", "and", "как",
    "в",  "во", "и",   "из",  "или", "на", "не",  "но",  "по",  "с",    "что", "это"};

static unsigned code_point(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned point = length == 1 ? bytes[0] : bytes[0] & (0xffU >> (length + 1));

    for (size_t i = 1; i < length; i++)
        point = point << 6 | (bytes[i] & 0x3fU);
    return point;
}

/* Letters and digits of every script, approximately: non-ASCII characters outside the blocks of
 * signs and punctuation count. */
static bool is_word_point(unsigned point)
{
    if (point < 0x80)
        return (point >= '0' && point <= '9') || (point >= 'a' && point <= 'z');
    return point >= 0xc0 && point != 0xd7 && point != 0xf7 &&
           !(point >= 0x2000 && point < 0x2c00) && !(point >= 0x3000 && point < 0x3040) &&
           !(point >= 0xff00 && point < 0xff10) && !(point >= 0xff1a && point < 0xff20) &&
           point != 0x60c && point != 0x61f;
}

struct string_list phrase_tokens(struct arena *arena, const char *text)
{
    const char *lower = text_lower(arena, text);
    size_t length = utf8_valid_prefix(lower, strlen(lower)), start = 0, at = 0;
    struct string_list tokens = {0, ARENA_ARRAY(arena, const char *, length / 2 + 2)};

    while (at < length) {
        size_t size = utf8_sequence_length(lower + at, length - at);

        if (!is_word_point(code_point(lower + at, size))) {
            if (at > start)
                tokens.items[tokens.count++] = arena_copy(arena, lower + start, at - start);
            start = at + size;
        }
        at += size;
    }
    if (at > start)
        tokens.items[tokens.count++] = arena_copy(arena, lower + start, at - start);
    return tokens;
}

static const char *joined(struct arena *arena, const char *const *items, size_t count)
{
    struct text text;

    text_start(&text, arena, (size_t)1 << 24);
    for (size_t i = 0; i < count; i++) {
        if (i)
            text_append_byte(&text, ' ');
        text_append_string(&text, items[i]);
    }
    return text.bytes;
}

const char *phrase_token_form(struct arena *arena, const char *text)
{
    const struct string_list tokens = phrase_tokens(arena, text);

    return joined(arena, tokens.items, tokens.count);
}

static bool is_stop_word(const char *word)
{
    for (size_t i = 0; i < sizeof stop_words / sizeof stop_words[0]; i++)
        if (strcmp(stop_words[i], word) == 0)
            return true;
    return false;
}

static bool says_something(const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_stop_word(words[i]))
            return true;
    return false;
}

static bool has(const struct string_list *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], text) == 0)
            return true;
    return false;
}

static struct string_list longer_words(struct arena *arena, const char *text)
{
    const struct string_list all = phrase_tokens(arena, text);
    struct string_list words = {0, ARENA_ARRAY(arena, const char *, all.count + 1)};

    for (size_t i = 0; i < all.count; i++)
        if (utf8_count(all.items[i]) > 1)
            words.items[words.count++] = all.items[i];
    return words;
}

const char *phrase_made_form(struct arena *arena, const char *text)
{
    const struct string_list words = longer_words(arena, text);

    return joined(arena, words.items, words.count);
}

struct string_list phrases_of(struct arena *arena, const char *answer)
{
    const struct string_list words = longer_words(arena, answer);
    struct string_list phrases = {0, ARENA_ARRAY(arena, const char *, PHRASES_MOST)};

    for (size_t size = LONGEST_PHRASE; size >= SHORTEST_PHRASE; size--)
        for (size_t i = 0; i + size <= words.count && phrases.count < PHRASES_MOST; i++) {
            const char *phrase = joined(arena, words.items + i, size);

            if (says_something(words.items + i, size) && !has(&phrases, phrase))
                phrases.items[phrases.count++] = phrase;
        }
    return phrases;
}

static const struct {
    const char *label;
    bool excludes;
} labels[] = {{"answer_contains", false},    {"must_include", false},    {"include", false},
              {"answer_not_contains", true}, {"must_not_include", true}, {"exclude", true}};

/* The label that `text` begins with, blanks aside, and where its value begins; NULL = none. */
static const char *label_at(const char *text, bool *excludes)
{
    text += strspn(text, " \t\r");
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        size_t length = strlen(labels[i].label);
        const char *behind = text + length;

        if (strncasecmp(text, labels[i].label, length) != 0)
            continue;
        behind += strspn(behind, " \t");
        if (*behind == ':') {
            *excludes = labels[i].excludes;
            return behind + 1;
        }
    }
    return NULL;
}

/* The end of a value: of its line, or the `;` before the next label. */
static const char *end_of(const char *value)
{
    bool ignored;

    for (; *value && *value != '\n'; value++)
        if (*value == ';' && label_at(value + 1, &ignored))
            break;
    return value;
}

static void split(struct arena *arena, const char *value, const char *end, struct string_list *list)
{
    list->items = ARENA_ARRAY(arena, const char *, (size_t)(end - value) + 1);
    while (value < end) {
        const char *stop = value;
        const char *item;

        while (stop < end && *stop != '|' && *stop != ',' && *stop != ';')
            stop++;
        item = text_trimmed(arena, value, (size_t)(stop - value));
        if (*item)
            list->items[list->count++] = item;
        value = stop + 1;
    }
}

struct phrase_marks phrase_marks_of(struct arena *arena, const char *notes)
{
    struct phrase_marks marks = {{0, NULL}, {0, NULL}};
    const char *at = notes;

    while (at) {
        bool excludes;
        const char *value = label_at(at, &excludes);

        if (value) {
            struct string_list *list = excludes ? &marks.contains_not : &marks.contains;
            const char *end = end_of(value);

            if (!list->count)
                split(arena, value, end, list);
            at = end;
        }
        at = strpbrk(at, "\n;");
        at = at ? at + 1 : NULL;
    }
    return marks;
}
