/* Private to common/orchestrator/plan: the words of each language that tell how complex a prompt is
 * and of which kind. A new language is one more entry of the table. */
#ifndef ASSAY_ORCHESTRATOR_PLAN_VOCABULARY_H
#define ASSAY_ORCHESTRATOR_PLAN_VOCABULARY_H

#include "orchestrator/names.h"
#include "text/language.h"

enum { WEIGHING_IDEAS = 18, JOINING_IDEAS = 11 };

/* Each text is one idea: the alternatives are separated by `|`. An alternative is the beginning of
 * a word in lower case, or any part of it in scripts that join or do not separate words. `~` stands
 * for at least one character of the same line. The ideas are the same in every language, so that
 * a prompt and its translation have the same score. */
struct vocabulary {
    const char *weighing[WEIGHING_IDEAS]; /* compare, analyze... */
    const char *joining[JOINING_IDEAS];   /* and also, furthermore... */
    const char *kinds[TASK_GENERAL];
};

enum { RELATED_MAX = 4 };

/* The lists of a language and of those that a short text of it may be taken for; how many. 0 for
 * languages without a list: for those structure is counted. English has its own list in assess.c,
 * of whole words. */
size_t vocabularies_of(enum text_language language, const struct vocabulary *lists[RELATED_MAX]);

#endif
