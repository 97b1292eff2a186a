/*
 * Config overrides: the settings and prompts that an experiment changes, and the values in force
 * for a question. Precedence, lowest first: built-in values, the deployed experiment, the
 * environment, the staged experiment, the experiment assigned to the tenant.
 */
#ifndef ASSAY_SUPPORT_CANDIDATES_OVERLAY_H
#define ASSAY_SUPPORT_CANDIDATES_OVERLAY_H

#include "base/json.h"
#include "base/optional.h"
#include "base/schema.h"
#include "support/answer/graph.h"
#include "support/candidates/split_store.h"
#include "support/models/prompts.h"

enum overlay_reach {
    OVERLAY_AT_ONCE,   /* takes effect with the next question */
    OVERLAY_INGESTION, /* takes effect when documents are ingested again */
    OVERLAY_START,     /* takes effect when the service starts */
    OVERLAY_NONE,      /* no experiment changes it */
};

struct overlay_key {
    const char *name, *variable;
    enum overlay_reach reach;
    bool text, flag; /* for an unknown setting: its type; else a number */
};
extern const struct overlay_key overlay_keys[];
extern const size_t overlay_key_count;

/* NULL when the key must not be changed. */
const struct overlay_key *overlay_key_of(const char *name);

/* ERROR_INVALID names the key: unknown, or of the wrong type or size. NULL objects are empty. */
MUST_CHECK enum error overlay_check(const json_t *settings, const json_t *prompts,
                                    struct problem *problem);

/* A setting that experiments may change, as a form shows it. */
struct overlay_setting {
    const char *name;
    const char *type; /* integer, number, boolean, choice or text */
    const char *help;
    struct optional_number minimum, maximum; /* of a number */
    struct string_list choices;
    json_t *value;     /* in force; NULL = not a value of these types */
    const char *reach; /* at_once, ingestion or start */
};
SCHEMA_OF(overlay_setting_schema, struct overlay_setting);

struct overlay {
    struct support_settings settings;
    const char *prompts[PROMPT__MAX];
    const char *experiment_id; /* NULL = none is in force */
    const char *mark;          /* identifies this combination of overrides; "" = none */
    struct split_arm side;     /* the arm of the question in a traffic split */
};

/* The settings and the built-in prompts without overrides. */
void overlay_start(struct overlay *overlay, const struct support_settings *settings);

/* Applies changes that overlay_check() has accepted; with `below_environment`, settings from the
 * environment keep their value. */
void overlay_put(struct arena *arena, struct overlay *overlay, const char *experiment_id,
                 const json_t *settings, const json_t *prompts, bool below_environment);

/* The value in force for a key; NULL for unknown keys. */
const json_t *overlay_value(struct arena *arena, const struct overlay *overlay,
                            const struct overlay_key *key);

/* All keys that have an effect: struct overlay_setting, with the values of `settings`. */
struct object_list overlay_describe(struct arena *arena, const struct support_settings *settings);

/* The overrides in files; unreadable files are skipped and logged. */
void overlay_of_files(struct arena *arena, const struct support_settings *settings,
                      struct overlay *overlay);

/* The same for a question: adds the experiment assigned to the tenant if the conversation belongs
 * to its share. */
void overlay_of_question(const struct graph_tools *tools, const char *session_id,
                         const char *user_id, struct overlay *overlay);

#endif
