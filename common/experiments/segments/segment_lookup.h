/*
 * To which segments a user belongs, for targeting. The list and the rules of all segments that a
 * design names are read by one statement each time, so that a change holds at once for every worker
 * and host.
 */
#ifndef ASSAY_EXPERIMENTS_SEGMENTS_SEGMENT_LOOKUP_H
#define ASSAY_EXPERIMENTS_SEGMENTS_SEGMENT_LOOKUP_H

#include "base/error.h"
#include "experiments/assignment/targeting.h"

struct db;

/* Gives the subject the segments with these names, as far as there are. The transaction is the
 * caller's. */
MUST_CHECK enum error segment_lookup(struct db *db, const struct string_list *names,
                                     struct targeting_subject *subject, struct problem *problem);

#endif
