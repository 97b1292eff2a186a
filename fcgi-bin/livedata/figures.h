/* What live data counts for scrapers. */
#ifndef ASSAY_LIVEDATA_FIGURES_H
#define ASSAY_LIVEDATA_FIGURES_H

#include "shm/metrics.h"

enum live_figure {
    FIGURE_REQUESTS,
    FIGURE_AUTH_FAILURES,
    FIGURE_DROPPED,
    FIGURE_HEALTH,
    FIGURE_APPLIED,
    FIGURE_DEAD_LETTERED,
    FIGURE_DUPLICATES,
    FIGURE_BATCH_SIZE,
    FIGURE__MAX
};
extern const struct metric live_figures[FIGURE__MAX];

#endif
