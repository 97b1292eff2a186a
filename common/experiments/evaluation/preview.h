/*
 * What a user would get of a flag, and why: every check that evaluate() makes, in its order, up to
 * the one that decides. Describes what evaluate() has decided, decides nothing itself, and records
 * nothing.
 */
#ifndef ASSAY_EXPERIMENTS_EVALUATION_PREVIEW_H
#define ASSAY_EXPERIMENTS_EVALUATION_PREVIEW_H

#include "experiments/evaluation/evaluation.h"

enum preview_check {
    PREVIEW_FLAG, /* on or off */
    PREVIEW_ARCHIVED,
    PREVIEW_FIXED,
    PREVIEW_USER, /* the context has one */
    PREVIEW_FORCED,
    PREVIEW_EXPOSURE, /* one that is recorded */
    PREVIEW_TARGETING,
    PREVIEW_LAYER,
    PREVIEW_SHARE, /* of the design and of the ramp */
    PREVIEW_HOLDOUT,
    PREVIEW_SPLIT,
    PREVIEW__MAX
};

enum preview_outcome { PREVIEW_PASSED, PREVIEW_DECIDED, PREVIEW_MISSING, PREVIEW_OUTCOME__MAX };

enum preview_record { PREVIEW_NOTHING, PREVIEW_NEW_EXPOSURE, PREVIEW_MEMBER, PREVIEW_RECORD__MAX };

/* The rule that keeps the user out. Without an attribute none of several rules holds. */
struct preview_rule {
    struct optional_integer group, rule;
    const char *attribute;                 /* NULL likewise */
    int comparison;                        /* enum targeting_operator; -1 likewise */
    json_t *value, *told;                  /* NULL = none */
    const struct preview_segment *segment; /* that the rule asks for; NULL = it asks for none */
};

/* Why a user belongs to a segment, or does not. */
struct preview_segment {
    const char *name;
    bool exists;
    bool listed;
    struct optional_boolean rules_hold; /* absent = the segment has no rules */
    struct optional_integer rule;       /* of the segment, the one that fails */
    const char *attribute;              /* of that rule; NULL = none of several holds */
    int comparison;                     /* -1 likewise */
    json_t *value, *told;
};

struct preview_layer {
    const char *namespace;
    double position, range_start, range_end;
    const char *taken_by; /* name of the project; NULL = nobody */
};

struct preview_share {
    double position, share;
    struct optional_integer ramp_step; /* -1 = before the first */
};

struct preview_step {
    int check;   /* enum preview_check */
    int outcome; /* enum preview_outcome */
    const struct preview_rule *rule;
    const struct preview_layer *layer;
    const struct preview_share *share;
    const struct flag_holdout *holdout;
};

struct preview {
    const char *experiment_id;
    const char *key;
    bool enabled;
    int64_t variation_index;
    const char *variant; /* NULL = the flag has no values */
    json_t *value;
    const char *reason; /* of the protocol; NULL likewise, and with an error */
    bool in_experiment;
    int records; /* enum preview_record: what an evaluation of this flag would store */
    const char *error;
    OBJECT_LIST(struct preview_step, steps);
};
SCHEMA_OF(preview_schema, struct preview);

/* What the previews of one request share: who has which range of a namespace, read when the first
 * of them asks. Zeroed at the beginning. */
struct preview_layers {
    bool are_read;
    struct object_list list;
};

/* Of one flag. One without values has the variation that `assign` gives, without a value. The
 * transaction is the caller's. */
MUST_CHECK enum error preview_flag(const struct live_call *live, const struct flag *flag,
                                   const struct evaluation_context *context,
                                   struct preview_layers *layers, struct preview *preview);

#endif
