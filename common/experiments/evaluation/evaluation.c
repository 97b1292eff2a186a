/* The order of decisions: off, fixed, forced, then the design's own. */
#include "experiments/evaluation/evaluation.h"

#include "base/list.h"
#include "base/number.h"
#include "experiments/adaptive/adaptive.h"

#include <string.h>

enum { DIMENSION_VALUE_MAX = 100 /* code points, as of records */ };

const char *const evaluation_reason_names[EVALUATED__MAX] = {"STATIC", "TARGETING_MATCH", "SPLIT",
                                                             "DISABLED", "DEFAULT"};
const char *const evaluation_fault_reasons[EVALUATION_FAULT__MAX] = {NULL, "targeting_key_missing",
                                                                     "flag_unfit"};
const char *const evaluation_fault_texts[EVALUATION_FAULT__MAX] = {
    NULL, "The context has no targetingKey",
    "The flag names another number of variants than the design has variations"};

static enum error assign(const struct live_call *call, const struct flag *flag,
                         const struct evaluation_context *context, struct evaluation *evaluation)
{
    const struct live_asked asked = {context->user_id, context->attributes, HASH_VERSION_2,
                                     context->round};
    struct live_assignment assigned;
    enum error error = live_assign(call, flag->experiment_id, &asked, &assigned);

    if (error)
        return error;
    evaluation->step = DECIDED_BY_DESIGN;
    evaluation->assigned = assigned;
    if (assigned.variations != (int64_t)flag->settings->variants.count) {
        evaluation->fault = EVALUATION_UNFIT;
        return ERROR_NONE;
    }
    evaluation->in_experiment = assigned.in_experiment && assigned.variation < assigned.variations;
    evaluation->new_member = assigned.held_out;
    evaluation->round = assigned.round;
    if (!evaluation->in_experiment)
        return ERROR_NONE;
    evaluation->variation = assigned.variation;
    evaluation->new_user = !assigned.sticky;
    evaluation->reason = assigned.targeted ? EVALUATED_TARGETING : EVALUATED_SPLIT;
    return ERROR_NONE;
}

enum error evaluate(const struct live_call *call, const struct flag *flag,
                    const struct evaluation_context *context, struct evaluation *evaluation)
{
    const struct flag_settings *settings = flag->settings;
    int64_t forced;

    *evaluation = (struct evaluation){
        .flag = flag, .reason = EVALUATED_DEFAULT, .variation = settings->default_variation};
    if (!flag->enabled || (flag->archived && !settings->fixed_variation.given)) {
        evaluation->step = flag->enabled ? DECIDED_ARCHIVED : DECIDED_OFF;
        evaluation->reason = EVALUATED_DISABLED;
        return ERROR_NONE;
    }
    if (settings->fixed_variation.given) {
        evaluation->step = DECIDED_FIXED;
        evaluation->reason = EVALUATED_STATIC;
        evaluation->variation = settings->fixed_variation.value;
        return ERROR_NONE;
    }
    if (!context->user_id) {
        evaluation->step = DECIDED_NO_USER;
        evaluation->fault = EVALUATION_NO_USER;
        return ERROR_NONE;
    }
    forced = flag_forced_variation(settings, context->user_id);
    if (forced < 0)
        return assign(call, flag, context, evaluation);
    evaluation->step = DECIDED_FORCED;
    evaluation->reason = EVALUATED_TARGETING;
    evaluation->variation = forced;
    return ERROR_NONE;
}

const struct flag_variant *evaluation_variant(const struct evaluation *evaluation)
{
    const struct flag_variant *variants = evaluation->flag->settings->variants.items;

    return &variants[evaluation->variation];
}

/* An attribute as the value of a dimension; NULL when it is none. */
static const char *dimension_value(const json_t *attribute, struct arena *arena)
{
    const char *text = json_string_value(attribute);
    char *number;

    if (json_is_boolean(attribute))
        return json_is_true(attribute) ? "true" : "false";
    if (json_is_integer(attribute)) {
        number = arena_alloc(arena, NUMBER_TEXT_MAX);
        integer_format(json_integer_value(attribute), number);
        return number;
    }
    return text && *text && utf8_count(text) <= DIMENSION_VALUE_MAX ? text : NULL;
}

static bool is_listed(const struct live_dimension *dimensions, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(dimensions[i].name, name) == 0)
            return true;
    return false;
}

struct object_list evaluation_exposure(const struct evaluation *evaluation,
                                       const struct evaluation_context *context,
                                       struct arena *arena)
{
    const struct string_list *names = &evaluation->flag->settings->dimensions;
    struct live_exposure *exposure = ARENA_NEW(arena, struct live_exposure);
    struct live_dimension *dimensions = ARENA_ARRAY(arena, struct live_dimension, 1 + names->count);
    size_t count = 0;

    if (evaluation->round)
        dimensions[count++] = (struct live_dimension){
            ADAPTIVE_DIMENSION, arena_print(arena, "%lld", (long long)evaluation->round)};
    for (size_t i = 0; i < names->count && count < LIVE_DIMENSIONS_MAX; i++) {
        const char *value =
            dimension_value(json_object_get(context->attributes, names->items[i]), arena);

        if (value && !is_listed(dimensions, count, names->items[i]))
            dimensions[count++] = (struct live_dimension){names->items[i], value};
    }
    *exposure = (struct live_exposure){.user_id = context->user_id,
                                       .variation_index = evaluation->variation};
    exposure->dimensions.count = count;
    exposure->dimensions.items = dimensions;
    return (struct object_list){.count = 1, .items = exposure};
}

struct object_list evaluation_holdout(const struct evaluation_context *context, struct arena *arena)
{
    struct live_holdout_member *member = ARENA_NEW(arena, struct live_holdout_member);

    member->user_id = context->user_id;
    return (struct object_list){.count = 1, .items = member};
}

enum error evaluation_read_context(const json_t *sent, struct evaluation_context *context,
                                   struct problem *problem)
{
    const json_t *user = json_object_get(sent, "targetingKey");
    const char *id = json_string_value(user);

    *context = (struct evaluation_context){0};
    if (!sent || json_is_null(sent))
        return ERROR_NONE;
    if (!json_is_object(sent))
        return problem_set(problem, ERROR_INVALID, "invalid_context", "context must be an object");
    if (user && !json_is_null(user) && !id)
        return problem_set(problem, ERROR_INVALID, "invalid_context",
                           "context.targetingKey must be a text");
    if (id && utf8_count(id) > LIVE_USER_MAX)
        return problem_set(problem, ERROR_INVALID, "invalid_context",
                           "context.targetingKey has at most %d characters", LIVE_USER_MAX);
    context->attributes = sent;
    context->user_id = id && *id ? id : NULL;
    return ERROR_NONE;
}
