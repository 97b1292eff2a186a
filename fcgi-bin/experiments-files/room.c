/* A semaphore counts the uploads, with the room as their cost. Tickets of workers that died are
 * reclaimed. */
#include "experiments-files/room.h"

#include "shm/semaphore.h"

/* Rows are at most that many times the bytes of their records: three doubles and one for each
 * covariate, of which the shortest record has four bytes and two for each. */
enum { ROWS_OF_UPLOAD = 6, UNIT = 1024 * 1024 };

struct room {
    struct shm_region *region;
    struct semaphore_ticket ticket;
};

static void release(void *thing)
{
    struct room *room = thing;

    semaphore_release(room->region, &room->ticket);
}

static uint32_t units_of(int64_t bytes)
{
    int64_t units = (bytes + UNIT - 1) / UNIT;

    return units < INT32_MAX ? (uint32_t)units : INT32_MAX;
}

enum error room_take(struct request *request, struct reply *reply, int64_t length,
                     struct arena_guard **guard)
{
    const struct experiments_settings *settings = service_settings(request);
    int64_t most = settings->data_temporary_bytes, rows = ROWS_OF_UPLOAD * length;
    const struct semaphore_request wanted = {.name = "data-uploads",
                                             .cost = units_of(rows < most ? rows : most),
                                             .count_max = (uint32_t)settings->data_uploads,
                                             .cost_max = units_of(most)};
    struct room *room = ARENA_NEW(request->arena, struct room);
    struct semaphore_usage usage;

    *guard = arena_guard(request->arena, release);
    room->region = request->server->region;
    if (semaphore_try(room->region, &wanted, &room->ticket, &usage) == SEMAPHORE_ACQUIRED) {
        (*guard)->thing = room;
        return ERROR_NONE;
    }
    reply_add_header(
        reply, "Retry-After",
        arena_print(request->arena, "%lld", (long long)settings->compute_retry_after_seconds));
    return problem_set(&request->problem, ERROR_BUSY, "uploads_busy",
                       "Other uploads are being analyzed; send it again later");
}
