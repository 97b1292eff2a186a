/*
 * Words as programs find them on pages: letters of scripts from right to left in the order of their
 * positions, and letters as presentation forms and ligatures. For processes that exit afterwards:
 * nothing is freed, and no memory ends the process.
 */
#ifndef ASSAY_TEXT_WORD_ORDER_H
#define ASSAY_TEXT_WORD_ORDER_H

#include <stdbool.h>

/* From the order of positions to reading order; numbers in the word stay as they are. */
char *word_in_reading_order(const char *text);

/* Presentation forms of letters and ligatures become the letters; `text` itself without any. */
const char *word_with_plain_letters(const char *text);

/* Whether a word has letters of a script that is written from right to left. */
bool word_is_from_right(const char *text);

/* Whether a character belongs to a script that puts no blanks between words. */
bool word_is_unspaced(unsigned point);

/* The first, or last, character of a word; 0 when it is empty. */
unsigned word_first_point(const char *text);
unsigned word_last_point(const char *text);

#endif
