/* Applying events in one transaction, the journal's row last. */
#include "livedata/ingest/apply.h"

#include "base/clock.h"
#include "base/list.h"
#include "base/log.h"
#include "crypto/token.h"
#include "db/listen.h"
#include "db/query.h"
#include "livedata/cache/live_cache.h"
#include "livedata/entities/own.h"
#include "livedata/entities/state.h"
#include "livedata/ingest/notify.h"
#include "livedata/journal/dead_letters.h"
#include "livedata/nodes/branches.h"
#include "livedata/nodes/edge.h"
#include "livedata/search/search.h"
#include "livedata/timestamp.h"

#include <stdlib.h>
#include <string.h>

struct apply_entity {
    const struct entity_type *type;
    const char *id;
    const struct entity_row *row;
    size_t note; /* its index among the notes of the transaction */
};

enum { DATA_BYTES_MAX = 1 << 20, PAYLOAD_BYTES_MAX = 1 << 20 };

static const char *const status_names[] = {"applied", "dead_lettered", "duplicate"};

#define OWNER struct apply_result
static const struct field result_fields[] = {
    STRING(OWNER, event_id, .nullable = true),
    CHOICE(OWNER, status, status_names, .choice_count = COUNT_OF(status_names)),
    STRING(OWNER, reason, .nullable = true), STRING(OWNER, detail, .nullable = true)};
#undef OWNER
SCHEMA(apply_result_schema, struct apply_result, "IngestResult", result_fields);

#define OWNER struct apply_counts
static const struct field counts_fields[] = {APPLY_COUNT_ROWS};
#undef OWNER
SCHEMA(apply_counts_schema, struct apply_counts, "IngestCounts", counts_fields);

static const struct statement count_today = {
    .name = "journal_count_day",
    .sql = "SELECT count(*) FROM pipeline_events WHERE tenant_id = ? AND processed_at >= ?"
           " AND topic = 'events.validated'",
};

/* The table has changed; `event` is the applied event, or NULL for a rejection. */
static void touch(struct apply_call *call, struct apply_touched *touched, const char *table,
                  const struct event *event)
{
    struct apply_table *changed = NULL;

    for (size_t i = 0; i < touched->table_count; i++)
        if (strcmp(touched->tables[i].name, table) == 0)
            changed = &touched->tables[i];
    if (!changed) {
        changed = ARRAY_ADD(call->storage.arena, touched->tables, touched->table_count);
        changed->name = table;
    }
    if (event) {
        changed->applied = true;
        changed->event_at = event->at;
    }
}

/* The event type that changes the same metrics as a change of the entity. */
static const char *moved_by(const char *entity_type)
{
    return strcmp(entity_type, "order") == 0     ? "order.updated"
           : strcmp(entity_type, "product") == 0 ? "product.updated"
           : strcmp(entity_type, "session") == 0 ? "page_view"
                                                 : "";
}

static void note_source(struct apply_call *call, struct apply_touched *touched,
                        const struct event *event)
{
    for (size_t i = 0; event->source && i < touched->source_count; i++) {
        struct apply_source *source = &touched->sources[i];

        if (strcmp(source->name, event->source) != 0)
            continue;
        source->event_at = event->at > source->event_at ? event->at : source->event_at;
        return;
    }
    if (event->source)
        *ARRAY_ADD(call->storage.arena, touched->sources, touched->source_count) =
            (struct apply_source){event->source, event->at};
}

static void count_type(struct apply_call *call, struct apply_touched *touched,
                       const struct event *event)
{
    const char *type = event->family == EVENT_CHANGE ? moved_by(event->entity_type) : event->type;
    struct apply_type *counted = NULL;

    if (event->family != EVENT_OWN && !catalog_is_shop_event(type))
        return;
    for (size_t i = 0; i < touched->type_count; i++)
        if (strcmp(touched->types[i].name, type) == 0)
            counted = &touched->types[i];
    if (!counted) {
        counted = ARRAY_ADD(call->storage.arena, touched->types, touched->type_count);
        counted->name = type;
    }
    counted->events++;
    counted->event_at = event->at;
}

static const char *json_of(struct arena *arena, const json_t *value)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, PAYLOAD_BYTES_MAX);
    writer_start(&writer, &text);
    writer_value(&writer, value);
    return text.overflowed ? "{}" : text.bytes;
}

/* The state after the event, or the payload if there is no state; and the derived values. */
static const char *data_of(struct apply_call *call, const struct event *event,
                           const struct entity_type *type, const struct entity_row *row)
{
    struct json_writer writer;
    struct text text;
    const char *key;
    json_t *value;

    text_start(&text, call->storage.arena, DATA_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    if (row) {
        entity_row_write(&writer, type, row, call->storage.now);
    } else {
        json_object_foreach((json_t *)event->payload, key, value)
        {
            writer_key(&writer, key);
            writer_value(&writer, value);
        }
    }
    event_write_derived(event, &writer);
    writer_close_object(&writer);
    return text.overflowed ? NULL : text.bytes;
}

static enum error write_journal(struct apply_call *call, const struct event *event,
                                const char *topic, const char *event_id, const char *event_type,
                                const char *data)
{
    bool validated = strcmp(topic, TOPIC_VALIDATED) == 0;
    struct journal_row row = {.event_id = event_id,
                              .topic = topic,
                              .entity_type = event->entity_type,
                              .entity_id = event->entity_id,
                              .event_type = event_type,
                              .processed_at = call->storage.now,
                              .source = event->source,
                              .way_in = call->way_in,
                              .branch = event->branch,
                              .entity_data = data};
    enum error error;

    if (event->family == EVENT_OWN)
        row.payload = json_of(call->storage.arena, event->payload);

    if (validated)
        row.latency_ms = GIVEN_INTEGER((call->storage.now - event->at) / 1000);
    error = journal_add(&call->storage, &row);
    if (!error && call->outbound)
        error = call->outbound(call, &row, event);
    return error;
}

/* Notes that the search index needs the entity's final state. `row` is the current state if only
 * later events of the same entity can change it; NULL = read it at the end. */
static void index_later(struct apply_call *call, struct apply_touched *touched,
                        const struct entity_type *type, const char *id,
                        const struct entity_row *row)
{
    size_t note = touched->entity_count;

    if (!type || !id)
        return;
    *ARRAY_ADD(call->storage.arena, touched->entities, touched->entity_count) =
        (struct apply_entity){type, id, row, note};
}

/* By type and id, the latest note of each first. */
static int entity_order(const void *left, const void *right)
{
    const struct apply_entity *a = left, *b = right;
    int order = a->type == b->type ? strcmp(a->id, b->id) : strcmp(a->type->name, b->type->name);

    return order ? order : (a->note < b->note) - (a->note > b->note);
}

static enum error index_entity(struct apply_call *call, const struct apply_entity *entity)
{
    struct entity_row row;
    bool found = false;
    enum error error;

    if (entity->row)
        return search_index_row(&call->storage, entity->type, entity->row);
    error = entity_row_read(&call->storage, entity->type->table, entity->id, &row, &found);
    if (error)
        return error;
    return found ? search_index_row(&call->storage, entity->type, &row)
                 : search_forget_row(&call->storage, entity->type, entity->id);
}

/* Indexes each entity of the transaction once, in its final state. */
static enum error index_entities(struct apply_call *call, struct apply_touched *touched)
{
    const struct apply_entity *entities = touched->entities;
    enum error error = ERROR_NONE;

    if (!touched->entity_count)
        return error;
    qsort(touched->entities, touched->entity_count, sizeof *touched->entities, entity_order);
    for (size_t i = 0; !error && i < touched->entity_count; i++)
        if (!i || entities[i].type != entities[i - 1].type ||
            strcmp(entities[i].id, entities[i - 1].id) != 0)
            error = index_entity(call, &entities[i]);
    return error;
}

/* The row of the entity as it is now; its JSON goes into the journal. */
static enum error snapshot_entity(struct apply_call *call, const struct event *event,
                                  struct apply_touched *touched, const char **data)
{
    const struct entity_type *type = catalog_entity(call->catalog, event->entity_type);
    struct entity_row *row = ARENA_NEW(call->storage.arena, struct entity_row);
    bool found = false;
    enum error error = ERROR_NONE;

    if (type)
        error = entity_row_read(&call->storage, type->table, event->entity_id, row, &found);
    if (type)
        index_later(call, touched, type, event->entity_id, found ? row : NULL);
    *data = type && !found ? JOURNAL_REMOVED : data_of(call, event, type, found ? row : NULL);
    return error;
}

static enum error apply_order(struct apply_call *call, const struct event *event,
                              struct apply_touched *touched, const char **data)
{
    bool accepted = false;
    const char *left = NULL;
    const struct entity_type *user = catalog_entity(call->catalog, "user");
    enum error error = state_apply_order(&call->storage, event, &accepted, &left);

    touch(call, touched, "orders_v2", event);
    touch(call, touched, "order_items", event);
    touch(call, touched, "users_enriched", event);
    if (!error)
        error = snapshot_entity(call, event, touched, data);
    index_later(call, touched, user, event->user_id, NULL);
    index_later(call, touched, user, left, NULL);
    if (!error && accepted && !event->row.removes)
        error = write_journal(
            call, event, TOPIC_STATUS, arena_print(call->storage.arena, "%s-status", event->id),
            arena_print(call->storage.arena, "order.status.%s", event->status), NULL);
    return error;
}

static enum error apply_product(struct apply_call *call, const struct event *event,
                                struct apply_touched *touched)
{
    const struct entity_type *user = catalog_entity(call->catalog, "user");
    struct string_list moved;
    enum error error = state_apply_product(&call->storage, event, &moved);

    touch(call, touched, "products_current", event);
    touch(call, touched, "users_enriched", event);
    for (size_t i = 0; i < moved.count; i++)
        index_later(call, touched, user, moved.items[i], NULL);
    return error;
}

/* A row of change data, by the type of its entity. */
static enum error apply_change(struct apply_call *call, const struct event *event,
                               struct apply_touched *touched)
{
    if (strcmp(event->entity_type, "product") == 0)
        return apply_product(call, event, touched);
    if (strcmp(event->entity_type, "user") == 0) {
        touch(call, touched, "users_enriched", event);
        return state_change_user(&call->storage, event);
    }
    touch(call, touched, "sessions_aggregated", event);
    return state_change_session(&call->storage, event);
}

static enum error apply_state(struct apply_call *call, const struct event *event,
                              struct apply_touched *touched, const char **data)
{
    enum error error = ERROR_NONE;

    switch (event->family) {
    case EVENT_ORDER:
        return apply_order(call, event, touched, data);
    case EVENT_CHANGE:
        if (strcmp(event->entity_type, "order") == 0)
            return apply_order(call, event, touched, data);
        error = apply_change(call, event, touched);
        break;
    case EVENT_CLICK:
        touch(call, touched, "sessions_aggregated", event);
        error = state_apply_click(&call->storage, event);
        break;
    case EVENT_PRODUCT:
        error = apply_product(call, event, touched);
        break;
    case EVENT_OWN:
        touch(call, touched, event->own->type->table->name, event);
        error = state_apply_own(&call->storage, event);
        break;
    default:
        break;
    }
    return error ? error : snapshot_entity(call, event, touched, data);
}

static enum error put_dead_letter(struct apply_call *call, const struct event *event,
                                  const char *payload, const struct event_verdict *verdict,
                                  struct apply_touched *touched, struct apply_result *result)
{
    struct arena *arena = call->storage.arena;
    char *own_id = arena_alloc(arena, TOKEN_UUID_TEXT);
    struct dead_letter letter = {.event_id = event->id,
                                 .event_type = event->type,
                                 .payload = payload,
                                 .failure_reason = event_fault_names[verdict->fault],
                                 .failure_detail = arena_copy_string(arena, verdict->detail)};
    struct journal_row row = {.event_type = event->type,
                              .processed_at = call->storage.now,
                              .way_in = call->way_in,
                              .entity_id = event->entity_id,
                              .entity_type = event->entity_type,
                              .source = event->source};
    enum error error;

    if (!letter.event_id || !*letter.event_id || strlen(letter.event_id) > 200) {
        token_uuid(own_id);
        letter.event_id = own_id;
    }
    row.event_id = letter.event_id;
    error = journal_add_dead(&call->storage, &row);
    if (!error)
        error = dead_letter_put(&call->storage, &letter);
    touch(call, touched, "pipeline_events", NULL);
    *result = (struct apply_result){.event_id = letter.event_id,
                                    .status = EVENT_DEAD_LETTERED,
                                    .reason = arena_copy_string(arena, verdict->reason),
                                    .detail = letter.failure_detail};
    return error;
}

static enum error over_quota(struct apply_call *call, bool *over)
{
    struct query *query;

    *over = false;
    if (!call->events_per_day)
        return ERROR_NONE;
    query = db_query(call->storage.db, &count_today);
    query_bind_text(query, call->storage.tenant);
    query_bind_integer(query, call->storage.now - call->storage.now % us_per_day);
    *over = query_next(query) && query_integer(query, 0) >= call->events_per_day;
    return query_end(query, call->storage.problem);
}

static enum error check(struct apply_call *call, const json_t *payload,
                        struct apply_touched *touched, struct event *event,
                        struct event_verdict *verdict, bool *good)
{
    const struct event_rules rules = {call->catalog, call->storage.tenant, call->storage.now,
                                      call->ahead_seconds};
    enum error error = ERROR_NONE;
    bool over = false;

    *good = event_check(call->storage.arena, payload, &rules, event, verdict);
    if (event->own)
        error = tables_still_served(&call->storage, event->own->type, &touched->checked);
    if (*good && !error)
        error = over_quota(call, &over);
    if (over) {
        *good = false;
        *verdict = (struct event_verdict){.fault = EVENT_OVER_QUOTA,
                                          .reason = "quota: events per day",
                                          .detail = "the tenant's events of this day are used up"};
    }
    return error;
}

static enum error apply_good(struct apply_call *call, const struct event *event,
                             struct apply_touched *touched)
{
    const char *data = NULL;
    enum error error = apply_state(call, event, touched, &data);

    touch(call, touched, "pipeline_events", event);
    if (!error)
        error = write_journal(call, event, TOPIC_VALIDATED, event->id, event->type, data);
    count_type(call, touched, event);
    note_source(call, touched, event);
    if (!error && call->branch)
        error = branch_count(&call->storage, call->branch, event->entity_type);
    if (!error && call->hands_on)
        error = edge_keep(&call->storage, event->payload);
    return error;
}

/* A deletion of change data is followed by null, which changes nothing. */
static bool is_tombstone(const struct apply_call *call, const json_t *payload)
{
    if (!json_is_null(payload))
        return false;
    for (size_t i = 0; i < call->catalog->entity_count; i++)
        if (call->catalog->entities[i].table->own &&
            call->catalog->entities[i].table->own->source_table)
            return true;
    return false;
}

static enum error apply_noted(struct apply_call *call, const json_t *payload,
                              struct apply_touched *touched, struct apply_result *result)
{
    const char *id = json_string_value(json_object_get(payload, "event_id"));
    struct journal_known known = {0};
    struct event_verdict verdict;
    struct event event;
    bool good;
    enum error error = id ? journal_known(&call->storage, id, &known) : ERROR_NONE;

    if (error)
        return error;
    *result = (struct apply_result){.event_id = id, .status = EVENT_DUPLICATE};
    if (known.applied || is_tombstone(call, payload))
        return ERROR_NONE;
    error = check(call, payload, touched, &event, &verdict, &good);
    if (error)
        return error;
    if (!good)
        return put_dead_letter(call, &event, json_of(call->storage.arena, payload), &verdict,
                               touched, result);
    if (!id || strcmp(id, event.id) != 0) /* that of change data follows from its source */
        error = journal_known(&call->storage, event.id, &known);
    result->event_id = event.id;
    if (error || known.applied)
        return error;
    result->status = EVENT_APPLIED;
    error = apply_good(call, &event, touched);
    return error || !known.has_letter ? error : dead_letter_close(&call->storage, event.id);
}

enum error apply_one(struct apply_call *call, const json_t *payload, struct apply_touched *touched,
                     struct apply_result *result)
{
    enum error error;

    call->storage.changes = &touched->changes;
    call->storage.journal_end = &touched->journal_end;
    error = apply_noted(call, payload, touched, result);
    call->storage.changes = NULL;
    call->storage.journal_end = NULL;
    return error;
}

enum error apply_finish(struct apply_call *call, struct apply_touched *touched)
{
    enum error error = index_entities(call, touched);
    int64_t number = 0;

    call->storage.journal_end = &touched->journal_end;
    for (size_t i = 0; !error && i < touched->table_count; i++) {
        struct apply_table *table = &touched->tables[i];
        struct event_mark mark = {0};
        struct generation_number raised = {0};

        if (table->applied)
            mark = (struct event_mark){call->storage.now, table->event_at};
        error = generation_raise_noted(&call->storage, table->name, mark, &raised);
        table->gen = raised.gen;
        number = raised.changed;
    }
    call->storage.journal_end = NULL;
    if (!error)
        error = series_changes_write(&call->storage, &touched->changes, number);
    for (size_t i = 0; !error && i < touched->type_count; i++)
        error = freshness_note(&call->storage, touched->types[i].name, touched->types[i].event_at,
                               touched->types[i].events);
    for (size_t i = 0; !error && i < touched->source_count; i++)
        error =
            source_event(&call->storage, touched->sources[i].name, touched->sources[i].event_at);
    if (!error && touched->table_count)
        error = db_notify(call->storage.db, LIVE_CHANNEL, notify_words(call, touched),
                          call->storage.problem);
    return error;
}

void apply_forget(struct apply_touched *touched)
{
    for (size_t i = 0; i < touched->table_count; i++)
        touched->tables[i].gen = 0;
}

void apply_announce(struct apply_call *call, struct apply_touched *touched, bool committed)
{
    for (size_t i = 0; call->cache && i < touched->table_count; i++) {
        struct apply_table *table = &touched->tables[i];

        if (committed)
            live_cache_changed(call->cache, call->storage.tenant, table->name, table->change,
                               table->gen);
        else
            table->change = live_cache_changing(call->cache, call->storage.tenant, table->name);
    }
}

void apply_count(const struct apply_result *result, struct apply_counts *counts)
{
    counts->accepted++;
    counts->applied += result->status == EVENT_APPLIED;
    counts->dead_lettered += result->status == EVENT_DEAD_LETTERED;
    counts->duplicates += result->status == EVENT_DUPLICATE;
}

/* Only one writer at a time, so that the numbers of the journal increase in the order of
 * visibility: streams of all tenants follow them. */
static enum error begin(struct apply_call *call)
{
    enum error error = db_begin(call->storage.db, DB_WRITE, call->storage.problem);

    if (error)
        return error;
    error = db_lock(call->storage.db, APPLY_LOCK, call->storage.problem);
    call->storage.now = clock_unix_microseconds() + call->clock_ahead;
    call->outbound_state = NULL;
    if (error)
        db_rollback(call->storage.db);
    return error;
}

static enum error finish(struct apply_call *call, struct apply_touched *touched, enum error error)
{
    if (!error)
        error = apply_finish(call, touched);
    if (!error)
        error = position_read(&call->storage, &call->position);
    if (!error)
        apply_announce(call, touched, false);
    error = db_finish(call->storage.db, error, call->storage.problem);
    if (error)
        apply_forget(touched);
    apply_announce(call, touched, true);
    if (!error)
        notify_publish(call, touched);
    return error;
}

enum error apply_batch(struct apply_call *call, json_t *const *events, size_t count,
                       struct apply_result *results, struct apply_counts *counts)
{
    struct apply_touched touched = {0};
    enum error error = begin(call);

    *counts = (struct apply_counts){0};
    if (error)
        return error;
    for (size_t i = 0; !error && i < count; i++) {
        error = apply_one(call, events[i], &touched, &results[i]);
        apply_count(&results[i], counts);
    }
    for (size_t i = 0; !error && i < call->heartbeat_count; i++) {
        error = source_beat(&call->storage, &call->heartbeats[i], call->sources_max);
        touch(call, &touched, "pipeline_events", NULL); /* tells all hosts */
    }
    return finish(call, &touched, error);
}

/* The stored payload with the members of the correction replacing its own. */
static enum error corrected(struct apply_call *call, const char *payload, const json_t *correction,
                            json_t **merged)
{
    struct json_writer writer;
    struct json_fault fault;
    struct text text;
    const char *key;
    json_t *stored, *value;

    *merged = NULL;
    if (json_read(call->storage.arena, payload, strlen(payload), JSON_DEPTH_LIMIT, &stored,
                  &fault) ||
        !json_is_object(stored))
        return problem_set(call->storage.problem, ERROR_INVALID, "replay_invalid",
                           "the stored payload is not a JSON object");
    text_start(&text, call->storage.arena, PAYLOAD_BYTES_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    json_object_foreach(stored, key, value)
    {
        const json_t *other = json_object_get(correction, key);

        writer_key(&writer, key);
        writer_value(&writer, other ? other : value);
    }
    json_object_foreach((json_t *)correction, key, value)
    {
        if (json_object_get(stored, key))
            continue;
        writer_key(&writer, key);
        writer_value(&writer, value);
    }
    writer_close_object(&writer);
    return json_read(call->storage.arena, text.bytes, text.length, JSON_DEPTH_LIMIT, merged,
                     &fault);
}

static enum error replay(struct apply_call *call, const char *event_id, const json_t *correction,
                         struct apply_touched *touched, struct dead_letter *letter)
{
    struct problem *problem = call->storage.problem;
    struct event_verdict verdict;
    struct event event;
    json_t *payload;
    struct journal_known known = {0};
    bool good = false;
    enum error error = dead_letter_find(&call->storage, event_id, letter);

    if (error)
        return error;
    if (strcmp(letter->status, "replayed") == 0)
        return problem_set(problem, ERROR_CONFLICT, "already_replayed",
                           "Dead-letter event '%.200s' was replayed already.", event_id);
    error = corrected(call, letter->payload, correction, &payload);
    if (!error)
        error = check(call, payload, touched, &event, &verdict, &good);
    if (error)
        return error;
    if (!good)
        return problem_set(problem, ERROR_INVALID, "replay_invalid", "%s", verdict.detail);
    error = journal_known(&call->storage, event.id, &known);
    if (!error && !known.applied)
        error = apply_good(call, &event, touched);
    touch(call, touched, "pipeline_events", NULL); /* its row there has another topic now */
    if (!error)
        error = dead_letter_close(&call->storage, event_id);
    letter->payload = json_of(call->storage.arena, payload);
    letter->retry_count++;
    letter->last_retried_at = GIVEN_INTEGER(call->storage.now);
    letter->status = "replayed";
    return error ? error : dead_letter_mark(&call->storage, letter);
}

enum error apply_replay(struct apply_call *call, const char *event_id, const json_t *correction,
                        struct dead_letter *letter)
{
    struct apply_touched touched = {0};
    enum error error = begin(call);

    if (error)
        return error;
    call->storage.changes = &touched.changes;
    error = replay(call, event_id, correction, &touched, letter);
    call->storage.changes = NULL;
    return finish(call, &touched, error);
}

enum error apply_dismiss(struct apply_call *call, const char *event_id)
{
    struct dead_letter letter;
    enum error error = begin(call);

    if (error)
        return error;
    error = dead_letter_find(&call->storage, event_id, &letter);
    if (!error && strcmp(letter.status, "replayed") == 0)
        error = problem_set(call->storage.problem, ERROR_CONFLICT, "already_replayed",
                            "Dead-letter event '%.200s' was replayed already.", event_id);
    letter.status = "dismissed";
    if (!error)
        error = dead_letter_mark(&call->storage, &letter);
    return db_finish(call->storage.db, error, call->storage.problem);
}
