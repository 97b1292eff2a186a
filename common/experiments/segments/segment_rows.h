/* Private to common/experiments/segments: what its storage files share. */
#ifndef ASSAY_EXPERIMENTS_SEGMENTS_SEGMENT_ROWS_H
#define ASSAY_EXPERIMENTS_SEGMENTS_SEGMENT_ROWS_H

#include "experiments/projects/named.h"
#include "experiments/projects/segment_uses.h"
#include "experiments/segments/segment_store.h"

/* ERROR_CONFLICT `segment_changed` where `if_match` names another version. */
MUST_CHECK enum error segment_check_match(const struct project_call *call,
                                          const struct segment *segment, const char *if_match);

/* Reads the segment under the lock of all segments, and checks its version. */
MUST_CHECK enum error segment_lock(const struct project_call *call, const char *id,
                                   const char *if_match, struct segment *segment);

#endif
