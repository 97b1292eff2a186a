/*
 * Reads that may be old. The handler of a row with TRAIT_MAY_BE_OLD gets the handle of the
 * service's replica (db/replica.h) where that may answer now; the answer then says in
 * X-Data-Age-Seconds how old its data may be. Only successes come from a replica: what fails there
 * is asked of the database itself, by calling the handler again.
 *
 * Answers to writes carry X-Data-Position, the position of the database's log. A read that sends it
 * back is not answered by a replica that has not reached it.
 */
#ifndef ASSAY_HTTP_REPLICA_H
#define ASSAY_HTTP_REPLICA_H

#include "db/replica.h"
#include "http/request.h"

/* Of a GET row, beside the traits that its service defines. */
enum { TRAIT_MAY_BE_OLD = 1 << 30 };

/* For the service's function that gives handlers their handle: whether `*db` is now the replica's.
 * The first answer holds for the whole request. `replica` may be NULL. */
bool request_reads_replica(struct request *request, struct replica *replica, struct db *primary,
                           struct db **db);

/* How old the data that the request reads may be by now, in microseconds; 0 = of the database
 * itself. */
int64_t request_data_age(const struct request *request);

/* For the service's finish(): adds the position to a complete answer to a write. */
void reply_state_position(const struct request *request, struct reply *reply,
                          const struct replica *replica, struct db *primary);

#endif
