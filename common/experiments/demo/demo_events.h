/* Private to common/experiments/demo: users of the examples and their events. */
#ifndef ASSAY_EXPERIMENTS_DEMO_DEMO_EVENTS_H
#define ASSAY_EXPERIMENTS_DEMO_DEMO_EVENTS_H

#include "experiments/live/records.h"

/* Ingests the events of an example into its experiment. */
typedef enum error demo_events(const struct live_call *call, const char *experiment);

demo_events demo_checkout_events, demo_pricing_events, demo_onboarding_events;

#endif
