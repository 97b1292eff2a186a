/*
 * Which slices of exposures an experiment keeps. A slice is a value of a dimension. The design may
 * name the dimensions, and their values; what has no place counts as "other", so that names are
 * bounded whatever is sent.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_SLICES_H
#define ASSAY_EXPERIMENTS_LIVE_SLICES_H

#include "experiments/live/rollup_store.h"

/* Of a dimension that the design does not restrict: the values that come first. As many different
 * dimensions as an exposure may have are kept. */
enum { LIVE_SLICE_VALUES_MAX = PAYLOAD_VALUES_MAX };

/* Assigns numbers to the slices of the list, as live_number_names() does. Values without a place
 * get the number of "other"; the number is 0 where the dimension is not kept. */
MUST_CHECK enum error live_number_slices(const struct live_call *call,
                                         struct live_experiment *experiment,
                                         struct live_name_list *slices);

/* Whether live_number_slices() would create a name. */
MUST_CHECK enum error live_brings_slices(const struct live_call *call,
                                         const struct live_experiment *whole,
                                         struct live_name_list *slices, bool *brings);

/* The slices of a unit as text: numbers with blanks between them, each once. NULL when none is
 * kept. */
const char *live_slices_text(struct arena *arena, const struct live_name_list *slices,
                             const struct live_exposure *exposure);

#endif
