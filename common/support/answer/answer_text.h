/* Writes the text of an answer from its selected passages. */
#ifndef ASSAY_SUPPORT_ANSWER_ANSWER_TEXT_H
#define ASSAY_SUPPORT_ANSWER_ANSWER_TEXT_H

#include "support/answer/answer.h"
#include "support/answer/table_rows.h"

/* Fills in text, quoted text and excerpts of the cited documents. `older` is a document of which a
 * newer version is quoted; NULL = none. */
void answer_write(struct answer *answer, struct arena *arena, const struct question *question,
                  const struct asks *asks, const struct found_chunk *older);

/* The number of a document of the answer, from 1; 0 when it is none. */
int answer_number_of(const struct answer *answer, const struct found_chunk *chunk);

/* phrases.c: says that an older version exists, in the language of the question. */
const char *answer_older_version(struct arena *arena, enum text_language language,
                                 const char *title, int number);

/* phrases.c: the note behind a sentence that the documents do not support. */
const char *answer_unsupported_note(enum text_language language);

#endif
