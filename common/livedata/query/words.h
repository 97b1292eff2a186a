/*
 * Words of a question. Each word belongs to one slot: a filler, which carries no meaning, or a part
 * of the plan. A word without a slot, or with a slot that the plan does not use, is not understood,
 * and the question is refused with these words named.
 */
#ifndef ASSAY_LIVEDATA_QUERY_WORDS_H
#define ASSAY_LIVEDATA_QUERY_WORDS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { QUESTION_WORDS_MAX = 400 };

enum word_slot {
    SLOT_NONE, /* not understood */
    SLOT_FILLER,
    SLOT_ORDER, /* subjects */
    SLOT_USER,
    SLOT_PRODUCT,
    SLOT_SESSION,
    SLOT_COUNT, /* measures */
    SLOT_REVENUE,
    SLOT_AVERAGE,
    SLOT_CONVERSION,
    SLOT_ERRORS,
    SLOT_ACTIVE,
    SLOT_STOCK,
    SLOT_RANK,
    SLOT_PRICE,
    SLOT_SPENT,
    SLOT_DETAIL, /* fields of an entity that is named by its id */
    SLOT_PERIOD, /* subject of the fields */
    SLOT_NOW,
    SLOT_ALL,
    SLOT_STATUS,
    SLOT_CURRENCY,
    SLOT_AMOUNT,
    SLOT_GROUP,
    SLOT_ORDER_ID,
    SLOT_USER_ID,
    SLOT_PRODUCT_ID,
    SLOT_SESSION_ID,
    SLOT__MAX
};

struct question_word {
    const char *text;  /* in lower case */
    const char *shown; /* as written */
    enum word_slot slot;
    bool number;
    double value;
};

struct question_words {
    size_t count;
    struct question_word *items; /* one more than `count`, with an empty text */
    bool cut;                    /* the question has more than QUESTION_WORDS_MAX words */
};

/* The length of a time of day that begins there, 0 = none: "9:00", "09:30:15", "9am", "8:30pm". It
 * is one word. "9 am" is two words: German says "mehr als 9 am Montag". */
size_t clock_length(const char *at);

/* Splits the question: words of all scripts, numbers, ids, dates; each sign is a word. "weren't"
 * becomes "were" and "not". */
void words_read(struct arena *arena, const char *question, struct question_words *words);

/* Makes "seven" a number. */
void word_read_number(struct question_word *word);

/* Whether the word at `at` is this one, or one of the list (NULL at the end); false past the end.
 */
bool word_is(const struct question_words *words, size_t at, const char *text);
bool word_is_one_of(const struct question_words *words, size_t at, const char *const *list);
/* Assigns the slot to `count` words from `at` on. */
void words_take(struct question_words *words, size_t at, size_t count, enum word_slot slot);
bool words_have(const struct question_words *words, enum word_slot slot);

/* Words without a slot so far. */
bool word_is_free(const struct question_words *words, size_t at);

#endif
