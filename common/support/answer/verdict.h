/*
 * Yes or no to questions about figures: "Is the warranty longer than one year?" A question with an
 * amount is compared with the amount of the same kind in the text that answers it; where that is
 * not clear there is no verdict.
 */
#ifndef ASSAY_SUPPORT_ANSWER_VERDICT_H
#define ASSAY_SUPPORT_ANSWER_VERDICT_H

#include "base/arena.h"
#include "text/language.h"

#include <stddef.h>

enum verdict { VERDICT_NONE, VERDICT_YES, VERDICT_NO };

enum verdict verdict_of(struct arena *arena, const char *question, const char *text);

/* A part of a text, in bytes. */
struct text_range {
    size_t start, end;
};

/* The parts of a question that only compare: "longer than", "one year". None without a relation
 * ("Is the warranty two years?"). Returns how many. */
size_t verdict_ranges(struct arena *arena, const char *question, struct text_range *ranges,
                      size_t most);

/* The number from 2 to 12 that a folded word stands for; 0 = none. */
int verdict_numeral(const char *word);

/* "Yes: " in the language, or "Yes" alone. */
const char *verdict_word(enum verdict verdict, enum text_language language, bool before_text);

#endif
