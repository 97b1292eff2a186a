/* Private to typed_sentence.c: the words of sentences, by language. `%s` are filled in in order. */
#ifndef ASSAY_LIVEDATA_QUERY_TYPED_WORDS_H
#define ASSAY_LIVEDATA_QUERY_TYPED_WORDS_H

#include "livedata/query/typed_plan.h"

struct typed_words {
    const char *language;
    const char *selects[TYPED_SELECT__MAX]; /* of the entity; of a column and the entity; of a
                                               metric and its description */
    const char *column;                     /* of rows, one of their columns */
    const char *only;                       /* of a record, one of its columns */
    const char *quantile;
    const char *where, *and;
    const char *operators[TYPED_OPERATOR__MAX];
    const char *time, *from, *until, *always;
    const char *last[3]; /* minutes, hours, days */
    const char *compared;
    const char *by, *descending, *ascending, *value, *limit;
    const char *currency;
    const char *stop;
};

/* English for NULL and unknown languages. */
const struct typed_words *typed_words_of(const char *language);

#endif
