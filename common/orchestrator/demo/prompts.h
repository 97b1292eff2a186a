/* The prompt templates of the demonstration: one with two versions, one with one. */
#ifndef ASSAY_ORCHESTRATOR_DEMO_PROMPTS_H
#define ASSAY_ORCHESTRATOR_DEMO_PROMPTS_H

#include "db/db.h"

/* Adds them, each in a transaction of its own. */
MUST_CHECK enum error demo_prompts_make(struct db *db, struct arena *arena,
                                        struct problem *problem);

#endif
