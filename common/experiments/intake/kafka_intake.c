/* Decodes, applies and publishes records of experiments in Kafka's messages. */
#include "experiments/intake/kafka_intake.h"

#include "base/json.h"
#include "base/list.h"
#include "base/schema_words.h"
#include "experiments/live/ingest.h"
#include "experiments/live/record_schemas.h"
#include "experiments/live/rollup_store.h"

#include <stdlib.h>
#include <string.h>

enum { RECORD_DEPTH = 8, MESSAGE_MAX = 64 * 1024, ATTEMPT_MEMORY_MAX = 192 * 1024 * 1024 };

struct kafka_intake_record {
    enum live_kind kind;
    const char *experiment; /* NULL = it is refused */
    void *record;
};

static const char *topic_of(struct arena *arena, const struct experiments_settings *settings,
                            enum live_kind kind)
{
    return arena_print(arena, "%s%s", settings->kafka_topic_prefix, live_kind_names[kind]);
}

struct string_list kafka_intake_topics(struct arena *arena,
                                       const struct experiments_settings *settings)
{
    struct string_list topics = {0, ARENA_ARRAY(arena, const char *, LIVE_KIND__MAX)};

    for (int kind = 0; kind < LIVE_KIND__MAX; kind++)
        topics.items[topics.count++] = topic_of(arena, settings, (enum live_kind)kind);
    return topics;
}

/* The field that a path ends at, with what is wrong. */
static const char *describe(struct arena *arena, const struct schema_errors *errors)
{
    const struct schema_path *path = errors->items[0].path;
    const char *words = schema_fault_words[errors->items[0].fault];

    while (path && !path->key)
        path = path->parent;
    return path ? arena_print(arena, "%s %s", path->key, words) : words;
}

/* Why the message is refused, or NULL. */
static const char *decode(struct arena *arena, const struct kafka_record *message,
                          struct kafka_intake_record *decoded)
{
    const struct schema *schema = &live_record_schemas[decoded->kind];
    struct schema_errors errors;
    struct json_fault fault;
    const json_t *experiment;
    json_t *document;

    if (!message->value)
        return "it is empty";
    if (json_read(arena, message->value, message->length, RECORD_DEPTH, &document, &fault))
        return arena_copy_string(arena, fault.text);
    experiment = json_object_get(document, "experiment_id");
    if (!json_is_string(experiment) || !json_string_length(experiment))
        return "experiment_id: a text is needed";
    decoded->experiment = json_string_value(experiment);
    json_object_del(document, "experiment_id");
    decoded->record = arena_alloc_array(arena, 1, schema->size);
    memset(decoded->record, 0, schema->size);
    if (schema_decode(schema, document, "record", decoded->record, &errors, arena)) {
        decoded->experiment = NULL;
        return describe(arena, &errors);
    }
    return NULL;
}

static enum live_kind kind_of(const struct kafka_intake_context *intake, const char *topic)
{
    for (size_t i = 0; i < intake->topics.count; i++)
        if (strcmp(intake->topics.items[i], topic) == 0)
            return (enum live_kind)i;
    return LIVE_KIND__MAX;
}

enum error kafka_intake_decode(void *context, struct kafka_batch *batch, struct problem *problem)
{
    struct kafka_intake_context *intake = context;

    (void)problem;
    intake->records = ARENA_ARRAY(batch->arena, struct kafka_intake_record, batch->count + 1);
    for (size_t i = 0; i < batch->count; i++) {
        struct kafka_intake_record *decoded = &intake->records[i];
        const char *refused;

        *decoded = (struct kafka_intake_record){
            .kind = kind_of(intake, batch->records[i].position->topic)};
        refused = decode(batch->arena, &batch->records[i], decoded);
        if (refused)
            kafka_refuse(&batch->records[i], refused);
    }
    return ERROR_NONE;
}

/* By experiment, so that two bridges lock experiments in one order; then by kind, and as they came.
 */
static int intake_order(const void *left, const void *right, void *context)
{
    const struct kafka_intake_record *records = context;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    int order = strcmp(records[a].experiment, records[b].experiment);

    if (!order)
        order = (records[a].kind > records[b].kind) - (records[a].kind < records[b].kind);
    return order ? order : (a > b) - (a < b);
}

/* One attempt to apply a batch. */
struct attempt {
    const struct kafka_intake_context *intake;
    struct kafka_batch *batch;
    const size_t *order; /* of the records that are applied */
    size_t count;
    struct live_call call; /* its arena is of a group, its problem the caller's */
};

static const struct kafka_intake_record *ordered(const struct attempt *attempt, size_t at)
{
    return &attempt->intake->records[attempt->order[at]];
}

static bool is_same_experiment(const struct attempt *attempt, size_t left, size_t right)
{
    return strcmp(ordered(attempt, left)->experiment, ordered(attempt, right)->experiment) == 0;
}

/* How many records go together with the one at `from`. */
static size_t group_size(const struct attempt *attempt, size_t from)
{
    size_t end = from;

    while (end < attempt->count && ordered(attempt, end)->kind == ordered(attempt, from)->kind &&
           is_same_experiment(attempt, end, from))
        end++;
    return end - from;
}

static struct object_list take_group(const struct attempt *attempt, size_t from, size_t count)
{
    size_t size = live_record_schemas[ordered(attempt, from)->kind].size;
    char *items = arena_alloc_array(attempt->call.arena, count, size);

    for (size_t i = 0; i < count; i++)
        memcpy(items + i * size, ordered(attempt, from + i)->record, size);
    return (struct object_list){count, items};
}

/* Whether the experiment takes no records; other errors are not of these records alone. */
static bool is_closed(enum error error, const struct problem *problem)
{
    return error && problem->reason &&
           (strcmp(problem->reason, "project_not_found") == 0 ||
            strcmp(problem->reason, "project_archived") == 0);
}

/* Refuses those of the experiment at `from`; where the next one begins. */
static size_t refuse_experiment(const struct attempt *attempt, size_t from)
{
    const char *reason = arena_copy_string(attempt->batch->arena, attempt->call.problem->text);
    size_t end = from;

    for (; end < attempt->count && is_same_experiment(attempt, end, from); end++)
        kafka_refuse(&attempt->batch->records[attempt->order[end]], reason);
    return end;
}

/* The experiment at `from` takes no records, and the transaction is undone. All others like it are
 * found now: each attempt costs a transaction. */
static enum error refuse_closed(const struct attempt *attempt, size_t from)
{
    const struct problem first = *attempt->call.problem;
    size_t at = refuse_experiment(attempt, from);

    while (at < attempt->count) {
        enum error error;

        error = is_same_experiment(attempt, at, at - 1)
                    ? ERROR_NONE
                    : live_check_experiment(&attempt->call, ordered(attempt, at)->experiment, NULL);
        if (is_closed(error, attempt->call.problem))
            at = refuse_experiment(attempt, at);
        else if (error)
            return error;
        else
            at++;
    }
    *attempt->call.problem = first;
    return first.error;
}

/* `at`: where the group begins that failed. */
static enum error ingest(const struct attempt *attempt, size_t *at)
{
    size_t count;

    for (*at = 0; *at < attempt->count; *at += count) {
        const struct kafka_intake_record *first = ordered(attempt, *at);
        struct object_list list;
        struct live_outcome outcome;
        enum error error;

        count = group_size(attempt, *at);
        list = take_group(attempt, *at, count);
        error = live_ingest(&attempt->call, first->experiment, first->kind, &list, &outcome);
        if (error)
            return error;
        arena_reset(attempt->call.arena);
    }
    return ERROR_NONE;
}

enum error kafka_intake_apply(void *context, struct db *db, struct kafka_batch *batch,
                              struct problem *problem)
{
    struct kafka_intake_context *intake = context;
    size_t *order = ARENA_ARRAY(batch->arena, size_t, batch->count + 1);
    struct attempt attempt = {.intake = intake, .batch = batch, .order = order};
    enum error error;
    size_t at = 0;

    for (size_t i = 0; i < batch->count; i++)
        if (!batch->records[i].refused)
            order[attempt.count++] = i;
    qsort_r(order, attempt.count, sizeof *order, intake_order, intake->records);
    error = db_begin(db, DB_WRITE, problem);
    if (error)
        return error;
    attempt.call = (struct live_call){.db = db,
                                      .arena = arena_create_below(batch->arena, ATTEMPT_MEMORY_MAX),
                                      .spike_events = intake->settings->live_spike_events,
                                      .clusters_max = intake->settings->live_clusters_max,
                                      .problem = problem};
    error = kafka_batch_advance(db, batch, problem);
    if (!error)
        error = ingest(&attempt, &at);
    error = db_finish(db, error, problem);
    if (is_closed(error, problem))
        error = refuse_closed(&attempt, at);
    arena_destroy(attempt.call.arena);
    return error;
}

/* The user whose records keep their order. */
static const char *key_of(enum live_kind kind, const void *record)
{
    if (kind == LIVE_IDENTITIES)
        return ((const struct live_identity *)record)->canonical_id;
    return *(const char *const *)record; /* user_id comes first in all others */
}

_Static_assert(!offsetof(struct live_exposure, user_id) &&
                   !offsetof(struct live_conversion, user_id) &&
                   !offsetof(struct live_exclusion, user_id) &&
                   !offsetof(struct live_holdout_member, user_id) &&
                   !offsetof(struct live_pre_period, user_id) &&
                   !offsetof(struct live_stratum, user_id),
               "key_of() relies on it");

/* The time of a record is that of its receipt, not of its application. */
static void stamp(enum live_kind kind, void *record, int64_t now)
{
    struct optional_integer *at =
        kind == LIVE_EXPOSURES     ? &((struct live_exposure *)record)->occurred_at
        : kind == LIVE_CONVERSIONS ? &((struct live_conversion *)record)->occurred_at
                                   : NULL;

    if (at && !at->given)
        *at = GIVEN_INTEGER(now);
}

static void write_message(struct arena *arena, const struct kafka_intake_target *target,
                          const void *record, struct kafka_outgoing *message)
{
    struct json_writer writer;
    struct text one, text;

    message->key = key_of(target->kind, record);
    message->key_length = strlen(message->key);
    if (target->buckets > 1)
        message->bucket = GIVEN_INTEGER(live_bucket_of(message->key, target->buckets));
    text_start(&one, arena, MESSAGE_MAX);
    writer_start(&writer, &one);
    schema_write(&writer, &live_record_schemas[target->kind], record);
    text_start(&text, arena, 2 * MESSAGE_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "experiment_id", target->experiment_id);
    writer_close_object(&writer);
    message->value = json_join(arena, text.bytes, one.bytes);
    message->length = strlen(message->value);
}

enum error kafka_intake_publish(struct kafka_producer *producer, struct arena *arena,
                                const struct experiments_settings *settings,
                                const struct kafka_intake_target *target,
                                const struct object_list *records, int64_t now,
                                struct object_list *published, struct problem *problem)
{
    struct kafka_outgoing *messages = ARENA_ARRAY(arena, struct kafka_outgoing, records->count + 1);
    size_t size = live_record_schemas[target->kind].size;
    const char *topic = topic_of(arena, settings, target->kind);
    enum error error;

    for (size_t i = 0; i < records->count; i++) {
        void *record = (char *)records->items + i * size;

        stamp(target->kind, record, now);
        messages[i].topic = topic;
        write_message(arena, target, record, &messages[i]);
    }
    error = kafka_publish(producer, messages, records->count, problem);
    if (!error)
        kafka_published_of(arena, messages, records->count, published);
    return error;
}
