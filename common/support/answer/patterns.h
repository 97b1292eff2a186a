/*
 * The patterns that answers are judged by: phrases by which refusals are known, and regular
 * expressions of personal data. They are built in, or come from the file of
 * EVALUATOR_PATTERNS_PATH. One list for the whole process: for answering, evaluation, regression
 * runs and the curated dataset.
 */
#ifndef ASSAY_SUPPORT_ANSWER_PATTERNS_H
#define ASSAY_SUPPORT_ANSWER_PATTERNS_H

#include "base/arena.h"
#include "base/error.h"
#include "support/settings.h"
#include "text/pattern.h"

struct pii_pattern {
    const char *name;
    struct pattern pattern;
    bool (*accepts)(const char *text, size_t length); /* a match; NULL = every one */
};

/* Puts the patterns of the settings in force, from `arena`, which lives as long as the process. The
 * built-in ones where no path is set; none, with a warning, where there is no such file. A regular
 * expression that does not compile is left out with a warning. ERROR_INVALID naming the setting and
 * the member where the file is wrong: the patterns in force stay. */
MUST_CHECK enum error patterns_load(struct arena *arena, const struct support_settings *settings,
                                    struct problem *problem);

/* In lower case, ending with NULL. */
const char *const *patterns_refusals(void);

/* In the order of their names. */
struct pii_pattern *patterns_pii(size_t *count);

#endif
