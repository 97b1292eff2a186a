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

struct flag_settings {
    int value_type; /* enum flag_type */
    OBJECT_LIST(struct flag_variant, variants);
    int64_t default_variation; /* of users outside the experiment, and while the flag is off */
    struct optional_integer fixed_variation; /* for everybody; nothing is recorded */
    OBJECT_LIST(struct flag_forced, forced);
    struct string_list dimensions; /* attributes that are recorded with the exposure */
};
SCHEMA_OF(flag_settings_schema, struct flag_settings); /* as stored */

struct flag {
    const char *experiment_id;
    const char *key;
    bool enabled;
    const struct flag_settings *settings; /* NULL until somebody sets them */
    const char *updated_at;               /* NULL likewise */
    bool archived;                        /* the project */
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

/* The variation that a user is forced into, or -1. */
int64_t flag_forced_variation(const struct flag_settings *settings, const char *user_id);

#endif
