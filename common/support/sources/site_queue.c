/* A list with a hash table beside it. */
#include "support/sources/site_queue.h"
#include "base/list.h"

#include <stdint.h>
#include <string.h>

enum { PLACES = 1 << 18 /* more than twice SITE_ADDRESSES_MAX */ };

void site_queue_start(struct site_queue *queue, struct arena *arena)
{
    *queue = (struct site_queue){.arena = arena};
    queue->places = ARENA_ARRAY(arena, size_t, PLACES);
    memset(queue->places, 0, PLACES * sizeof *queue->places);
}

/* FNV-1a. */
static size_t place_of(const struct site_queue *queue, const char *url)
{
    uint64_t hash = 14695981039346656037u;
    size_t place;

    for (const char *at = url; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    place = (size_t)(hash ^ hash >> 32) % PLACES;
    while (queue->places[place] && strcmp(queue->items[queue->places[place] - 1].url, url) != 0)
        place = (place + 1) % PLACES;
    return place;
}

bool site_queue_add(struct site_queue *queue, const char *url, int depth, int redirects)
{
    size_t place = place_of(queue, url);

    if (queue->places[place])
        return false;
    if (queue->count == SITE_ADDRESSES_MAX) {
        queue->full = true;
        return false;
    }
    *LIST_ADD(queue->arena, queue) =
        (struct site_address){arena_copy_string(queue->arena, url), depth, redirects};
    queue->places[place] = queue->count;
    return true;
}

const struct site_address *site_queue_take(struct site_queue *queue)
{
    return queue->next < queue->count ? &queue->items[queue->next++] : NULL;
}
