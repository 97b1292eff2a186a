/*
 * The sentences of a passage that answer a question: the best one, those that cover what it leaves
 * open, and those without which they cannot be read. Lists and table rows are quoted
 * whole, lists of fields by the field.
 */
#ifndef ASSAY_SUPPORT_ANSWER_QUOTE_H
#define ASSAY_SUPPORT_ANSWER_QUOTE_H

#include "support/answer/select.h"
#include "support/questions/asks.h"

/* The text to quote, of the arena. `covered` is the cover of each term by what was quoted before;
 * `first` that nothing was. */
const char *quote_of(struct arena *arena, const struct question *question, const struct asks *asks,
                     const struct selected *item, float *covered, bool first);

#endif
