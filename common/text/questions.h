/* Sentences that ask: one sentence that ends with a question mark of any script. */
#ifndef ASSAY_TEXT_QUESTIONS_H
#define ASSAY_TEXT_QUESTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the text is one question. Blanks, quotes and marks of emphasis may follow the mark. */
bool text_is_question(const char *text, size_t length);

/* Where the first sentence begins that does not ask; the end of the text when all do. */
size_t text_after_questions(const char *text, size_t length);

/* Whether a sentence may begin with a line: the line before it ends one, or is too short to go on
 * in this one, which does not begin with a small letter. */
bool text_sentence_may_begin(const char *before, size_t before_length, const char *line,
                             size_t length);

#endif
