/* Runs the jobs of the chat app; a part of the program webhook-deliver. */
#ifndef ASSAY_EXPERIMENTS_CHAT_WORKER_H
#define ASSAY_EXPERIMENTS_CHAT_WORKER_H

#include "db/store.h"
#include "experiments/settings.h"

struct chat_worker;

/* The caller owns `store`; `catalogues` is the folder of the texts. Memory from `arena`. */
MUST_CHECK enum error chat_worker_start(const struct experiments_settings *settings,
                                        struct store *store, struct arena *arena,
                                        const char *catalogues, struct chat_worker **worker,
                                        struct problem *problem);
void chat_worker_stop(struct chat_worker *worker);

/* Runs the due jobs; returns whether there were any. For main_loop_run(). */
bool chat_worker_round(void *worker);

/* Whether the last iteration failed. */
bool chat_worker_failed(const struct chat_worker *worker);

#endif
