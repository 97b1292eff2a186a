/*
 * The sentences of a text. A sentence ends after a full stop, an exclamation or question mark (of
 * any script) that is followed by a blank or the end, at a line's end when the line is an item of
 * a list, and at every blank line. It does not end after a list number, an initial, or one of the
 * usual abbreviations ("Dr.", "z.B.", "No. 5"), nor before a small letter.
 */
#ifndef ASSAY_TEXT_SENTENCES_H
#define ASSAY_TEXT_SENTENCES_H

#include <stdbool.h>
#include <stddef.h>

struct sentence_reader {
    const char *source;
    size_t length;
    size_t at;
};

void sentence_reader_start(struct sentence_reader *reader, const char *source, size_t length);

/* The next sentence without blanks around it, as its position in the source. False at the end. */
bool sentence_next(struct sentence_reader *reader, size_t *start, size_t *end);

/* The end of the sentence that begins at `from` when the mark at `at` ends it: after the marks and
 * closing brackets that follow. 0 when it does not, or there is no mark. Ignores line ends. */
size_t sentence_mark_end(const char *source, size_t length, size_t from, size_t at);

#endif
