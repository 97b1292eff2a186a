/* Joins the lines of a wrapped paragraph. */
#include "text/lines.h"
#include "text/language.h"
#include "text/words.h"

#include <stdbool.h>
#include <string.h>
#include <utf8proc.h>

enum { HYPHENATED_MAX = 256 };

static const char soft_hyphen[] = "\xc2\xad";

/* Words after a hyphen that replaces the rest of a compound: "Vor- und Nachteile". */
static const char *const conjunctions[] = {"und", "oder", "bzw", "sowie", "and", "or",
                                           "y",   "o",    "et",  "ou",    "en",  "of",
                                           "и",   "или",  "och", "eller", "og"};

static int32_t first_character(struct line_text line)
{
    int32_t character = 0;

    (void)letter_read(line.bytes, line.length, &character);
    return character;
}

static int32_t last_character(struct line_text line)
{
    int32_t character = 0;

    (void)letter_read_back(line.bytes, line.length, &character);
    return character;
}

/* Hangul has blanks between phrases. Full-width punctuation counts as its script does. */
static bool needs_no_blank(int32_t character)
{
    bool hangul = (character >= 0x1100 && character <= 0x11ff) ||
                  (character >= 0x3130 && character <= 0x318f) ||
                  (character >= 0xa960 && character <= 0xa97f) ||
                  (character >= 0xac00 && character <= 0xd7ff);
    bool wide_mark = (character >= 0x3000 && character <= 0x303f) ||
                     (character >= 0xff01 && character <= 0xff0f) ||
                     (character >= 0xff1a && character <= 0xff20);

    return !hangul && (wide_mark || letter_kind(character) == LETTER_UNSPACED);
}

/* The number of letters that end, or begin, a line. */
static size_t letters_before(const char *bytes, size_t end)
{
    size_t start = end;

    while (start > 0) {
        int32_t character = 0;
        size_t taken = letter_read_back(bytes, start, &character);

        if (!taken || letter_kind(character) != LETTER_PLAIN)
            break;
        start -= taken;
    }
    return end - start;
}

static size_t letters_after(struct line_text line)
{
    size_t length = 0;

    while (length < line.length) {
        int32_t character = 0;
        size_t taken = letter_read(line.bytes + length, line.length - length, &character);

        if (!taken || letter_kind(character) != LETTER_PLAIN)
            break;
        length += taken;
    }
    return length;
}

static bool is_conjunction(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof conjunctions / sizeof conjunctions[0]; i++) {
        if (strlen(conjunctions[i]) == length && memcmp(conjunctions[i], word, length) == 0)
            return true;
    }
    return false;
}

/* Languages whose compounds keep their hyphens before lower-case letters. */
static bool keeps_hyphens(enum text_language language)
{
    return language == TEXT_EN || language == TEXT_FR || language == TEXT_PT;
}

static bool holds(struct line_text whole, const char *hyphenated, size_t length)
{
    return memmem(whole.bytes, whole.length, hyphenated, length) != NULL;
}

static enum line_join join_hyphenated(struct line_text before, struct line_text after,
                                      struct line_text whole)
{
    size_t left = letters_before(before.bytes, before.length - 1), right = letters_after(after);
    char word[HYPHENATED_MAX];

    if (!left || !right || left + right + 1 > sizeof word ||
        utf8proc_category(first_character(after)) != UTF8PROC_CATEGORY_LL ||
        is_conjunction(after.bytes, right))
        return JOIN_BLANK;
    memcpy(word, before.bytes + before.length - 1 - left, left + 1);
    memcpy(word + left + 1, after.bytes, right);
    if (holds(whole, word, left + 1 + right))
        return JOIN_NOTHING;
    memmove(word + left, word + left + 1, right);
    if (holds(whole, word, left + right))
        return JOIN_WITHOUT_HYPHEN;
    return keeps_hyphens(language_detect(whole.bytes, whole.length)) ? JOIN_NOTHING
                                                                     : JOIN_WITHOUT_HYPHEN;
}

enum line_join line_join(struct line_text before, struct line_text after, struct line_text whole)
{
    if (before.bytes[before.length - 1] == '-')
        return join_hyphenated(before, after, whole);
    if (before.length >= 2 && memcmp(before.bytes + before.length - 2, soft_hyphen, 2) == 0)
        return JOIN_NOTHING; /* folding drops it, and it is invisible */
    return needs_no_blank(last_character(before)) && needs_no_blank(first_character(after))
               ? JOIN_NOTHING
               : JOIN_BLANK;
}
