/*
 * The server of the browser's job queue: a Unix socket that only this user can access, one message
 * per connection, jobs in order of arrival. The process serves it whenever its descriptor is ready,
 * also during a job. A client cancels its job by closing its connection.
 */
#ifndef ASSAY_ORCHESTRATOR_BROWSER_JOB_SERVER_H
#define ASSAY_ORCHESTRATOR_BROWSER_JOB_SERVER_H

#include "orchestrator/browser/job.h"

enum { JOB_CLIENTS_MAX = 64 };

struct job_server;
struct job_client;

/* Binds the socket and replaces one left by a dead process. `health` answers health requests.
 * ERROR_BUSY `browser_socket_taken`: another process serves the socket. ERROR_SYSTEM. */
MUST_CHECK enum error job_server_open(const char *path, size_t queue_max,
                                      const struct browser_health *(*health)(struct arena *arena,
                                                                             void *context),
                                      void *context, struct job_server **server,
                                      struct problem *problem);
void job_server_close(struct job_server *server);

/* Readable when job_server_serve() has something to do. */
int job_server_fd(const struct job_server *server);

/* Handles everything that needs no waiting. */
void job_server_serve(struct job_server *server);

/* Waits for the sockets, at most that long, and handles them. */
void job_server_wait(struct job_server *server, int milliseconds);

/* The next job, NULL when none is queued; job_server_answer() answers it. Its texts are valid until
 * then. */
struct job_client *job_server_take(struct job_server *server, struct browser_job *job);
bool job_server_client_is_gone(const struct job_server *server, const struct job_client *client);
void job_server_answer(struct job_server *server, struct job_client *client,
                       const struct browser_end *end);

#endif
