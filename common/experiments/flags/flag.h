/*
 * The feature flag of an experiment: under which key programs ask for it, what value each variation
 * stands for, and how users come to a variation beside the design. Describes; flag_store.h stores,
 * evaluation/ decides.
 */
#ifndef ASSAY_EXPERIMENTS_FLAGS_FLAG_H
#define ASSAY_EXPERIMENTS_FLAGS_FLAG_H

#include "base/schema.h"

enum {
    FLAG_VARIANTS_MAX = 10, /* as the variations of a design */
    FLAG_NAME_MAX = 100,
    FLAG_FORCED_MAX = 1000,
    FLAG_USER_MAX = 200,
    FLAG_DIMENSIONS_MAX = 8,
    FLAG_RAMP_MAX = 20,                   /* steps */
    FLAG_SETTINGS_BYTES_MAX = 1024 * 1024 /* of the stored form */
};

enum flag_type { FLAG_BOOLEAN, FLAG_STRING, FLAG_NUMBER, FLAG_OBJECT, FLAG_TYPE__MAX };
extern const char *const flag_type_names[FLAG_TYPE__MAX];

/* What a variation of the design is called and stands for; in the order of the variations. */
struct flag_variant {
    const char *name;
    json_t *value; /* of the flag's type */
};

/* A user who always gets one variation, and never counts. */
struct flag_forced {
    const char *user_id;
    int64_t variation_index;
};

/* A share of users who are kept out of every experiment that names the same holdout. */
struct flag_holdout {
    const char *name;
    double share; /* of all users */
};

/* From a moment on, which share of the design's users may enter. */
struct flag_ramp_step {
    int64_t starts_at; /* microseconds since 1970 */
    double share;
};

struct flag_settings {
    int value_type; /* enum flag_type */
    OBJECT_LIST(struct flag_variant, variants);
    int64_t default_variation; /* of users outside the experiment, and while the flag is off */
    struct optional_integer fixed_variation; /* for everybody; nothing is recorded */
    OBJECT_LIST(struct flag_forced, forced);
    struct string_list dimensions;            /* attributes that are recorded with the exposure */
    const struct flag_holdout *holdout;       /* NULL = none */
    OBJECT_LIST(struct flag_ramp_step, ramp); /* empty = everybody at once */
    struct optional_integer ramp_held_at;     /* no step after this index; -1 = none */
};
SCHEMA_OF(flag_settings_schema, struct flag_settings); /* as stored */

struct flag {
    const char *experiment_id;
    const char *key;
    bool enabled;
    const struct flag_settings *settings; /* NULL until somebody sets them */
    const char *updated_at;               /* NULL likewise */
    bool archived;                        /* the project */
    int64_t buckets;                      /* that its users are divided over; 1 = they are not */
};

/* What a client sets, and what it reads: the settings beside the key. */
struct flag_document {
    const char *experiment_id;
    const char *key; /* NULL = as it is */
    bool enabled;
    struct flag_settings settings;
    const char *updated_at;
};
SCHEMA_OF(flag_request_schema, struct flag_document);
SCHEMA_OF(flag_schema, struct flag_document);

/* Whether the parts of a document fit each other: the rules of flag_request_schema, for documents
 * that come another way. */
bool flag_is_sound(const struct flag_document *document);

/* The variation that a user is forced into, or -1. */
int64_t flag_forced_variation(const struct flag_settings *settings, const char *user_id);

/* The index of the ramp's step at a moment (microseconds); -1 before the first one. The last step
 * where it is held is not passed. */
int64_t flag_ramp_step(const struct flag_settings *settings, int64_t now);

/* The share of the design's users who may enter at a moment. Raising it moves nobody from one
 * variation to another. */
double flag_ramp_share(const struct flag_settings *settings, int64_t now);

/* Whether a user is kept out by the holdout: by a hash of its name, which all its experiments
 * share. */
bool flag_holds_out(const struct flag_settings *settings, const char *user_id);

#endif
