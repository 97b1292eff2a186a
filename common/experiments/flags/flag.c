/* The fields of a flag, and the rules over them. */
#include "experiments/flags/flag.h"

#include "experiments/assignment/hashing.h"
#include "experiments/projects/project_slug.h"

#include <string.h>

const char *const flag_type_names[FLAG_TYPE__MAX] = {"boolean", "string", "number", "object"};

static bool has_type(const json_t *value, int type)
{
    switch (type) {
    case FLAG_BOOLEAN:
        return json_is_boolean(value);
    case FLAG_STRING:
        return json_is_string(value);
    case FLAG_NUMBER:
        return json_is_number(value);
    default:
        return json_is_object(value) || json_is_array(value);
    }
}

static bool key_is_slug(const void *object)
{
    const struct flag_document *flag = object;

    return !flag->key || slug_is_valid(flag->key);
}

static bool values_have_type(const void *object)
{
    const struct flag_settings *flag = &((const struct flag_document *)object)->settings;
    const struct flag_variant *variants = flag->variants.items;

    for (size_t i = 0; i < flag->variants.count; i++)
        if (!has_type(variants[i].value, flag->value_type))
            return false;
    return true;
}

static bool names_differ(const void *object)
{
    const struct flag_settings *flag = &((const struct flag_document *)object)->settings;
    const struct flag_variant *variants = flag->variants.items;

    for (size_t i = 0; i < flag->variants.count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(variants[i].name, variants[j].name) == 0)
                return false;
    return true;
}

static bool variations_exist(const void *object)
{
    const struct flag_settings *flag = &((const struct flag_document *)object)->settings;
    const struct flag_forced *forced = flag->forced.items;
    int64_t count = (int64_t)flag->variants.count;

    for (size_t i = 0; i < flag->forced.count; i++)
        if (forced[i].variation_index >= count)
            return false;
    return flag->default_variation < count &&
           (!flag->fixed_variation.given || flag->fixed_variation.value < count);
}

static bool ramp_ascends(const void *object)
{
    const struct flag_settings *flag = &((const struct flag_document *)object)->settings;
    const struct flag_ramp_step *steps = flag->ramp.items;

    for (size_t i = 1; i < flag->ramp.count; i++)
        if (steps[i].starts_at <= steps[i - 1].starts_at || steps[i].share < steps[i - 1].share)
            return false;
    return !flag->ramp_held_at.given || flag->ramp_held_at.value < (int64_t)flag->ramp.count;
}

static const struct schema_rule rules[] = {
    {"errors.schemas.flag_key", key_is_slug},
    {"errors.schemas.flag_values", values_have_type},
    {"errors.schemas.flag_names", names_differ},
    {"errors.schemas.flag_variations", variations_exist},
    {"errors.schemas.flag_ramp", ramp_ascends},
};

#define OWNER struct flag_variant
static const struct field variant_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = FLAG_NAME_MAX),
    JSON_VALUE(OWNER, value, .required = true, .help = "Of the flag's value_type."),
};
#undef OWNER
static SCHEMA(variant_schema, struct flag_variant, "FlagVariant", variant_fields);

#define VARIATION .lower = AT_LEAST(0), .upper = AT_MOST(FLAG_VARIANTS_MAX - 1)

#define OWNER struct flag_forced
static const struct field forced_fields[] = {
    STRING(OWNER, user_id, .required = true, .min_length = 1, .max_length = FLAG_USER_MAX),
    INTEGER(OWNER, variation_index, .required = true, VARIATION),
};
#undef OWNER
static SCHEMA(forced_schema, struct flag_forced, "FlagForcedUser", forced_fields);

#define OWNER struct flag_holdout
static const struct field holdout_fields[] = {
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = FLAG_NAME_MAX),
    NUMBER(OWNER, share, .required = true, .lower = AT_LEAST(0), .upper = AT_MOST(1),
           .help = "Of all users."),
};
#undef OWNER
static SCHEMA(holdout_schema, struct flag_holdout, "FlagHoldout", holdout_fields);

#define OWNER struct flag_ramp_step
static const struct field ramp_fields[] = {
    TIME(OWNER, starts_at, .required = true),
    NUMBER(OWNER, share, .required = true, .lower = AT_LEAST(0), .upper = AT_MOST(1),
           .help = "Of the users whom the design lets in."),
};
#undef OWNER
static SCHEMA(ramp_schema, struct flag_ramp_step, "FlagRampStep", ramp_fields);

/* Rows of the settings, alone or within the document; a flag without values has no variants. */
#define SETTING(path) .offset = offsetof(OWNER, path)
#define SETTINGS_FIELDS(in, least)                                                                 \
    {.name = "value_type",                                                                         \
     .type = FIELD_CHOICE,                                                                         \
     SETTING(in value_type),                                                                       \
     .required = true,                                                                             \
     .choices = flag_type_names,                                                                   \
     .choice_count = FLAG_TYPE__MAX},                                                              \
        {.name = "variants",                                                                       \
         .type = FIELD_OBJECTS,                                                                    \
         SETTING(in variants),                                                                     \
         .required = true,                                                                         \
         .schema = &variant_schema,                                                                \
         .min_length = (least),                                                                    \
         .max_length = FLAG_VARIANTS_MAX,                                                          \
         .help = "What each variation of the design stands for, in their order."},                 \
        {.name = "default_variation",                                                              \
         .type = FIELD_INTEGER,                                                                    \
         SETTING(in default_variation),                                                            \
         VARIATION,                                                                                \
         .help = "Of users outside the experiment, and of everybody while the flag is off."},      \
        {.name = "fixed_variation",                                                                \
         .type = FIELD_INTEGER,                                                                    \
         SETTING(in fixed_variation),                                                              \
         VARIATION,                                                                                \
         .nullable = true,                                                                         \
         .help = "The variation of everybody, such as the one that was shipped; nothing is "       \
                 "recorded then."},                                                                \
        {.name = "forced",                                                                         \
         .type = FIELD_OBJECTS,                                                                    \
         SETTING(in forced),                                                                       \
         .schema = &forced_schema,                                                                 \
         .max_length = FLAG_FORCED_MAX,                                                            \
         .help = "Users who get one variation whatever the design says, and never count."},        \
        {.name = "dimensions",                                                                     \
         .type = FIELD_STRINGS,                                                                    \
         SETTING(in dimensions),                                                                   \
         .max_length = FLAG_DIMENSIONS_MAX,                                                        \
         .help = "Attributes of the context that are recorded with the exposure."},                \
        {.name = "holdout",                                                                        \
         .type = FIELD_OBJECT,                                                                     \
         SETTING(in holdout),                                                                      \
         .schema = &holdout_schema,                                                                \
         .nullable = true,                                                                         \
         .help = "Users who are kept out of all experiments that name the same holdout; they are " \
                 "recorded as its members."},                                                      \
        {.name = "ramp",                                                                           \
         .type = FIELD_OBJECTS,                                                                    \
         SETTING(in ramp),                                                                         \
         .schema = &ramp_schema,                                                                   \
         .max_length = FLAG_RAMP_MAX,                                                              \
         .help = "Steps by which new users are let in; nobody before the first."},                 \
    {                                                                                              \
        .name = "ramp_held_at", .type = FIELD_INTEGER, SETTING(in ramp_held_at), .nullable = true, \
        .lower = AT_LEAST(-1), .upper = AT_MOST(FLAG_RAMP_MAX - 1),                                \
        .help = "The last step that is taken (-1: none). Set when a guardrail is breached; null "  \
                "goes on."                                                                         \
    }

#define OWNER struct flag_settings
static const struct field settings_fields[] = {SETTINGS_FIELDS(, 0)};
#undef OWNER
SCHEMA(flag_settings_schema, struct flag_settings, "FlagSettings", settings_fields,
       .extra = EXTRA_STORED);

#define OWNER struct flag_document
static const struct field flag_fields[] = {
    STRING(OWNER, experiment_id),
    STRING(OWNER, key),
    BOOLEAN(OWNER, enabled),
    SETTINGS_FIELDS(settings., 0),
    STRING(OWNER, updated_at, .nullable = true, .help = "Null while the flag has no values."),
};
static const struct field request_fields[] = {
    STRING(OWNER, key, .nullable = true, .min_length = 1, .max_length = SLUG_MAX,
           .help = "What programs ask for; null keeps the one there is."),
    BOOLEAN(OWNER, enabled, .required = true,
            .help = "Off: everybody gets the default variation, and nothing is recorded."),
    SETTINGS_FIELDS(settings., 2),
};
#undef OWNER
SCHEMA(flag_schema, struct flag_document, "Flag", flag_fields,
       .help = "The feature flag of an experiment.");
SCHEMA(flag_request_schema, struct flag_document, "FlagRequest", request_fields, RULES(rules),
       .answer = &flag_schema, .help = "A feature flag that stands for an experiment.",
       .example = "{\"enabled\":true,\"value_type\":\"boolean\","
                  "\"variants\":[{\"name\":\"control\",\"value\":false},"
                  "{\"name\":\"treatment\",\"value\":true}]}");

bool flag_is_sound(const struct flag_document *document)
{
    for (size_t i = 0; i < COUNT_OF(rules); i++)
        if (!rules[i].holds(document))
            return false;
    return true;
}

int64_t flag_forced_variation(const struct flag_settings *settings, const char *user_id)
{
    const struct flag_forced *forced = settings->forced.items;

    for (size_t i = 0; i < settings->forced.count; i++)
        if (strcmp(forced[i].user_id, user_id) == 0)
            return forced[i].variation_index;
    return -1;
}

int64_t flag_ramp_step(const struct flag_settings *settings, int64_t now)
{
    const struct flag_ramp_step *steps = settings->ramp.items;
    int64_t step = -1;

    while (step + 1 < (int64_t)settings->ramp.count && steps[step + 1].starts_at <= now)
        step++;
    if (settings->ramp_held_at.given && step > settings->ramp_held_at.value)
        return settings->ramp_held_at.value;
    return step;
}

double flag_ramp_share(const struct flag_settings *settings, int64_t now)
{
    const struct flag_ramp_step *steps = settings->ramp.items;
    int64_t step = flag_ramp_step(settings, now);

    if (!settings->ramp.count)
        return 1;
    return step < 0 ? 0 : steps[step].share;
}

bool flag_holds_out(const struct flag_settings *settings, const char *user_id)
{
    const struct flag_holdout *holdout = settings->holdout;

    return holdout &&
           hash_unit(HASH_VERSION_2, HASH_CODE_POINTS, holdout->name, user_id) < holdout->share;
}
