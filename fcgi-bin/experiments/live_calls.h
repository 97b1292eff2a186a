/* Calls of the domain functions of running experiments, for every family that makes them. */
#ifndef ASSAY_EXPERIMENTS_LIVE_CALLS_H
#define ASSAY_EXPERIMENTS_LIVE_CALLS_H

#include "experiments/intake/kafka_intake.h"
#include "experiments/service.h"

/* The arguments of every domain function, with the database connected. */
MUST_CHECK enum error live_begin(struct request *request, struct live_call *call);

/* Publishes records of an experiment to Kafka in place of recording them; `published` gets where
 * they lie. */
MUST_CHECK enum error live_publish(struct request *request, const struct live_call *call,
                                   const struct kafka_intake_target *target,
                                   const struct object_list *records,
                                   struct object_list *published);

#endif
