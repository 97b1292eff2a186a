/*
 * The context of a worker for orchestration, and one run: a task in progress, with its deadline,
 * its calls and the cost they hold. All memory of a run is from its arena.
 */
#ifndef ASSAY_ORCHESTRATOR_DISPATCH_RUN_H
#define ASSAY_ORCHESTRATOR_DISPATCH_RUN_H

#include "net/fetch.h"
#include "orchestrator/browser/attachments.h"
#include "orchestrator/keys/usage_store.h"
#include "orchestrator/models/catalog.h"
#include "orchestrator/settings.h"
#include "orchestrator/storage/spend_store.h"
#include "orchestrator/storage/task_store.h"
#include "shm/region.h"
#include "telemetry/outbox.h"
#include "telemetry/trace.h"
#include "text/redaction.h"

enum { RUN_CALLS_MAX = 400 /* calls per run; more are a program error */ };

/* The virtual key that a request was sent with, as far as calls are concerned. */
struct caller_key {
    struct payer payer;
    int64_t tokens_per_minute; /* 0 = no limit */
    bool stores_prompts;       /* else prompts and answers are never written */
    bool redacts_prompts;      /* personal data is neither sent to models nor written */
};

struct result;

/* Lives as long as the worker; a copy as long as a request that is traced or has a virtual key. */
struct worker_context {
    const struct orchestrator_settings *settings;
    struct catalog *catalog;
    struct shm_region *region; /* NULL = no shared memory */
    const char *run_directory; /* contains the socket of the browser's process; NULL = no browser */
    /* Called when a call of an adapter has failed; NULL = failures are not counted. */
    void (*on_failure)(const char *adapter, int failure_code, void *context);
    /* Called when a call of the model has ended or, without times, was never made; NULL = calls are
     * not counted. */
    void (*on_call)(const struct model *model, const struct result *result, void *context);
    void *context;
    const struct caller_key *key; /* NULL = the caller has none */
    /* Of the request at hand; NULL = nothing is traced. */
    const struct trace_context *trace;
};

/* A requested call. */
struct call_request {
    const struct model *model;
    const char *prompt;
    /* Replaces the prompt: a whole conversation, whose answer may have no text; or NULL. */
    const struct llm_request *request;
    bool reasoning;
    bool strict_model;
    struct attachments attachments;
    /* Called with pieces of the answer as they arrive; NULL = no streaming. */
    bool (*on_delta)(const struct llm_delta *delta, void *context);
    void *context;
};

/* One attempt of a call, HTTP request and answer, for its trace. */
struct traced_attempt {
    const char *provider, *model_name; /* as the provider calls it */
    const char *server;                /* its host; NULL */
    int64_t started_at, ended_at;      /* Unix microseconds */
    int64_t number;                    /* of its call, fallbacks included; from 1 */
    int status;                        /* of HTTP; 0 = no answer */
    const char *failure;               /* NULL = it has not failed */
    int64_t step_index;                /* of its step, once it is one */
    const char *trace;                 /* the traceparent that it sent */
};
struct traced_attempts {
    size_t count;
    struct traced_attempt *items;
};

/* The result of a call. Texts come from the run's arena. */
struct result {
    const struct model *model;    /* the requested model */
    const struct model *executed; /* the model that answered, or failed last */
    const char *adapter_name;     /* "dry_run", "api.openai"... */
    int status;                   /* RUN_SUCCEEDED, RUN_FAILED, RUN_CANCELLED */
    int failure_code;
    const char *failure_message;
    const char *text; /* NULL = none; for a failure, the part received */
    const struct llm_tool_call *tool_calls;
    size_t tool_call_count;
    const char *finish;
    const char *refusal;              /* the model's refusal instead of an answer; NULL */
    const struct llm_choice *choices; /* all answers of an API, with their thoughts */
    size_t choice_count;              /* 0 = the text alone */
    const char *service_tier;
    const struct llm_vector *vectors; /* of an embedding */
    size_t vector_count;
    bool was_rejected; /* the provider rejects the request as invalid */
    struct optional_integer duration_ms;
    int64_t started_at, ended_at; /* Unix microseconds; 0 = the call was never made */
    int64_t first_output_at;      /* of a streamed answer; 0 = it came whole, or nothing came */
    struct optional_integer input_tokens, output_tokens;
    struct optional_integer cached_tokens, cache_write_tokens, reasoning_tokens; /* parts of them */
    struct optional_integer cost;  /* billionths of a US dollar: the booked cost */
    int64_t waited_ms;             /* time waited for a free slot of the model */
    const char *details;           /* a JSON object */
    bool was_streamed;             /* part of the text was already sent to the client */
    struct traced_attempts traced; /* of an API, where the request is traced */
};

/* The provider's refusal of the last API call. */
struct provider_refusal {
    int status;         /* 0 = no refusal */
    double retry_after; /* seconds; 0 = not given */
    struct llm_refusal words;
};

/* Why a limit of the caller's key refused the last call. */
struct key_refusal {
    const char *message; /* NULL = no refusal */
    double retry_after;  /* seconds */
    bool is_budget;      /* else tokens per minute */
};

/* Whether a status means that the request itself is invalid, so that neither a retry nor another
 * model helps. */
bool provider_rejects_request(int status);

struct run {
    const struct worker_context *worker;
    struct arena *arena;
    struct db *db;
    const char *task_id;
    const char *trace_id; /* NULL = unknown */
    bool dry_run;
    int64_t deadline;                /* monotonic microseconds */
    bool reached_deadline;           /* the deadline ended a call */
    const struct fetch_watch *watch; /* NULL = nothing ends it early */
    bool was_cancelled;              /* the watch ended a call */
    int calls;                       /* number of model calls so far */
    int64_t browser_submits;         /* number of those made through the browser */
    struct browser_submits *submits; /* and their places (browser_state.h); NULL = none yet */
    struct step_list steps;          /* the stored steps */
    struct traced_attempts traced;   /* of their calls, where the request is traced */
    struct optional_integer cached_tokens, cache_write_tokens,
        reasoning_tokens;            /* sum over all steps */
    struct provider_refusal refusal; /* result of the call that ended last */
    struct key_refusal key_refusal;
    struct usage_list usage; /* calls that have ended, for the end of the task */
    struct spend_hold *holds;
    size_t hold_count;
    struct redaction *redaction; /* NULL = texts go out as they are */
    struct problem *problem;     /* of the store, when a function returns an error */
    /* Stores the task; NULL = it is already stored. dispatch() calls it before the first call, in
     * the transaction that holds the cost. */
    enum error (*store)(struct run *run);
};

/* Stores the task of a run unless it is stored. */
MUST_CHECK enum error run_store(struct run *run);

/* Who pays for the calls of a run, and where that is written. */
struct spend_call run_spending(const struct run *run);

/* When parallel calls are ended early. */
struct quorum {
    size_t wanted;     /* number of successes; 0 = wait for all calls */
    bool cancels_rest; /* when that many have ended */
};

/* Makes the calls, each when its model has a free slot: API calls in parallel, browser calls one
 * after the other. Slots that a jump out of it leaves are released with the run's memory. Fills in
 * every result, failures included; each call becomes a step. Returns only errors of the store. */
MUST_CHECK enum error dispatch(struct run *run, const struct call_request *requests, size_t count,
                               struct quorum quorum, struct result *results);

/* The same for one call. */
MUST_CHECK enum error dispatch_one(struct run *run, const struct call_request *wanted,
                                   struct result *result);

/* "api.openai". */
const char *adapter_name_of(struct arena *arena, const struct model *model);

/* Makes the result of a call a step of the run. */
void run_add_step(struct run *run, const struct result *result);

/* Adds a count to a sum if it is present. A sum that overflows becomes absent and stays so. */
void run_add_count(struct optional_integer *sum, struct optional_integer more);

/* Whether personal data of the caller is to be replaced before calls: his key says, or the setting
 * where there is no key. */
bool worker_redacts(const struct worker_context *worker);

/* Seconds until the deadline; 0 when it has passed. */
double run_seconds_left(const struct run *run);

#endif
