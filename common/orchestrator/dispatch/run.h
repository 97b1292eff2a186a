/*
 * What a worker has for orchestrating, and one run of it: a task on its way, with its deadline, its
 * calls and the money they hold. Everything of a run lives in its arena.
 */
#ifndef ASSAY_ORCHESTRATOR_DISPATCH_RUN_H
#define ASSAY_ORCHESTRATOR_DISPATCH_RUN_H

#include "net/fetch.h"
#include "orchestrator/browser/attachments.h"
#include "orchestrator/models/catalog.h"
#include "orchestrator/settings.h"
#include "orchestrator/storage/spend_store.h"
#include "orchestrator/storage/task_store.h"
#include "shm/region.h"

enum { RUN_CALLS_MAX = 400 /* of one run; a program error beyond */ };

/* For the life of a worker. */
struct worker_context {
    const struct orchestrator_settings *settings;
    struct catalog *catalog;
    struct shm_region *region; /* NULL = no shared memory */
    const char *run_directory; /* with the socket of the browser's process; NULL = there is none */
    /* Called when a call of an adapter has failed; NULL = not counted. */
    void (*on_failure)(const char *adapter, int failure_code, void *context);
    void *context;
};

/* A call that is wanted. */
struct call_request {
    const struct model *model;
    const char *prompt;
    /* Instead of the prompt: a whole conversation, whose answer may be without text; or NULL. */
    const struct llm_request *request;
    bool reasoning;
    bool strict_model;
    struct attachments attachments;
    /* Called with text as it arrives; NULL = the whole answer at once. */
    bool (*on_text)(const char *text, size_t length, void *context);
    void *context;
};

/* What became of it. Texts come from the run's arena. */
struct result {
    const struct model *model;    /* requested */
    const struct model *executed; /* that answered, or failed last */
    const char *adapter_name;     /* "dry_run", "api.openai"... */
    int status;                   /* RUN_SUCCEEDED, RUN_FAILED, RUN_CANCELLED */
    int failure_code;
    const char *failure_message;
    const char *text; /* NULL = none; of a failure, what had come */
    const struct llm_tool_call *tool_calls;
    size_t tool_call_count;
    const char *finish;
    const char *refusal; /* the model's refusal in place of an answer; NULL */
    bool was_rejected;   /* the provider rejects the request as wrong */
    struct optional_integer duration_ms;
    int64_t started_at, ended_at; /* Unix microseconds; 0 = it was never made */
    struct optional_integer input_tokens, output_tokens;
    struct optional_integer cached_tokens, cache_write_tokens, reasoning_tokens; /* parts of them */
    struct optional_integer cost; /* billionths of a dollar: what is booked */
    int64_t waited_ms;            /* for a slot of the model */
    const char *details;          /* a JSON object */
    bool was_streamed;            /* part of the text has been sent already */
};

/* How a provider refused the last call of an API. */
struct provider_refusal {
    int status;         /* 0 = it did not */
    double retry_after; /* seconds; 0 = not given */
    struct llm_refusal words;
};

/* Whether a status means that the request itself is wrong, so that neither a retry nor another
 * model helps. */
bool provider_rejects_request(int status);

struct run {
    const struct worker_context *worker;
    struct arena *arena;
    struct db *db;
    const char *task_id;
    const char *trace_id; /* NULL = none is known */
    bool dry_run;
    int64_t deadline;                /* monotonic microseconds */
    bool reached_deadline;           /* some call was ended by it */
    const struct fetch_watch *watch; /* NULL = nothing ends it early */
    bool was_cancelled;              /* the watch has */
    int calls;                       /* of models, so far */
    int64_t browser_submits;         /* those of them that went to the browser */
    struct step_list steps;          /* what is stored of them */
    struct optional_integer cached_tokens, cache_write_tokens, reasoning_tokens; /* of all steps */
    struct provider_refusal refusal; /* of the call that ended last */
    struct spend_hold *holds;
    size_t hold_count;
    struct problem *problem; /* of the store, when something returns an error */
    /* Stores the task; NULL = it is stored. dispatch() calls it before the first call, in the
     * transaction that holds the cost. */
    enum error (*store)(struct run *run);
};

/* Stores the task of a run unless it is stored. */
MUST_CHECK enum error run_store(struct run *run);

/* How calls side by side are ended before all are there. */
struct quorum {
    size_t wanted;     /* successes; 0 = all are waited for */
    bool cancels_rest; /* when so many are there */
};

/* Makes the calls, each when its model has a free slot: all in parallel, but those of the browser
 * one after the other. Fills in every result, failures included; each call becomes a step. Only an
 * error of the store is an error. */
MUST_CHECK enum error dispatch(struct run *run, const struct call_request *requests, size_t count,
                               struct quorum quorum, struct result *results);

/* The same for one call. */
MUST_CHECK enum error dispatch_one(struct run *run, const struct call_request *wanted,
                                   struct result *result);

/* Releases slots that a longjmp out of dispatch() has left held. Call it after each answer. */
void dispatch_abandon(const struct worker_context *worker);

/* "api.openai". */
const char *adapter_name_of(struct arena *arena, const struct model *model);

/* Adds what is given to a sum of counts. A sum that is too large is not given, and stays so. */
void run_add_count(struct optional_integer *sum, struct optional_integer more);

/* Seconds until the deadline; 0 when it has passed. */
double run_seconds_left(const struct run *run);

#endif
