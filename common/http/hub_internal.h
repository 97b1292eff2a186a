/* Private to common/http: the hub as the responder's loop uses it. */
#ifndef ASSAY_HTTP_HUB_INTERNAL_H
#define ASSAY_HTTP_HUB_INTERNAL_H

#include "http/hub.h"
#include "http/listener.h"

/* Before the worker confines itself: makes the FIFO. */
MUST_CHECK enum error hub_open(struct server *server, const char *run_directory,
                               struct problem *problem);
void hub_close(struct server *server);

/* Serves until the worker must stop; `serve_one` serves one request. */
void hub_serve(struct server *server, const struct listener *listener,
               void (*serve_one)(struct server *server, int connection));

/* Takes over the connection of the request that was suspended; `id` is the transport's. */
void hub_attach(struct server *server, int connection, unsigned id);

#endif
