/* Private to common/support/sources: the addresses of a crawl, each once, in the order in which
 * they were found. */
#ifndef ASSAY_SUPPORT_SOURCES_SITE_QUEUE_H
#define ASSAY_SUPPORT_SOURCES_SITE_QUEUE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum { SITE_ADDRESSES_MAX = 100000 };

struct site_address {
    const char *url;
    int depth;     /* links from the start page */
    int redirects; /* that led to it */
};

struct site_queue {
    struct arena *arena;
    struct site_address *items;
    size_t count, next;
    size_t *places; /* hash table: index + 1; 0 = free */
    bool full;      /* an address was dropped */
};

void site_queue_start(struct site_queue *queue, struct arena *arena);

/* False when it was added before, or the queue is full. The address is copied. */
bool site_queue_add(struct site_queue *queue, const char *url, int depth, int redirects);

/* The next address; NULL at the end. It stays until the next call that adds. */
const struct site_address *site_queue_take(struct site_queue *queue);

#endif
