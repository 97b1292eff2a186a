/*
 * Answering under a promised risk: the lowest cutoff at which, with a chosen confidence, no more
 * than a chosen share of the answers that go out is wrong; and what that costs in coverage.
 *
 * Bounds are exact (Clopper and Pearson 1934). Cutoffs are tried from the strictest down, and the
 * first one that does not pass ends the search (fixed sequence testing: Bauer 1991; for risks:
 * Angelopoulos, Bates, Candes, Jordan and Lei 2021, "Learn then test"), so that trying many does
 * not cost confidence. The search begins where a quarter of the judged answers goes out, or as many
 * as show the risk when half of it is seen, whichever are fewer; and never with so few that nothing
 * could be shown. That depends on their number alone, as it must. The promise holds for answers
 * drawn as the judged ones were, where a higher score does not mean a higher share of wrong ones.
 */
#ifndef ASSAY_SUPPORT_TRENDS_RISK_H
#define ASSAY_SUPPORT_TRENDS_RISK_H

#include "support/trends/threshold.h"

/* The bounds of a share of `wrong` among `all`, each with the confidence; 0 and 1 for none. */
double risk_upper_bound(int64_t wrong, int64_t all, double confidence);
double risk_lower_bound(int64_t wrong, int64_t all, double confidence);

/* The fewest answers, all of them right, that show a risk. */
int64_t risk_least_answers(double risk, double confidence);

enum risk_reason { RISK_FOUND, RISK_TOO_FEW, RISK_NOT_REACHED, RISK_REASON__MAX };
extern const char *const risk_reason_names[RISK_REASON__MAX]; /* found, too_few, not_reached */

struct risk_cut {
    enum risk_reason reason;
    double cutoff;          /* where one was found, as all below but the last */
    int64_t given, wrong;   /* judged answers that go out, and the wrong ones among them */
    double observed, upper; /* their share, and its bound */
    double coverage;        /* share of judged answers that go out */
    int64_t needed;         /* answers that must go out before a risk can be shown */
};

/* Of a metric where low is bad; values on the grid of its settings (integers, or hundredths). */
void risk_control(const struct threshold_kind *kind, const struct threshold_samples *samples,
                  double risk, double confidence, struct risk_cut *cut);

/* The lowest cutoff at which the expected share of all questions that get a wrong answer is at most
 * `risk` (conformal risk control: Angelopoulos, Bates, Fisch, Lei and Schuster 2022). False where
 * even answering nothing would not show it. */
bool risk_expected(const struct threshold_kind *kind, const struct threshold_samples *samples,
                   double risk, double *cutoff, double *coverage);

/* Whether a promise still stands by answers that were judged since. */
enum risk_state { RISK_HOLDS, RISK_UNDECIDED, RISK_BROKEN, RISK_STATE__MAX };
extern const char *const risk_state_names[RISK_STATE__MAX]; /* holds, undecided, broken */
enum risk_state risk_state_of(int64_t wrong, int64_t given, double risk, double confidence);

#endif
