/* What the fault walk has to know of the livedata service, family read: the same as of its events.
 * tests/api/faults.c includes it. */
#ifndef ASSAY_FAULTS_OF_LIVEDATA_READ_H
#define ASSAY_FAULTS_OF_LIVEDATA_READ_H

#include "faults_of_livedata-events.h"

#endif
