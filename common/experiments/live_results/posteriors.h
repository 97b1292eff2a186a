/*
 * The primary metric of a running experiment by posteriors: what /results/bayes answers, of the
 * arms as they are. The prior is the default one, or fitted to the control arms of the other
 * experiments that have the same metric.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_POSTERIORS_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_POSTERIORS_H

#include "experiments/analyses/bayes_analysis.h"
#include "experiments/live/view.h"

struct posteriors_asked {
    bool past; /* in place of the design's prior */
    double credibility;
    struct optional_number loss_threshold; /* default: the design's, or a twentieth of the
                                              worthwhile effect */
    struct optional_integer looks;         /* default: those of the plan */
};

/* ERROR_NOT_FOUND `not_found`; ERROR_INVALID `bayes_ratio` for a ratio, `bayes_clusters`,
 * `bayes_adaptive`, and as bayes_analyze(). */
MUST_CHECK enum error posteriors_of_experiment(const struct live_call *call,
                                               const struct locale *locale, const char *id,
                                               const struct posteriors_asked *asked,
                                               struct bayes_reply *reply);

#endif
