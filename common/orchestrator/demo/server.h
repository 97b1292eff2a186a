/*
 * A small HTTP server for the simulated models: OpenAI's chat completions, whole and streamed, on a
 * loopback port. Each connection has a process of its own, so that slow answers hold up nobody.
 */
#ifndef ASSAY_ORCHESTRATOR_DEMO_SERVER_H
#define ASSAY_ORCHESTRATOR_DEMO_SERVER_H

#include "orchestrator/demo/simulated.h"

struct simulated_server {
    int64_t port;
    const struct simulated_texts *texts; /* by enum language; without topics: not available */
    size_t language_count;
    const struct simulated_texts *fallback; /* for prompts in other languages */
};

/* Opens the port on 127.0.0.1. ERROR_UNAVAILABLE when it is taken. */
MUST_CHECK enum error simulated_server_listen(const struct simulated_server *server, int *listener,
                                              struct problem *problem);

/* Serves until SIGTERM or SIGINT. */
void simulated_server_run(const struct simulated_server *server, int listener);

#endif
