/* Reads the goals of all experiments that are rows of live data. Used by the program of that
 * name. */
#ifndef ASSAY_EXPERIMENTS_SOURCES_SOURCE_READER_H
#define ASSAY_EXPERIMENTS_SOURCES_SOURCE_READER_H

#include "experiments/sources/source_apply.h"

struct source_reader {
    const struct source_settings *settings;
    struct db *db;
    struct arena *arena; /* for the list of sources */
    struct arena *page;  /* of the page in hand; is reset */
    int64_t spike_events, clusters_max;
    struct problem *problem;
};

/* Reads at most `pages` pages for each experiment. A source that fails is noted, with its reason,
 * and does not keep the others from theirs. `more`: some have further changes. Fails by the
 * database alone. */
MUST_CHECK enum error source_read_all(const struct source_reader *reader, bool *more);

#endif
