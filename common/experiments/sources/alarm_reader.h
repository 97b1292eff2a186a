/* Reads the figures that guardrail alarms watch. Used by the program experiments-livedata. */
#ifndef ASSAY_EXPERIMENTS_SOURCES_ALARM_READER_H
#define ASSAY_EXPERIMENTS_SOURCES_ALARM_READER_H

#include "experiments/sources/source_reader.h"

/* Reads each alarm of experiments that are not archived once. One that fails is noted, with its
 * reason, and does not keep the others from theirs. Fails by the database alone. */
MUST_CHECK enum error alarm_reader_run(const struct source_reader *reader);

#endif
