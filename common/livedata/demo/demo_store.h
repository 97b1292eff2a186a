/* Private to common/livedata/demo: how far the demonstration has got. Contains all SQL of it. */
#ifndef ASSAY_LIVEDATA_DEMO_DEMO_STORE_H
#define ASSAY_LIVEDATA_DEMO_DEMO_STORE_H

#include "livedata/storage_call.h"

/* When the newest event of the source was applied; 0 = there is none. */
MUST_CHECK enum error demo_store_newest(const struct storage_call *call, const char *source,
                                        int64_t *at);

#endif
