/*
 * Sentences of an answer and the markers `[N]` that refer to their documents. A sentence ends after
 * `.`, `!` or `?` and a blank, or after their full-width forms; never after the number of a list
 * item: one or two digits and a full stop at the start, after a line feed, or after one of `.!?;:`
 * and a blank.
 */
#ifndef ASSAY_SUPPORT_ANSWER_CITATIONS_H
#define ASSAY_SUPPORT_ANSWER_CITATIONS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* The end of the sentence that begins at `at`, after its mark and the blanks after it. */
size_t citation_sentence_end(const char *text, size_t length, size_t at);

struct citation_coverage {
    int sentences, cited;
};

/* Counts sentences that are not blank, and those of them with a marker. */
struct citation_coverage citation_coverage_of(const char *text);

/* The text with ` [number]` inserted before the final mark of every sentence. */
const char *citation_mark(struct arena *arena, const char *text, size_t length, int number);

/* A document's text for use in an answer: its own `[7]` is not a marker and becomes `(7)`. The
 * length does not change. */
const char *citation_escape(struct arena *arena, const char *text);

/* The text without markers and the blanks before them. */
const char *citation_strip(struct arena *arena, const char *text);

/* The text without markers whose number is outside 1..count. */
const char *citation_drop_orphans(struct arena *arena, const char *text, int count);

/* The length and the number of the marker at `text`; 0 when there is none. */
size_t citation_read(const char *text, int *number);

#endif
