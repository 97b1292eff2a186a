/*
 * The words of a text, folded so that they can be compared: runs of letters, digits and the marks
 * that belong to them. Scripts that put no space between words (Han, Kana, Hangul, Thai, Lao,
 * Khmer, Myanmar) give overlapping tokens of two characters instead. Folding is NFKC_Casefold
 * (UAX 31); Arabic letters and digits side by side are two words; besides, Russian yo counts as ye,
 * and Arabic and Hebrew lose their vowel signs and tell forms of alef, yeh and teh marbuta no
 * longer apart, since people write either way.
 */
#ifndef ASSAY_TEXT_WORDS_H
#define ASSAY_TEXT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WORD_BYTES_MAX = 96 }; /* of a folded word; longer ones are cut at a character */

struct word {
    char text[WORD_BYTES_MAX + 1]; /* folded, NUL-terminated */
    size_t length;
    size_t start, end; /* where it stands in the source, in bytes */
    bool pair;         /* two characters (or one alone) of a script without spaces */
    bool digits;       /* holds a digit */
    bool letters;      /* holds a letter */
};

/* The source is borrowed; what is not UTF-8 separates words. */
struct word_reader {
    const char *source;
    size_t length;
    size_t at;
    size_t pair_end; /* end of the run of pairs being read; 0 = none */
};

void word_reader_start(struct word_reader *reader, const char *source, size_t length);

/* The next word; false at the end. */
bool word_next(struct word_reader *reader, struct word *word);

/* The most words in so many bytes: a digit and an Arabic letter side by side are two in three. */
static inline size_t words_most(size_t bytes)
{
    return bytes / 3 * 2 + 2;
}

/* What a character is to words. Digits are those of category N. */
enum letter_kind { LETTER_NONE, LETTER_PLAIN, LETTER_DIGIT, LETTER_MARK, LETTER_UNSPACED };
enum letter_kind letter_kind(int32_t character);

/* Whether a character may stand in a text: it is assigned, not for private use, and no control
 * character but tab, form feed and the ends of lines. */
bool character_is_text(int32_t character);

/* Decodes the character at `bytes`: its length, or 0 where there is no valid UTF-8; `left` > 0. */
size_t letter_read(const char *bytes, size_t left, int32_t *character);

/* Decodes the character that ends at `length`, which is above 0, in the same way. */
size_t letter_read_back(const char *bytes, size_t length, int32_t *character);

#endif
