/* One function adds a step; the checks stand in the order of evaluate() and live_assign(). */
#include "experiments/evaluation/preview.h"

#include "experiments/assignment/assignment.h"
#include "experiments/flags/flag_layers.h"

static const char *const check_names[PREVIEW__MAX] = {"flag",   "archived", "fixed",     "user",
                                                      "forced", "exposure", "targeting", "layer",
                                                      "share",  "holdout",  "split"};
static const char *const outcome_names[PREVIEW_OUTCOME__MAX] = {"passed", "decided", "missing"};
static const char *const record_names[PREVIEW_RECORD__MAX] = {"nothing", "exposure", "holdout"};

#define OWNER struct preview_segment
static const struct field segment_fields[] = {
    STRING(OWNER, name),
    BOOLEAN(OWNER, exists, .help = "There is a segment of this name."),
    BOOLEAN(OWNER, listed, .help = "The user is in its list."),
    NULLABLE_BOOLEAN(OWNER, rules_hold, .help = "null: it has no rules."),
    NULLABLE_INTEGER(OWNER, rule, .help = "Index of its rule that fails."),
    STRING(OWNER, attribute, .nullable = true),
    {.name = "operator",
     .type = FIELD_CHOICE,
     .offset = offsetof(OWNER, comparison),
     .choices = targeting_operator_names,
     .choice_count = TARGETING__MAX,
     .nullable = true},
    JSON_VALUE(OWNER, value, .nullable = true),
    JSON_VALUE(OWNER, told, .nullable = true, .help = "The attribute of the context."),
};
#undef OWNER
static SCHEMA(segment_schema, struct preview_segment, "PreviewSegment", segment_fields,
              .help = "Why a user belongs to a segment, or does not.");

#define OWNER struct preview_rule
static const struct field rule_fields[] = {
    NULLABLE_INTEGER(OWNER, group, .help = "Index of the group; null: the design's own rules."),
    NULLABLE_INTEGER(OWNER, rule, .help = "Index of the rule; null: none of several holds."),
    STRING(OWNER, attribute, .nullable = true),
    {.name = "operator",
     .type = FIELD_CHOICE,
     .offset = offsetof(OWNER, comparison),
     .choices = targeting_operator_names,
     .choice_count = TARGETING__MAX,
     .nullable = true},
    JSON_VALUE(OWNER, value, .nullable = true),
    JSON_VALUE(OWNER, told, .nullable = true, .help = "The attribute of the context."),
    OBJECT(OWNER, segment, segment_schema, .nullable = true, .omit_if_null = true,
           .help = "Of in_segment and not_in_segment."),
};
#undef OWNER
static SCHEMA(rule_schema, struct preview_rule, "PreviewRule", rule_fields);

#define OWNER struct preview_layer
static const struct field layer_fields[] = {
    STRING(OWNER, namespace),
    NUMBER(OWNER, position),
    NUMBER(OWNER, range_start),
    NUMBER(OWNER, range_end),
    STRING(OWNER, taken_by, .nullable = true, .help = "The project whose range has the user."),
};
#undef OWNER
static SCHEMA(layer_schema, struct preview_layer, "PreviewLayer", layer_fields);

#define OWNER struct preview_share
static const struct field share_fields[] = {
    NUMBER(OWNER, position, .help = "Of the user among those of the variation, between 0 and 1."),
    NUMBER(OWNER, share, .help = "Users below are let in: the design's times the ramp's."),
    NULLABLE_INTEGER(OWNER, ramp_step, .help = "Index; -1: before the first step."),
};
#undef OWNER
static SCHEMA(share_schema, struct preview_share, "PreviewShare", share_fields);

#define OWNER struct flag_holdout
static const struct field holdout_fields[] = {STRING(OWNER, name), NUMBER(OWNER, share)};
#undef OWNER
static SCHEMA(holdout_schema, struct flag_holdout, "PreviewHoldout", holdout_fields);

#define OWNER struct preview_step
static const struct field step_fields[] = {
    CHOICE(OWNER, check, check_names, .choice_count = PREVIEW__MAX),
    CHOICE(OWNER, outcome, outcome_names, .choice_count = PREVIEW_OUTCOME__MAX,
           .help = "The last check decides. missing: the flag has no values."),
    OBJECT(OWNER, rule, rule_schema, .nullable = true, .omit_if_null = true),
    OBJECT(OWNER, layer, layer_schema, .nullable = true, .omit_if_null = true),
    OBJECT(OWNER, share, share_schema, .nullable = true, .omit_if_null = true),
    OBJECT(OWNER, holdout, holdout_schema, .nullable = true, .omit_if_null = true),
};
#undef OWNER
static SCHEMA(step_schema, struct preview_step, "PreviewStep", step_fields);

#define OWNER struct preview
static const struct field preview_fields[] = {
    STRING(OWNER, experiment_id),
    STRING(OWNER, key),
    BOOLEAN(OWNER, enabled),
    INTEGER(OWNER, variation_index, .help = "-1: none."),
    STRING(OWNER, variant, .nullable = true),
    JSON_VALUE(OWNER, value, .nullable = true),
    STRING(OWNER, reason, .nullable = true,
           .help = "STATIC, TARGETING_MATCH, SPLIT, DISABLED or DEFAULT."),
    BOOLEAN(OWNER, in_experiment),
    CHOICE(OWNER, records, record_names, .choice_count = PREVIEW_RECORD__MAX,
           .help = "What an evaluation of this flag would store."),
    STRING(OWNER, error, .nullable = true, .help = "Why there is no value."),
    OBJECTS(OWNER, steps, step_schema, .help = "The checks in their order; the last one decides."),
};
#undef OWNER
SCHEMA(preview_schema, struct preview, "FlagPreview", preview_fields,
       .help = "What a user would get of a flag, and why.");

/* Steps on their way into a preview. */
struct chain {
    const struct live_call *live;
    const struct evaluation *evaluation;
    const struct evaluation_context *context;
    struct preview_layers *layers;
    struct preview_step *steps;
    size_t count;
};

static struct preview_step *add(struct chain *chain, enum preview_check check, bool decides)
{
    struct preview_step *step = &chain->steps[chain->count++];

    *step = (struct preview_step){.check = (int)check,
                                  .outcome = decides ? PREVIEW_DECIDED : PREVIEW_PASSED};
    return step;
}

static const struct preview_segment *describe_segment(struct arena *arena,
                                                      const struct targeting_failure *failure)
{
    const struct targeting_segment *asked = failure->segment;
    struct preview_segment *segment = ARENA_NEW(arena, struct preview_segment);
    const struct targeting_rule *what;

    *segment = (struct preview_segment){
        .name = json_string_value(failure->what->value), .exists = asked != NULL, .comparison = -1};
    if (!asked)
        return segment;
    segment->listed = asked->listed;
    segment->rules_hold = (struct optional_boolean){asked->has_rules, asked->rules_hold};
    if (!asked->has_rules || asked->rules_hold)
        return segment;
    what = asked->failure.what;
    segment->rule = (struct optional_integer){asked->failure.rule >= 0, asked->failure.rule};
    if (!what)
        return segment;
    segment->attribute = what->attribute;
    segment->comparison = what->comparison;
    segment->value = what->value;
    segment->told = (json_t *)asked->failure.attribute;
    return segment;
}

static const struct preview_rule *describe_rule(struct arena *arena,
                                                const struct targeting_failure *failure)
{
    struct preview_rule *rule = ARENA_NEW(arena, struct preview_rule);
    const struct targeting_rule *what = failure->what;

    *rule = (struct preview_rule){.group = {failure->group >= 0, failure->group},
                                  .rule = {failure->rule >= 0, failure->rule},
                                  .comparison = -1};
    if (!what)
        return rule;
    rule->attribute = what->attribute;
    rule->comparison = what->comparison;
    rule->value = what->value;
    rule->told = (json_t *)failure->attribute;
    if (targeting_names_segment(what))
        rule->segment = describe_segment(arena, failure);
    return rule;
}

static bool add_targeting(struct chain *chain)
{
    const struct live_assignment *assigned = &chain->evaluation->assigned;
    struct preview_step *step;

    if (!assigned->targeted)
        return false;
    step = add(chain, PREVIEW_TARGETING, assigned->targeting_excluded);
    if (assigned->targeting_excluded)
        step->rule = describe_rule(chain->live->arena, &assigned->failure);
    return assigned->targeting_excluded;
}

static enum error read_layers(const struct chain *chain)
{
    const struct live_call *live = chain->live;
    const struct flag_call flags = {.db = live->db, .arena = live->arena, .problem = live->problem};

    if (chain->layers->are_read)
        return ERROR_NONE;
    chain->layers->are_read = true;
    return flag_layers_read(&flags, &chain->layers->list);
}

static enum error add_layer(struct chain *chain, bool *decides)
{
    const struct live_assignment *assigned = &chain->evaluation->assigned;
    const struct payload_namespace *space = assigned->design->namespace;
    const struct live_call *live = chain->live;
    struct preview_layer *layer;
    enum error error;

    *decides = assigned->namespace_excluded;
    if (!space)
        return ERROR_NONE;
    layer = ARENA_NEW(live->arena, struct preview_layer);
    *layer = (struct preview_layer){
        .namespace = space->id,
        .position = assignment_namespace_position(space->id, chain->context->user_id),
        .range_start = space->range_start,
        .range_end = space->range_end};
    add(chain, PREVIEW_LAYER, *decides)->layer = layer;
    if (!*decides)
        return ERROR_NONE;
    error = read_layers(chain);
    if (!error)
        layer->taken_by =
            flag_layer_owner(&chain->layers->list, chain->evaluation->flag->experiment_id,
                             space->id, layer->position);
    return error;
}

static bool add_share(struct chain *chain)
{
    const struct live_assignment *assigned = &chain->evaluation->assigned;
    struct preview_share *share = ARENA_NEW(chain->live->arena, struct preview_share);
    bool decides = !assigned->in_experiment && !assigned->held_out;

    *share = (struct preview_share){assigned->entry, assigned->coverage, assigned->step};
    add(chain, PREVIEW_SHARE, decides)->share = share;
    return decides;
}

static bool add_holdout(struct chain *chain)
{
    const struct flag_settings *settings = chain->evaluation->flag->settings;
    const struct flag_holdout *holdout = settings ? settings->holdout : NULL;

    if (!holdout)
        return false;
    add(chain, PREVIEW_HOLDOUT, chain->evaluation->assigned.held_out)->holdout = holdout;
    return chain->evaluation->assigned.held_out;
}

static enum error add_design(struct chain *chain)
{
    const struct live_assignment *assigned = &chain->evaluation->assigned;
    bool decides;
    enum error error;

    add(chain, PREVIEW_EXPOSURE, assigned->sticky);
    if (assigned->sticky || add_targeting(chain))
        return ERROR_NONE;
    error = add_layer(chain, &decides);
    if (error || decides || add_share(chain) || add_holdout(chain))
        return error;
    add(chain, PREVIEW_SPLIT, true);
    return ERROR_NONE;
}

/* The checks before the design's; true when one of them decides. */
static bool add_settings(struct chain *chain)
{
    static const struct {
        enum preview_check check;
        enum evaluation_step decides;
    } order[] = {{PREVIEW_FLAG, DECIDED_OFF},
                 {PREVIEW_ARCHIVED, DECIDED_ARCHIVED},
                 {PREVIEW_FIXED, DECIDED_FIXED},
                 {PREVIEW_USER, DECIDED_NO_USER},
                 {PREVIEW_FORCED, DECIDED_FORCED}};

    if (!chain->evaluation->flag->settings) {
        add(chain, PREVIEW_FLAG, false)->outcome = PREVIEW_MISSING;
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(order); i++) {
        bool decides = chain->evaluation->step == (int)order[i].decides;

        add(chain, order[i].check, decides);
        if (decides)
            return true;
    }
    return false;
}

static int record_of(const struct evaluation *evaluation)
{
    if (evaluation->fault != EVALUATION_OK || !evaluation->flag->settings)
        return PREVIEW_NOTHING;
    if (evaluation->new_member)
        return PREVIEW_MEMBER;
    return evaluation->new_user ? PREVIEW_NEW_EXPOSURE : PREVIEW_NOTHING;
}

static void describe(const struct evaluation *evaluation, struct preview *preview)
{
    const struct flag *flag = evaluation->flag;
    const struct flag_variant *variant;

    *preview = (struct preview){.experiment_id = flag->experiment_id,
                                .key = flag->key,
                                .enabled = flag->enabled,
                                .variation_index = evaluation->variation,
                                .in_experiment = evaluation->in_experiment,
                                .records = record_of(evaluation),
                                .error = evaluation_fault_texts[evaluation->fault]};
    if (evaluation->fault != EVALUATION_OK)
        preview->variation_index = -1;
    if (evaluation->fault != EVALUATION_OK || !flag->settings)
        return;
    variant = evaluation_variant(evaluation);
    preview->variant = variant->name;
    preview->value = variant->value;
    preview->reason = evaluation_reason_names[evaluation->reason];
}

/* What `assign` gives where the flag has no values. */
static enum error assign_without_values(const struct live_call *live,
                                        const struct evaluation_context *context,
                                        struct evaluation *evaluation)
{
    const struct live_asked asked = {context->user_id, context->attributes, HASH_VERSION_2, 0};
    enum error error;

    evaluation->variation = ASSIGNMENT_NONE;
    if (!context->user_id) {
        evaluation->fault = EVALUATION_NO_USER;
        return ERROR_NONE;
    }
    error = live_assign(live, evaluation->flag->experiment_id, &asked, &evaluation->assigned);
    evaluation->step = DECIDED_BY_DESIGN;
    evaluation->variation = evaluation->assigned.variation;
    evaluation->in_experiment = evaluation->assigned.in_experiment;
    return error;
}

enum error preview_flag(const struct live_call *live, const struct flag *flag,
                        const struct evaluation_context *context, struct preview_layers *layers,
                        struct preview *preview)
{
    struct evaluation evaluation = {.flag = flag};
    struct chain chain = {live,
                          &evaluation,
                          context,
                          layers,
                          ARENA_ARRAY(live->arena, struct preview_step, PREVIEW__MAX),
                          0};
    enum error error = flag->settings ? evaluate(live, flag, context, &evaluation)
                                      : assign_without_values(live, context, &evaluation);

    if (error)
        return error;
    describe(&evaluation, preview);
    if (!add_settings(&chain) && evaluation.step == DECIDED_BY_DESIGN)
        error = add_design(&chain);
    preview->steps.items = chain.steps;
    preview->steps.count = chain.count;
    return error;
}
