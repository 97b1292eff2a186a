/* Parsers of the short replies that models give to the nodes of the graph. */
#ifndef ASSAY_SUPPORT_MODELS_REPLIES_H
#define ASSAY_SUPPORT_MODELS_REPLIES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* A judge's verdict, 1 to 100: a whole number alone, or what `Score: N` or `N/100` within a text
 * says. False when there is none, or they differ: other numbers of a text are no verdict. */
bool model_reply_score(const char *text, int *score);

/* "simple", "global" or "complex". */
const char *model_reply_complexity(const char *text);

/* The first line without quotes round it; NULL when it has fewer than three characters. */
const char *model_reply_line(struct arena *arena, const char *text);

/* Lines without bullets, numbers and blanks, at most `most`, none empty; how many. `marked` takes
 * only lines that begin with `- `. */
size_t model_reply_lines(struct arena *arena, const char *text, bool marked, const char **lines,
                         size_t most);

/* Which of `count` documents are relevant: JSON (grades, documents, results, or a list; also within
 * prose), lines `document 2: no`, or as many lines of yes and no. False when not every document is
 * covered exactly once. */
bool model_reply_grades(struct arena *arena, const char *text, size_t count, bool *relevant);

/* Which of `count` claims are supported, by lines `2. SUPPORTED: evidence`; those of which nothing
 * is said are not. False when no line is one. */
bool model_reply_verdicts(struct arena *arena, const char *text, size_t count, bool *supported,
                          const char **evidence);

#endif
