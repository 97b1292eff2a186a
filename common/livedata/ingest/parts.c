/* Applies the events of several tenants in one transaction. */
#include "livedata/ingest/parts.h"

#include "base/clock.h"
#include "livedata/ingest/notify.h"

static enum error apply_part(struct apply_part *part)
{
    struct apply_call *call = &part->call;
    enum error error = ERROR_NONE;

    part->counts = (struct apply_counts){0};
    part->touched = (struct apply_touched){0};
    call->storage.now = clock_unix_microseconds() + call->clock_ahead;
    call->outbound_state = NULL;
    for (size_t i = 0; !error && i < part->count; i++) {
        error = apply_one(call, part->events[i], &part->touched, &part->results[i]);
        apply_count(&part->results[i], &part->counts);
    }
    if (!error)
        error = apply_finish(call, &part->touched);
    return error ? error : position_read(&call->storage, &call->position);
}

/* The lock is that of apply_batch(): one writer of the journal at a time. */
static enum error apply_all(struct db *db, struct apply_part *parts, size_t count, apply_also *also,
                            void *context, struct problem *problem)
{
    enum error error = db_lock(db, APPLY_LOCK, problem);

    for (size_t i = 0; !error && i < count; i++)
        error = apply_part(&parts[i]);
    return error ? error : also(context, db, problem);
}

enum error apply_parts(struct db *db, struct apply_part *parts, size_t count, apply_also *also,
                       void *context, struct problem *problem)
{
    enum error error = db_begin(db, DB_WRITE, problem);

    if (error)
        return error;
    error = apply_all(db, parts, count, also, context, problem);
    for (size_t i = 0; !error && i < count; i++)
        apply_announce(&parts[i].call, &parts[i].touched, false);
    error = db_finish(db, error, problem);
    for (size_t i = 0; i < count; i++) {
        if (error)
            apply_forget(&parts[i].touched);
        apply_announce(&parts[i].call, &parts[i].touched, true);
        if (!error)
            notify_publish(&parts[i].call, &parts[i].touched);
    }
    return error;
}
