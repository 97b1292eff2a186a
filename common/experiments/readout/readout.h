/*
 * What a running experiment shows, computed from a view of its aggregates. Knows nothing of HTTP
 * and runs no SQL.
 */
#ifndef ASSAY_EXPERIMENTS_READOUT_READOUT_H
#define ASSAY_EXPERIMENTS_READOUT_READOUT_H

#include "experiments/live/view.h"
#include "experiments/readout/live_shape.h"
#include "i18n/i18n.h"

struct readout_call {
    const struct locale *locale; /* of all texts */
    struct arena *arena;
    int64_t mixture_users; /* people per arm that always-valid inference is tuned for where the
                              design has no effect to tune it for */
};

/* Every block. */
void readout_statistics(const struct readout_call *call, const struct live_view *view,
                        struct live_stats *stats);

#endif
