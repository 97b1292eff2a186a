/*
 * Streams one conversation with one model. When the stream breaks off, the next model of the
 * fallback list continues from the text so far. A partial answer never ends like a complete one.
 */
#ifndef ASSAY_ORCHESTRATOR_RUNS_CHAT_H
#define ASSAY_ORCHESTRATOR_RUNS_CHAT_H

#include "orchestrator/runs/kept_answer.h"
#include "orchestrator/runs/task_run.h"

struct chat;

struct chat_request {
    const char *route;                 /* NULL = a plain orchestration */
    const char *prompt;                /* stored prompt */
    const struct llm_request *request; /* the conversation; NULL = the prompt alone */
    struct plan_request plan;          /* its first model is called, the others are fallbacks */
    const json_t *metadata;
    const char *session_id;
    bool dry_run;
    const struct kept_answer *kept;  /* is given instead of a call; NULL = none */
    const struct fetch_watch *watch; /* NULL = it runs to its end */
    bool tells_late; /* nobody learns of the task before its first call, which stores it */
    /* The subscriber; `on_delta` NULL = no streaming. */
    void (*on_accepted)(const struct chat *chat, void *context);
    bool (*on_delta)(const struct chat *chat, const struct llm_delta *delta, void *context);
    void (*on_splice)(const struct chat *chat, const struct result *broken,
                      const struct model *next, void *context);
    void *context;
};

struct chat {
    struct task_run task_run;
    struct plan plan;
    const struct chat_request *wanted;
    const struct model *model; /* model that is generating now */
    struct result result;      /* result of the last call; its text is the whole text */
    struct outcome outcome;
    struct text so_far;
    bool cannot_be_continued; /* more than one text was passed on */
    int splices;
};

/* Returns `plan_rejected` before anything is stored, or errors of the store. */
MUST_CHECK enum error chat_run(struct chat *chat, const struct worker_context *worker,
                               struct arena *arena, struct db *db,
                               const struct chat_request *wanted, struct problem *problem);

#endif
