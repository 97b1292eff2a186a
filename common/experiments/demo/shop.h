/*
 * The three projects of the suite's demonstration as running tests, in the language of a reader:
 * one collects events, one is ready to ship, and one shows a real gain that is not yet proven worth
 * it. Their events are those of the last four weeks. People and outcomes are the same on every
 * host.
 */
#ifndef ASSAY_EXPERIMENTS_DEMO_SHOP_H
#define ASSAY_EXPERIMENTS_DEMO_SHOP_H

#include "base/demo_files.h"
#include "experiments/demo/demo.h"

/* Creates the missing projects, each with its analysis and its events. Existing projects, also
 * archived ones, are found by name and are not changed. Runs its own transactions. */
MUST_CHECK enum error shop_make(const struct live_call *call, const struct demo_files *files,
                                struct demo_made *made);

#endif
