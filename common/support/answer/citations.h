/*
 * Sentences of an answer and the markers `[N]` that tie them to the documents behind it. A sentence
 * ends after `.`, `!` or `?` and a blank, or after their full-width forms; never after the number
 * of a list, that is one or two digits and a full stop at the start, after a line feed, or after
 * one of `.!?;:` and a blank.
 */
#ifndef ASSAY_SUPPORT_ANSWER_CITATIONS_H
#define ASSAY_SUPPORT_ANSWER_CITATIONS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* The sentence from `at` on: its end (behind its mark and the blanks after it). */
size_t citation_sentence_end(const char *text, size_t length, size_t at);

struct citation_coverage {
    int sentences, cited;
};

/* Sentences that hold something besides blanks, and those of them with a marker. */
struct citation_coverage citation_coverage_of(const char *text);

/* The text with ` [number]` before the closing mark of every sentence. */
const char *citation_mark(struct arena *arena, const char *text, size_t length, int number);

/* The text of a document as it may stand in an answer: its own `[7]` is no marker and becomes
 * `(7)`. As long as before. */
const char *citation_escape(struct arena *arena, const char *text);

/* The text without markers (and the blank before them). */
const char *citation_strip(struct arena *arena, const char *text);

/* The text without markers of numbers outside 1..count. */
const char *citation_drop_orphans(struct arena *arena, const char *text, int count);

/* The marker at `text`: its length, with its number; 0 when there is none. */
size_t citation_read(const char *text, int *number);

#endif
