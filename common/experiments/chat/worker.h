/* Who finishes what was asked for on the chat platform: the part of webhook-deliver that runs its
 * jobs. */
#ifndef ASSAY_EXPERIMENTS_CHAT_WORKER_H
#define ASSAY_EXPERIMENTS_CHAT_WORKER_H

#include "experiments/settings.h"

struct chat_worker;

/* `catalogues` is the folder of the texts. Connects to nothing; memory from `arena`. */
MUST_CHECK enum error chat_worker_start(const struct experiments_settings *settings,
                                        struct arena *arena, const char *catalogues,
                                        struct chat_worker **worker, struct problem *problem);
void chat_worker_stop(struct chat_worker *worker);

/* Runs what is due; whether there was anything. For program_rounds(). */
bool chat_worker_round(void *worker);

/* Whether the last round could not be made. */
bool chat_worker_failed(const struct chat_worker *worker);

#endif
