/*
 * Risk control: the lowest cutoff at which, with a chosen confidence, at most a chosen share of the
 * sent answers is wrong; and its coverage.
 *
 * Bounds are exact (Clopper and Pearson 1934). Cutoffs are tried from the strictest down, and the
 * first one that fails ends the search (fixed sequence testing: Bauer 1991; for risks:
 * Angelopoulos, Bates, Candes, Jordan and Lei 2021, "Learn then test"), so that trying many does
 * not reduce the confidence. The search begins where a quarter of the judged answers is sent, or as
 * many answers as prove the risk if half of it occurs, whichever are fewer; and never with too few
 * answers to prove anything. This start depends only on the number of answers, as it must. The
 * guarantee holds for answers drawn like the judged ones, if a higher score does not mean a higher
 * share of wrong answers.
 */
#ifndef ASSAY_SUPPORT_TRENDS_RISK_H
#define ASSAY_SUPPORT_TRENDS_RISK_H

#include "support/trends/threshold.h"

/* Confidence bounds of the share of `wrong` in `all`; 0 and 1 when `all` is 0. */
double risk_upper_bound(int64_t wrong, int64_t all, double confidence);
double risk_lower_bound(int64_t wrong, int64_t all, double confidence);

/* The smallest number of answers, all of them right, that proves a risk. */
int64_t risk_least_answers(double risk, double confidence);

enum risk_reason { RISK_FOUND, RISK_TOO_FEW, RISK_NOT_REACHED, RISK_REASON__MAX };
extern const char *const risk_reason_names[RISK_REASON__MAX]; /* found, too_few, not_reached */

struct risk_cut {
    enum risk_reason reason;
    double cutoff;          /* set when found, like all members below except the last */
    int64_t given, wrong;   /* judged answers that are sent, and the wrong ones among them */
    double observed, upper; /* their share, and its bound */
    double coverage;        /* share of judged answers that are sent */
    int64_t needed;         /* answers that must be sent before a risk can be proved */
};

/* For a metric where low values are bad; values on the grid of its settings (integers, or
 * hundredths). */
void risk_control(const struct threshold_kind *kind, const struct threshold_samples *samples,
                  double risk, double confidence, struct risk_cut *cut);

/* The lowest cutoff at which the expected share of all questions with a wrong answer is at most
 * `risk` (conformal risk control: Angelopoulos, Bates, Fisch, Lei and Schuster 2022). False when
 * even answering nothing would not prove it. */
bool risk_expected(const struct threshold_kind *kind, const struct threshold_samples *samples,
                   double risk, double *cutoff, double *coverage);

/* Whether a guarantee still holds for the answers judged since it was given. */
enum risk_state { RISK_HOLDS, RISK_UNDECIDED, RISK_BROKEN, RISK_STATE__MAX };
extern const char *const risk_state_names[RISK_STATE__MAX]; /* holds, undecided, broken */
enum risk_state risk_state_of(int64_t wrong, int64_t given, double risk, double confidence);

#endif
