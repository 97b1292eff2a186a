/*
 * The release gate. It answers the fixed questions as the service would and measures the answers. A
 * question with a document must be answered from that document; a question without one must be
 * refused or sent to a human, with no citation. When a configured model cannot be reached, the gate
 * is skipped: a run without the model says nothing about the model.
 */
#ifndef ASSAY_SUPPORT_REGRESSION_EVAL_GATE_H
#define ASSAY_SUPPORT_REGRESSION_EVAL_GATE_H

#include "support/regression/fixed_questions.h"
#include "support/regression/run.h"
#include "support/trends/measures.h"

extern const char eval_gate_result_path[]; /* below DATA_DIR, like the baseline results */

struct eval_gate_case {
    const struct fixed_question *question;
    const char *route;
    bool right; /* answered from its document, or refused as expected */
    struct answered_measures scores;
};

struct eval_gate {
    bool skipped;
    const char *reason; /* why it was skipped; else NULL */
    struct answered_measures values;
    struct optional_number baseline[MEASURE__ANSWERED];
    struct string_list failures; /* none = passed */
    const struct eval_gate_case *cases;
    size_t count;
};

/* Answers the questions, evaluates the answers, and stores the results as the next baseline. Errors
 * of the questions, the baseline and the database; ERROR_INVALID too_few_cases. */
MUST_CHECK enum error eval_gate_run(const struct regression_tools *tools, const char *path,
                                    const char *tenant, struct eval_gate *gate);

#endif
