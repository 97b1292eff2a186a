/* Schemas of the records. */
#include "experiments/live/record_schemas.h"

#define USER_ID(owner)                                                                             \
    STRING(owner, user_id, .required = true, .min_length = 1, .max_length = LIVE_USER_MAX)
#define OCCURRED_AT(owner)                                                                         \
    MOMENT(owner, occurred_at,                                                                     \
           .help = "ISO 8601, or seconds or milliseconds since 1970; null: when it is received.")

#define OWNER struct live_dimension
static const struct field dimension_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = LIVE_NAME_MAX),
    STRING(OWNER, value, .required = true, .min_length = 1, .max_length = LIVE_NAME_MAX),
};
#undef OWNER
static SCHEMA(dimension_schema, struct live_dimension, "ExposureDimension", dimension_fields,
              .help = "Something by which results can be told apart: platform, country.");

#define OWNER struct live_exposure
static const struct field exposure_fields[] = {
    USER_ID(OWNER),
    INTEGER(OWNER, variation_index, .required = true, .lower = AT_LEAST(0),
            .upper = AT_MOST(LIVE_ARMS_MAX - 1)),
    OCCURRED_AT(OWNER),
    OBJECTS(OWNER, dimensions, dimension_schema, .max_length = LIVE_DIMENSIONS_MAX),
    STRING(OWNER, cluster, .nullable = true, .min_length = 1, .max_length = LIVE_NAME_MAX,
           .help = "What the user was assigned with: a shop, a class, a city."),
};
#undef OWNER

#define OWNER struct live_conversion
static const struct field conversion_fields[] = {
    USER_ID(OWNER),
    STRING(OWNER, metric, .required = true, .min_length = 1, .max_length = LIVE_NAME_MAX),
    NUMBER(OWNER, value, .default_value = 1),
    STRING(OWNER, idempotency_key, .nullable = true, .min_length = 1, .max_length = LIVE_USER_MAX,
           .help = "A record with a key that was seen before is dropped; one without always "
                   "counts."),
    OCCURRED_AT(OWNER),
};
#undef OWNER

#define OWNER struct live_identity
static const struct field identity_fields[] = {
    STRING(OWNER, anonymous_id, .required = true, .min_length = 1, .max_length = LIVE_USER_MAX),
    STRING(OWNER, canonical_id, .required = true, .min_length = 1, .max_length = LIVE_USER_MAX),
};
#undef OWNER

#define OWNER struct live_exclusion
static const struct field exclusion_fields[] = {
    USER_ID(OWNER),
    STRING(OWNER, exclusion_reason, .min_length = 1, .max_length = LIVE_USER_MAX,
           .default_text = "manual"),
};
#undef OWNER

#define OWNER struct live_holdout_member
static const struct field holdout_fields[] = {
    USER_ID(OWNER),
};
#undef OWNER

#define OWNER struct live_pre_period
static const struct field pre_period_fields[] = {
    USER_ID(OWNER),
    NUMBER(OWNER, value, .required = true),
    STRING(OWNER, covariate_name, .min_length = 1, .max_length = LIVE_NAME_MAX,
           .default_text = "__default__"),
};
#undef OWNER

#define OWNER struct live_stratum
static const struct field stratum_fields[] = {
    USER_ID(OWNER),
    STRING(OWNER, stratum, .required = true, .min_length = 1, .max_length = LIVE_NAME_MAX),
};
#undef OWNER

#define RECORD(type, title, table)                                                                 \
    {                                                                                              \
        .name = (title), .size = sizeof(struct type), .fields = (table),                           \
        .field_count = COUNT_OF(table)                                                             \
    }

const struct schema live_record_schemas[LIVE_KIND__MAX] = {
    [LIVE_EXPOSURES] = RECORD(live_exposure, "Exposure", exposure_fields),
    [LIVE_CONVERSIONS] = RECORD(live_conversion, "Conversion", conversion_fields),
    [LIVE_IDENTITIES] = RECORD(live_identity, "IdentityLink", identity_fields),
    [LIVE_EXCLUSIONS] = RECORD(live_exclusion, "Exclusion", exclusion_fields),
    [LIVE_HOLDOUTS] = RECORD(live_holdout_member, "HoldoutMember", holdout_fields),
    [LIVE_PRE_PERIODS] = RECORD(live_pre_period, "PrePeriodValue", pre_period_fields),
    [LIVE_STRATA] = RECORD(live_stratum, "StratumOfUser", stratum_fields),
};

const char *const live_kind_names[LIVE_KIND__MAX] = {
    [LIVE_EXPOSURES] = "exposures",   [LIVE_CONVERSIONS] = "conversions",
    [LIVE_IDENTITIES] = "identities", [LIVE_EXCLUSIONS] = "exclusions",
    [LIVE_HOLDOUTS] = "holdout",      [LIVE_PRE_PERIODS] = "pre-period",
    [LIVE_STRATA] = "strata",
};

#define BATCH_FIELD(kind, key)                                                                     \
    {                                                                                              \
        {                                                                                          \
            .name = (key), .type = FIELD_OBJECTS, .offset = offsetof(struct live_batch, records),  \
            .schema = &live_record_schemas[kind], .required = true, .min_length = 1,               \
            .max_length = LIVE_BATCH_MAX                                                           \
        }                                                                                          \
    }

static const struct field batch_fields[LIVE_KIND__MAX][1] = {
    [LIVE_EXPOSURES] = BATCH_FIELD(LIVE_EXPOSURES, "exposures"),
    [LIVE_CONVERSIONS] = BATCH_FIELD(LIVE_CONVERSIONS, "conversions"),
    [LIVE_IDENTITIES] = BATCH_FIELD(LIVE_IDENTITIES, "identities"),
    [LIVE_EXCLUSIONS] = BATCH_FIELD(LIVE_EXCLUSIONS, "exclusions"),
    [LIVE_HOLDOUTS] = BATCH_FIELD(LIVE_HOLDOUTS, "holdout"),
    [LIVE_PRE_PERIODS] = BATCH_FIELD(LIVE_PRE_PERIODS, "pre_period_values"),
    [LIVE_STRATA] = BATCH_FIELD(LIVE_STRATA, "strata"),
};

#define BATCH(kind, title, json)                                                                   \
    [kind] = {.name = (title),                                                                     \
              .size = sizeof(struct live_batch),                                                   \
              .fields = batch_fields[kind],                                                        \
              .field_count = 1,                                                                    \
              .example = (json)}

const struct schema live_batch_schemas[LIVE_KIND__MAX] = {
    BATCH(LIVE_EXPOSURES, "ExposureBatch",
          "{\"exposures\":[{\"user_id\":\"user-1\",\"variation_index\":1}]}"),
    BATCH(LIVE_CONVERSIONS, "ConversionBatch",
          "{\"conversions\":[{\"user_id\":\"user-1\",\"metric\":\"purchase\",\"value\":12.5,"
          "\"idempotency_key\":\"order-1\"}]}"),
    BATCH(LIVE_IDENTITIES, "IdentityBatch",
          "{\"identities\":[{\"anonymous_id\":\"cookie-1\",\"canonical_id\":\"user-1\"}]}"),
    BATCH(LIVE_EXCLUSIONS, "ExclusionBatch",
          "{\"exclusions\":[{\"user_id\":\"user-1\",\"exclusion_reason\":\"employee\"}]}"),
    BATCH(LIVE_HOLDOUTS, "HoldoutBatch", "{\"holdout\":[{\"user_id\":\"user-2\"}]}"),
    BATCH(LIVE_PRE_PERIODS, "PrePeriodBatch",
          "{\"pre_period_values\":[{\"user_id\":\"user-1\",\"value\":3.5}]}"),
    BATCH(LIVE_STRATA, "StrataBatch",
          "{\"strata\":[{\"user_id\":\"user-1\",\"stratum\":\"new\"}]}"),
};
