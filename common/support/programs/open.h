/* Opens what every program of the support service needs: settings, log, store and metrics. */
#ifndef ASSAY_SUPPORT_PROGRAMS_OPEN_H
#define ASSAY_SUPPORT_PROGRAMS_OPEN_H

#include "support/metrics.h"
#include "support/store.h"

/* Settings, the log under the program's name, the store, and the counters of the stack in
 * `run_directory` (NULL or "" = it counts nothing). What is open when it fails is the caller's to
 * close, too: `*store` and `*metrics` are NULL until they are. */
enum error program_open(const char *name, const char *run_directory, struct arena *arena,
                        struct support_settings *settings, struct store **store,
                        struct metrics **metrics, struct problem *problem);

#endif
