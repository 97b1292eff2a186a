/*
 * The words of a text, folded so that they can be compared: runs of letters, digits and the marks
 * that belong to them. Scripts that put no space between words (Han, Kana, Hangul, Thai, Lao,
 * Khmer, Myanmar) give overlapping tokens of two characters instead. Folding is NFKC_Casefold (UAX
 * 31). Adjacent Arabic letters and digits are two words. Russian yo becomes ye. Arabic and Hebrew
 * lose their vowel signs, and the forms of alef, yeh and teh marbuta become one, because both
 * spellings are common.
 */
#ifndef ASSAY_TEXT_WORDS_H
#define ASSAY_TEXT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WORD_BYTES_MAX = 96 }; /* bytes of a folded word; longer ones are cut at a character */

struct word {
    char text[WORD_BYTES_MAX + 1]; /* folded, NUL-terminated */
    size_t length;
    size_t start, end; /* its position in the source, in bytes */
    bool pair;         /* two characters (or one alone) of a script without spaces */
    bool digits;       /* contains a digit */
    bool letters;      /* contains a letter */
};

/* The source is borrowed; bytes that are not UTF-8 separate words. */
struct word_reader {
    const char *source;
    size_t length;
    size_t at;
    size_t pair_end; /* end of the run of pairs being read; 0 = none */
};

void word_reader_start(struct word_reader *reader, const char *source, size_t length);

/* The next word; false at the end. */
bool word_next(struct word_reader *reader, struct word *word);

/* The maximum number of words in `bytes` bytes: a digit next to an Arabic letter makes two words in
 * three bytes. */
static inline size_t words_most(size_t bytes)
{
    return bytes / 3 * 2 + 2;
}

/* The role of a character in words. Digits are those of category N. */
enum letter_kind { LETTER_NONE, LETTER_PLAIN, LETTER_DIGIT, LETTER_MARK, LETTER_UNSPACED };
enum letter_kind letter_kind(int32_t character);

/* Whether a character may occur in a text: it is assigned, not for private use, and no control
 * character except tab, form feed and line ends. */
bool character_is_text(int32_t character);

/* Decodes the character at `bytes`: its length, or 0 where there is no valid UTF-8; `left` > 0. */
size_t letter_read(const char *bytes, size_t left, int32_t *character);

/* Decodes the character that ends at `length`, which is above 0, in the same way. */
size_t letter_read_back(const char *bytes, size_t length, int32_t *character);

#endif
