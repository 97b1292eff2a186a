/* Putting results together. */
#include "orchestrator/runs/aggregate.h"

#include "base/json.h"
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
    size_t place = list->count;

    if (unique && string_list_has(list, text))
        return;
    for (; place > 0 && strcmp(list->items[place - 1], text) > 0; place--)
        list->items[place] = list->items[place - 1];
    list->items[place] = text;
    list->count++;
}

static void write_cancelled(struct json_writer *writer, const struct result *results, size_t count)
{
    writer_key(writer, "cancelled_steps");
    writer_open_array(writer);
    for (size_t i = 0; i < count; i++)
        if (results[i].status == RUN_CANCELLED)
            writer_integer(writer, (int64_t)i + 1);
    writer_close_array(writer);
}

static const char *write_details(struct run *run, const struct result *results, size_t count,
                                 int64_t quorum, int strategy, const struct outcome *outcome)
{
    struct string_list names = {.items = ARENA_ARRAY(run->arena, const char *, count + 1)};
    struct string_list codes = {.items = ARENA_ARRAY(run->arena, const char *, count + 1)};
    struct json_writer writer;
    struct text text;

    for (size_t i = 0; i < count; i++) {
        insert_sorted(&names, results[i].adapter_name, true);
        if (results[i].status == RUN_FAILED && results[i].failure_code != FAILURE_NONE)
            insert_sorted(&codes, failure_name(results[i].failure_code), false);
    }
    text_start(&text, run->arena, DETAILS_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_integer(&writer, "quorum", quorum);
    writer_key_string(&writer, "merge_strategy", merge_strategy_names[strategy]);
    writer_key_strings(&writer, "adapter_names", &names);
    writer_key_integer(&writer, "completed_step_count",
                       (int64_t)count_status(results, count, RUN_SUCCEEDED));
    writer_key_integer(&writer, "failed_step_count",
                       (int64_t)count_status(results, count, RUN_FAILED));
    writer_key_integer(&writer, "cancelled_step_count",
                       (int64_t)count_status(results, count, RUN_CANCELLED));
    writer_key_strings(&writer, "failure_codes", &codes);
    if (outcome->winning_step)
        writer_key_integer(&writer, "winning_step_index", outcome->winning_step);
    else
        writer_key_null(&writer, "winning_step_index");
    writer_key_string(&writer, "winning_model_id", outcome->winner ? outcome->winner->id : NULL);
    write_cancelled(&writer, results, count);
    writer_key_string(&writer, "cancel_reason", outcome->cancel_reason);
    writer_close_object(&writer);
    return text.bytes;
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
    outcome->details = write_details(run, results, count, quorum, merge_strategy, outcome);
}
