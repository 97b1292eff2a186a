/*
 * Where workers hand their jobs in: a Unix socket that only this user can reach, one message per
 * connection, and a queue in order of arrival. It is served whenever its descriptor is ready, in
 * the middle of a job too. Whoever closes his connection takes his job back.
 */
#ifndef ASSAY_ORCHESTRATOR_BROWSER_DESK_H
#define ASSAY_ORCHESTRATOR_BROWSER_DESK_H

#include "orchestrator/browser/job.h"

enum { DESK_CLIENTS_MAX = 64 };

struct browser_desk;
struct browser_client;

/* Binds the socket; one that a dead process left is replaced. `health` writes the answer to those
 * who only ask. ERROR_BUSY `desk_taken`: another process serves it. ERROR_SYSTEM. */
MUST_CHECK enum error browser_desk_open(const char *path, size_t queue_max,
                                        const char *(*health)(struct arena *arena, void *context),
                                        void *context, struct browser_desk **desk,
                                        struct problem *problem);
void browser_desk_close(struct browser_desk *desk);

/* Readable when browser_desk_serve() has something to do. */
int browser_desk_fd(const struct browser_desk *desk);

/* Does what can be done without waiting. */
void browser_desk_serve(struct browser_desk *desk);

/* Waits for something to do, at most so long, and does it. */
void browser_desk_wait(struct browser_desk *desk, int milliseconds);

/* The next job, NULL when none waits; answered by browser_desk_answer(). Its texts live until then.
 */
struct browser_client *browser_desk_take(struct browser_desk *desk, struct browser_job *job);
bool browser_desk_client_is_gone(const struct browser_desk *desk,
                                 const struct browser_client *client);
void browser_desk_answer(struct browser_desk *desk, struct browser_client *client,
                         const struct browser_end *end);

#endif
