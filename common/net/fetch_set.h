/*
 * Concurrent calls, for callers that start calls depending on how others ended. One loop, no
 * threads. Outside of fibers the calls make progress only during fetch_set_wait(), and a process
 * has one set at a time: beginning a set ends what an earlier one has left behind. In a fiber
 * waiting lets other fibers run, and each has its own set. Jumping out of a callback is safe: the
 * reset of the arena ends the calls.
 */
#ifndef ASSAY_NET_FETCH_SET_H
#define ASSAY_NET_FETCH_SET_H

#include "net/fetch.h"

struct fetch_set;

/* Bodies of answers come from the arena. */
struct fetch_set *fetch_set_begin(struct arena *arena);

/* Adds a call and starts it. Request and answer must stay valid until it has ended; the answer's
 * address identifies the call. */
void fetch_set_add(struct fetch_set *set, const struct fetch_request *request,
                   struct fetch_answer *answer);

/* Drives the calls until one of them has ended: its answer, complete. NULL when the monotonic clock
 * reached `until` (microseconds; 0 = never), when the watch cancels all calls, or when no call
 * runs. Each call is returned once. */
struct fetch_answer *fetch_set_wait(struct fetch_set *set, int64_t until,
                                    const struct fetch_watch *watch);

/* Whether the last wait ended because of the watch. */
bool fetch_set_was_cancelled(const struct fetch_set *set);

/* Calls that have not ended, or that fetch_set_wait() has not returned yet. */
size_t fetch_set_running(const struct fetch_set *set);

/* Ends one call as FETCH_CANCELLED and closes its connection; fetch_set_wait() does
 * not return it. */
void fetch_set_cancel(struct fetch_set *set, struct fetch_answer *answer);

/* Cancels all calls that still run. */
void fetch_set_end(struct fetch_set *set);

#endif
