/*
 * Config overrides: which settings and prompts an experiment changes, and which values are in force
 * for a question. Precedence: built-in values, the deployed experiment, the environment, the staged
 * experiment, the experiment assigned to the tenant.
 */
#ifndef ASSAY_SUPPORT_CANDIDATES_OVERLAY_H
#define ASSAY_SUPPORT_CANDIDATES_OVERLAY_H

#include "base/json.h"
#include "support/answer/graph.h"
#include "support/candidates/split_store.h"
#include "support/models/prompts.h"

enum overlay_reach {
    OVERLAY_AT_ONCE,   /* from the next question on */
    OVERLAY_INGESTION, /* when documents are read anew */
    OVERLAY_START,     /* when the service starts */
    OVERLAY_NONE,      /* nothing in this engine goes by it */
};

struct overlay_key {
    const char *name, *variable;
    enum overlay_reach reach;
    bool text, flag; /* of a key that is no setting of ours: its type; else a number */
};
extern const struct overlay_key overlay_keys[];
extern const size_t overlay_key_count;

/* NULL when no such key may be changed. */
const struct overlay_key *overlay_key_of(const char *name);

/* ERROR_INVALID naming the key: unknown, or of the wrong type or size. NULL objects are empty. */
MUST_CHECK enum error overlay_check(const json_t *settings, const json_t *prompts,
                                    struct problem *problem);

struct overlay {
    struct support_settings settings;
    const char *prompts[PROMPT__MAX];
    const char *experiment_id; /* NULL = none is in force */
    const char *mark;          /* tells one state of it from every other; "" = as configured */
    struct split_arm side;     /* where the question stands in a split of traffic */
};

/* As the settings and the built-in prompts are. */
void overlay_start(struct overlay *overlay, const struct support_settings *settings);

/* Puts changes that overlay_check() has passed over it; with `below_environment` a setting that the
 * environment gives stays. */
void overlay_put(struct arena *arena, struct overlay *overlay, const char *experiment_id,
                 const json_t *settings, const json_t *prompts, bool below_environment);

/* The value of a key as it is in force; NULL for keys that are no settings of ours. */
const json_t *overlay_value(struct arena *arena, const struct overlay *overlay,
                            const struct overlay_key *key);

/* What of files is in force; what cannot be read is left out with a line in the log. */
void overlay_of_files(struct arena *arena, const struct support_settings *settings,
                      struct overlay *overlay);

/* The same for a question: with the experiment that the tenant's conversations are assigned to, as
 * far as this one belongs to its share. */
void overlay_of_question(const struct graph_tools *tools, const char *session_id,
                         const char *user_id, struct overlay *overlay);

/* 0 to 99, the same for a conversation for good. */
int overlay_bucket(struct arena *arena, const char *tenant, const char *session_id,
                   const char *user_id);

#endif
