/* Which segments of users the design of a project names. */
#ifndef ASSAY_EXPERIMENTS_PROJECTS_SEGMENT_USES_H
#define ASSAY_EXPERIMENTS_PROJECTS_SEGMENT_USES_H

#include "experiments/projects/project_store.h"

/* The lock under which segments change, and under which a design takes them. */
#define SEGMENTS_LOCK "segments"

/* Whether the design names a segment that is not here. */
MUST_CHECK enum error segment_is_missing(const struct project_call *call,
                                         const struct experiment_payload *payload, bool *missing);

/*
 * Notes the segments that the design names, in place of those before; inside the transaction that
 * saves the design. ERROR_INVALID with `segment_unknown` where there is no such segment, unless the
 * design `before` (NULL = none) names it too: it came from another installation.
 */
MUST_CHECK enum error segment_use_note(const struct project_call *call, const char *project_id,
                                       const struct experiment_payload *payload,
                                       const struct experiment_payload *before);

/* The same with the metric of the catalog (metric_uses.h): all that the design names. */
MUST_CHECK enum error project_note_uses(const struct project_call *call, const char *project_id,
                                        const struct experiment_payload *payload,
                                        const struct experiment_payload *before);

#endif
