/* GET /api/v1/livedata: what live data offers to metrics and alarms. */
#ifndef ASSAY_EXPERIMENTS_ADVICE_LIVEDATA_H
#define ASSAY_EXPERIMENTS_ADVICE_LIVEDATA_H

#include "experiments/sources/source_offer.h"
#include "http/request.h"

enum error livedata_offer_handle(struct request *request, struct reply *reply);

#endif
