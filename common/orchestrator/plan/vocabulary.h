/* Private to common/orchestrator/plan: the words of each language that indicate the complexity and
 * the kind of a prompt. A new language is one more entry of the table. */
#ifndef ASSAY_ORCHESTRATOR_PLAN_VOCABULARY_H
#define ASSAY_ORCHESTRATOR_PLAN_VOCABULARY_H

#include "orchestrator/names.h"
#include "text/language.h"

enum { WEIGHING_IDEAS = 18, JOINING_IDEAS = 11 };

/* Each text is one idea: its alternatives are separated by `|`. An alternative is the beginning of
 * a word in lower case, or any part of a word in scripts that join or do not separate words. `~`
 * matches at least one character of the same line. The ideas are the same in every language, so
 * that a prompt and its translation have the same score. */
struct vocabulary {
    const char *weighing[WEIGHING_IDEAS]; /* compare, analyze... */
    const char *joining[JOINING_IDEAS];   /* and also, furthermore... */
    const char *kinds[TASK_GENERAL];
};

enum { RELATED_MAX = 4 };

/* The lists of a language and of those with which a short text may be confused; returns how many. 0
 * for languages without a list: these are assessed by structure. English has its own list of whole
 * words in assess.c. */
size_t vocabularies_of(enum text_language language, const struct vocabulary *lists[RELATED_MAX]);

#endif
