/*
 * Patterns for evaluating answers: refusal phrases, and regular expressions for personal data. They
 * are built in, or come from the file of EVALUATOR_PATTERNS_PATH. One list per process, for
 * answering, evaluation, regression runs and the curated dataset.
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
    bool (*accepts)(const char *text,
                    size_t length); /* checks a match; NULL = accepts every match */
};

/* Loads the patterns of the settings into `arena`, which must live as long as the process. Uses the
 * built-in patterns when no path is set, and none, with a warning, when the file does not exist. A
 * regular expression that does not compile is skipped with a warning. ERROR_INVALID names the
 * setting and the invalid member; the current patterns then stay in force. */
MUST_CHECK enum error patterns_load(struct arena *arena, const struct support_settings *settings,
                                    struct problem *problem);

/* In lower case; NULL ends the list. */
const char *const *patterns_refusals(void);

/* Sorted by name. */
struct pii_pattern *patterns_pii(size_t *count);

#endif
