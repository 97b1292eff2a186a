/* Opens the common parts of every program of the support service: settings, log, store and
 * metrics. */
#ifndef ASSAY_SUPPORT_PROGRAMS_OPEN_H
#define ASSAY_SUPPORT_PROGRAMS_OPEN_H

#include "support/metrics.h"
#include "support/store.h"

/* Opens the settings, the log under the program's name, the store, and the metrics of the stack in
 * `run_directory` (NULL or "" = no metrics). After an error the caller closes what is open:
 * `*store` and `*metrics` are NULL until they are. */
enum error program_open(const char *name, const char *run_directory, struct arena *arena,
                        struct support_settings *settings, struct store **store,
                        struct metrics **metrics, struct problem *problem);

#endif
