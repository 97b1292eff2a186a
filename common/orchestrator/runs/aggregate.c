/* Putting results together. */
#include "orchestrator/runs/aggregate.h"

#include "base/schema.h"
#include "base/string_list.h"

#include <string.h>

enum { OUTPUT_MAX = 64 * 1024 * 1024, DETAILS_MAX = 1 << 20 };

static size_t count_status(const struct result *results, size_t count, int status)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        found += results[i].status == status;
    return found;
}

static const struct result *first_with(const struct result *results, size_t count, int status)
{
    for (size_t i = 0; i < count; i++)
        if (results[i].status == status)
            return &results[i];
    return NULL;
}

const char *aggregate_adapter(const struct run *run, const struct result *results, size_t count)
{
    const char *name = NULL;
    int status = count_status(results, count, RUN_SUCCEEDED) ? RUN_SUCCEEDED
                 : count_status(results, count, RUN_FAILED)  ? RUN_FAILED
                                                             : RUN_CANCELLED;

    if (run->dry_run)
        return "dry_run";
    for (size_t i = 0; i < count; i++) {
        if (results[i].status != status)
            continue;
        if (name && strcmp(name, results[i].adapter_name) != 0)
            return "multi";
        name = results[i].adapter_name;
    }
    return name ? name : "unknown";
}

static int mode_of(const struct run *run, const struct result *results, size_t count)
{
    if (run->dry_run)
        return MODE_DRY_RUN;
    for (size_t i = 1; i < count; i++)
        if (results[i].executed->backend != results[0].executed->backend)
            return MODE_MIXED;
    return count && results[0].executed->backend == BACKEND_BROWSER ? MODE_BROWSER : MODE_API;
}

static const char *merge(struct arena *arena, const struct result *results, size_t count,
                         int strategy)
{
    struct text text;
    bool any = false;

    text_start(&text, arena, OUTPUT_MAX);
    for (size_t i = 0; i < count; i++) {
        if (results[i].status != RUN_SUCCEEDED || !results[i].text || !*results[i].text)
            continue;
        if (strategy == MERGE_FIRST_SUCCESS)
            return results[i].text;
        if (any)
            text_append_string(&text, "\n\n");
        text_append_string(&text, results[i].text);
        any = true;
    }
    return any ? text.bytes : NULL;
}

static const char *list_failures(struct arena *arena, const struct result *results, size_t count,
                                 size_t failed)
{
    struct text text;
    bool first = true;

    text_start(&text, arena, DETAILS_MAX);
    text_append_format(&text, "%zu steps failed with different errors: ", failed);
    for (size_t i = 0; i < count; i++) {
        const char *code = failure_name(results[i].failure_code);

        if (results[i].status != RUN_FAILED)
            continue;
        text_append_format(&text, "%s%s=%s", first ? "" : ", ", results[i].model->id,
                           code ? code : "unknown_error");
        first = false;
    }
    return text.bytes;
}

static void explain_failure(struct run *run, const struct result *results, size_t count,
                            struct outcome *outcome)
{
    const struct result *first = first_with(results, count, RUN_FAILED);
    size_t failed = count_status(results, count, RUN_FAILED);
    bool same = true;

    for (size_t i = 0; i < count; i++)
        same = same &&
               (results[i].status != RUN_FAILED || results[i].failure_code == first->failure_code);
    outcome->failure_code = same ? first->failure_code : FAILURE_UNKNOWN;
    if (failed == 1)
        outcome->failure_message = first->failure_message;
    else if (same)
        outcome->failure_message = arena_print(
            run->arena, "All %zu steps failed: %s", failed,
            first->failure_message ? first->failure_message : failure_name(first->failure_code));
    else
        outcome->failure_message = list_failures(run->arena, results, count, failed);
}

/* Adds a text to a sorted list. */
static void insert_sorted(struct string_list *list, const char *text, bool unique)
{
    size_t at = list->count;

    if (unique && string_list_has(list, text))
        return;
    for (; at > 0 && strcmp(list->items[at - 1], text) > 0; at--)
        list->items[at] = list->items[at - 1];
    list->items[at] = text;
    list->count++;
}

/* Task details of every run, whatever its status. */
struct run_details {
    int64_t quorum;
    int merge_strategy;
    struct string_list adapter_names; /* sorted */
    int64_t completed_step_count, failed_step_count, cancelled_step_count;
    struct string_list failure_codes; /* sorted, one per failed step */
    struct optional_integer winning_step_index;
    const char *winning_model_id;
    struct integer_list cancelled_steps;
    const char *cancel_reason;
};

#define OWNER struct run_details
static const struct field details_fields[] = {
    INTEGER(OWNER, quorum),
    CHOICE(OWNER, merge_strategy, merge_strategy_names, .choice_count = MERGE_STRATEGY__MAX),
    STRINGS(OWNER, adapter_names),
    INTEGER(OWNER, completed_step_count),
    INTEGER(OWNER, failed_step_count),
    INTEGER(OWNER, cancelled_step_count),
    STRINGS(OWNER, failure_codes),
    NULLABLE_INTEGER(OWNER, winning_step_index),
    STRING(OWNER, winning_model_id, .nullable = true),
    INTEGERS(OWNER, cancelled_steps),
    STRING(OWNER, cancel_reason, .nullable = true),
};
#undef OWNER
static SCHEMA(details_schema, struct run_details, "RunDetails", details_fields);

static const char *details_of(struct run *run, const struct result *results, size_t count,
                              int64_t quorum, int strategy, const struct outcome *outcome)
{
    struct run_details details = {
        .quorum = quorum,
        .merge_strategy = strategy,
        .adapter_names.items = ARENA_ARRAY(run->arena, const char *, count + 1),
        .completed_step_count = (int64_t)count_status(results, count, RUN_SUCCEEDED),
        .failed_step_count = (int64_t)count_status(results, count, RUN_FAILED),
        .cancelled_step_count = (int64_t)count_status(results, count, RUN_CANCELLED),
        .failure_codes.items = ARENA_ARRAY(run->arena, const char *, count + 1),
        .winning_step_index = {outcome->winning_step != 0, outcome->winning_step},
        .winning_model_id = outcome->winner ? outcome->winner->id : NULL,
        .cancelled_steps.items = ARENA_ARRAY(run->arena, int64_t, count + 1),
        .cancel_reason = outcome->cancel_reason};

    for (size_t i = 0; i < count; i++) {
        insert_sorted(&details.adapter_names, results[i].adapter_name, true);
        if (results[i].status == RUN_FAILED && results[i].failure_code != FAILURE_NONE)
            insert_sorted(&details.failure_codes, failure_name(results[i].failure_code), false);
        if (results[i].status == RUN_CANCELLED)
            details.cancelled_steps.items[details.cancelled_steps.count++] = (int64_t)i + 1;
    }
    return schema_json(run->arena, DETAILS_MAX, &details_schema, &details);
}

void aggregate(struct run *run, const struct result *results, size_t count, int64_t quorum,
               int merge_strategy, struct outcome *outcome)
{
    size_t succeeded = count_status(results, count, RUN_SUCCEEDED);
    const struct result *first = first_with(results, count, RUN_SUCCEEDED);

    *outcome = (struct outcome){.failure_code = FAILURE_NONE,
                                .execution_mode = mode_of(run, results, count),
                                .adapter_name = aggregate_adapter(run, results, count)};
    if (run->dry_run || (int64_t)succeeded >= quorum) {
        outcome->status = RUN_SUCCEEDED;
        outcome->output_text = merge(run->arena, results, count, merge_strategy);
    } else if (first_with(results, count, RUN_FAILED)) {
        outcome->status = RUN_FAILED;
        explain_failure(run, results, count, outcome);
    } else {
        outcome->status = RUN_CANCELLED;
    }
    if (first && (merge_strategy == MERGE_FIRST_SUCCESS || count == 1)) {
        outcome->winning_step = first - results + 1;
        outcome->winner = first->model;
    }
    if (count_status(results, count, RUN_CANCELLED) && outcome->status == RUN_SUCCEEDED)
        outcome->cancel_reason = "quorum_reached";
    outcome->details = details_of(run, results, count, quorum, merge_strategy, outcome);
}
