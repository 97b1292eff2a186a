/* What the fault walk has to know of the livedata service, family query: the same as of its events.
 * tests/api/faults.c includes it. */
#ifndef ASSAY_FAULTS_OF_LIVEDATA_QUERY_H
#define ASSAY_FAULTS_OF_LIVEDATA_QUERY_H

#define WALK_ANSWERS_VARY /* with the time */

#include "faults_of_livedata-events.h"

#endif
