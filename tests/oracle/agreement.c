/* Agreement of two judges on standard input and output, for support_evaluators_test.py. */
#include "support/evaluators/agreement.h"
#include "support/lines.h"

/* both_bad evaluator_only reviewer_only both_good confidence */
static void answer_kappa(struct line *line)
{
    struct agreement_counts counts = {.both_bad = (int64_t)line_next(line)};
    struct agreement agreement;

    counts.evaluator_only = (int64_t)line_next(line);
    counts.reviewer_only = (int64_t)line_next(line);
    counts.both_good = (int64_t)line_next(line);
    agreement = agreement_of(&counts, line_next(line));
    PRINT_NUMBERS((double)agreement.cases, agreement.observed, (double)agreement.measured,
                  agreement.kappa, agreement.low, agreement.high,
                  (double)agreement_rarest(&counts));
}

static const struct line_method methods[] = {{"kappa", answer_kappa}};

LINES_MAIN(methods)
