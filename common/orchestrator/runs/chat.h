/*
 * Streams one conversation with one model. When the stream breaks off, the next model of the
 * fallback list continues it from the text so far. Half an answer never ends as if it were whole.
 */
#ifndef ASSAY_ORCHESTRATOR_RUNS_CHAT_H
#define ASSAY_ORCHESTRATOR_RUNS_CHAT_H

#include "orchestrator/runs/task_run.h"

struct chat;

struct chat_request {
    const char *route;                 /* NULL = a plain orchestration */
    const char *prompt;                /* as it is stored */
    const struct llm_request *request; /* the conversation; NULL = the prompt alone */
    struct plan_request plan;          /* its first model is called, the others are fallbacks */
    const json_t *metadata;
    const char *session_id;
    bool dry_run;
    const struct fetch_watch *watch; /* NULL = runs to its end */
    /* Who listens; `on_text` NULL = only the whole answer counts. */
    void (*on_accepted)(const struct chat *chat, void *context);
    bool (*on_text)(const struct chat *chat, const char *text, size_t length, void *context);
    void (*on_splice)(const struct chat *chat, const struct result *broken,
                      const struct model *next, void *context);
    void *context;
};

struct chat {
    struct task_run task_run;
    struct plan plan;
    const struct chat_request *wanted;
    const struct model *model; /* that speaks now */
    struct result result;      /* of the last call; its text is the whole text */
    struct outcome outcome;
    struct text so_far;
    int splices;
};

/* `plan_rejected` before anything is stored; other errors are the store's. */
MUST_CHECK enum error chat_run(struct chat *chat, const struct worker_context *worker,
                               struct arena *arena, struct db *db,
                               const struct chat_request *wanted, struct problem *problem);

#endif
