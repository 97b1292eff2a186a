/*
 * The worker's side of the job server: submits a job and polls for its end without blocking. A call
 * is a connection of its own; closing it before its answer cancels the job.
 */
#ifndef ASSAY_ORCHESTRATOR_BROWSER_ASK_H
#define ASSAY_ORCHESTRATOR_BROWSER_ASK_H

#include "orchestrator/browser/job.h"
#include "orchestrator/browser/wire.h"

/* Submits a job to the server of a run directory. False when no server listens; *call is closed
 * then. */
bool browser_call_begin(struct wire *call, const char *run_directory,
                        const struct browser_job *job);

/* What to wait for at call->fd: it is readable, or writable while the job is being sent, when
 * browser_call_poll() may have news. */
short browser_call_events(const struct wire *call);

enum browser_reply { BROWSER_REPLY_PENDING, BROWSER_REPLY_RECEIVED, BROWSER_REPLY_LOST };

/* Polls the call: BROWSER_REPLY_RECEIVED fills in *end, its texts from the arena;
 * BROWSER_REPLY_LOST means that the browser's process has ended. */
enum browser_reply browser_call_poll(struct wire *call, struct arena *arena,
                                     struct browser_end *end);

/* The health of the browser's process; NULL when it does not answer in time. */
const struct browser_health *browser_ask_health(struct arena *arena, const char *run_directory,
                                                double seconds);

/* Reads the labels of the page's model menu by a job. Returns NULL, or the reason why there are
 * none. */
const char *browser_ask_model_list(struct arena *arena, const char *run_directory, double seconds,
                                   struct string_list *labels);

/* The path of the socket in a run directory. */
const char *browser_socket(struct arena *arena, const char *run_directory);

#endif
