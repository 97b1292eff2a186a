/* Parses the short replies of models to the graph's nodes. */
#ifndef ASSAY_SUPPORT_MODELS_REPLIES_H
#define ASSAY_SUPPORT_MODELS_REPLIES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* A judge's verdict, 1 to 100: a reply that is a whole number, or `Score: N` or `N/100` in a text.
 * False when there is none, or several differ; other numbers are ignored. */
bool model_reply_score(const char *text, int *score);

/* "simple", "global" or "complex". */
const char *model_reply_complexity(const char *text);

/* The first line without surrounding quotes; NULL when it has fewer than three characters. */
const char *model_reply_line(struct arena *arena, const char *text);

/* Lines without bullets, numbers and blanks, at most `most`, none empty; returns how many. `marked`
 * accepts only lines that begin with `- `. */
size_t model_reply_lines(struct arena *arena, const char *text, bool marked, const char **lines,
                         size_t most);

/* Which of `count` documents are relevant: JSON (grades, documents, results, or a list; also within
 * prose), lines `document 2: no`, or one yes or no line per document. False unless every document
 * is covered exactly once. */
bool model_reply_grades(struct arena *arena, const char *text, size_t count, bool *relevant);

/* Which of `count` claims are supported, by lines `2. SUPPORTED: evidence`; claims without a line
 * are unsupported. False when no line matches. */
bool model_reply_verdicts(struct arena *arena, const char *text, size_t count, bool *supported,
                          const char **evidence);

#endif
