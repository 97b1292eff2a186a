/* Compares each row with what was recorded of it, and records the difference by live_ingest(). */
#include "experiments/sources/source_apply.h"

#include "base/clock.h"
#include "base/list.h"
#include "crypto/token.h"
#include "experiments/live/ingest.h"
#include "experiments/sources/exposure_times.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_ENTITY_BYTES_MAX = 80 };
static const double us_per_hour = 3.6e9;

/* What becomes of rows in one transaction. */
struct applying {
    const struct live_call *call;
    const struct source_settings *settings;
    struct live_source *source;
    int64_t now;
    char run[TOKEN_UUID_TEXT]; /* of this transaction */
    struct live_exposure_times exposures;
    struct live_source_rows former; /* sorted by entity */
    struct live_source_rows kept;
    struct string_list dropped;
    size_t record_count;
    struct live_conversion *records;
};

static struct applying applying_of(const struct live_call *call,
                                   const struct source_settings *settings,
                                   struct live_source *source)
{
    struct applying applying = {
        .call = call, .settings = settings, .source = source, .now = clock_unix_microseconds()};

    token_uuid(applying.run);
    return applying;
}

static int by_entity(const void *left, const void *right)
{
    return strcmp(((const struct live_source_row *)left)->entity_id,
                  ((const struct live_source_row *)right)->entity_id);
}

static const struct live_source_row *former_of(const struct applying *applying,
                                               const char *entity_id)
{
    const struct live_source_row wanted = {.entity_id = entity_id};

    if (!applying->former.count)
        return NULL;
    return bsearch(&wanted, applying->former.items, applying->former.count, sizeof wanted,
                   by_entity);
}

/* Unique by the transaction: that it also moves the watermark is what makes a row count once. A
 * version alone names no difference, as it can follow several, when rows are read again. Position
 * and id are for people. Not cut inside a character. */
static const char *key_of(const struct applying *applying, const struct source_change *change)
{
    size_t length = strnlen(change->entity_id, KEY_ENTITY_BYTES_MAX + 1);

    if (length > KEY_ENTITY_BYTES_MAX)
        for (length = KEY_ENTITY_BYTES_MAX;
             length && ((unsigned char)change->entity_id[length] & 0xC0) == 0x80;)
            length--;
    return arena_print(applying->call->arena, "livedata:%s:%s:%s:%zu:%.*s",
                       applying->source->metric_id, change->position, applying->run,
                       applying->record_count, (int)length, change->entity_id);
}

static void record(struct applying *applying, const struct source_change *version,
                   const struct live_source_row *row, double value)
{
    const char *key = key_of(applying, version);

    *ARRAY_ADD(applying->call->arena, applying->records, applying->record_count) =
        (struct live_conversion){.user_id = row->user_id,
                                 .metric = applying->source->event_name,
                                 .value = value,
                                 .idempotency_key = key,
                                 .occurred_at = GIVEN_INTEGER(row->occurred_at)};
}

/* Who has converted stays converted: a binary metric counts users by their events. */
static void take_back(struct applying *applying, const struct source_change *version,
                      const struct live_source_row *former)
{
    if (!applying->source->is_binary && former->value != 0)
        record(applying, version, former, -former->value);
}

static bool is_same_event(const struct live_source_row *former, const struct live_source_row *row)
{
    return strcmp(former->user_id, row->user_id) == 0 && former->occurred_at == row->occurred_at;
}

static void change_value(struct applying *applying, const struct source_change *version,
                         const struct live_source_row *former, const struct live_source_row *row)
{
    if (!applying->source->is_binary && former->value != row->value)
        record(applying, version, row, row->value - former->value);
}

static void keep(struct applying *applying, const struct live_source_row *row)
{
    *ARRAY_ADD(applying->call->arena, applying->kept.items, applying->kept.count) = *row;
}

static void drop(struct applying *applying, const char *entity_id)
{
    *ARRAY_ADD(applying->call->arena, applying->dropped.items, applying->dropped.count) = entity_id;
}

/* Whether an exposure may still arrive that is before the row. */
static bool may_wait(const struct applying *applying, const struct live_source_row *row)
{
    return (double)(applying->now - row->occurred_at) <=
           applying->settings->wait_hours * us_per_hour;
}

/* A row of which nothing is recorded. */
static void take_new(struct applying *applying, const struct source_change *version,
                     struct live_source_row *row)
{
    const struct live_exposure_time *exposure =
        live_exposure_time_of(&applying->exposures, row->user_id);

    if (exposure && exposure->at.given && exposure->at.value <= row->occurred_at) {
        record(applying, version, row, row->value);
        applying->source->rows_recorded++;
        row->waits = false;
        keep(applying, row);
    } else if ((!exposure || !exposure->at.given) && may_wait(applying, row)) {
        if (!row->waits) {
            row->waits = true;
            keep(applying, row);
        }
    } else {
        drop(applying, row->entity_id);
    }
}

static void take_change(struct applying *applying, const struct source_change *change)
{
    const struct live_source_row *former = former_of(applying, change->entity_id);
    struct live_source_row row = {.entity_id = change->entity_id,
                                  .position = change->position,
                                  .user_id = change->user_id,
                                  .value = change->value,
                                  .occurred_at = change->occurred_at};
    bool recorded = former && !former->waits;

    applying->source->rows_unusable += change->kind == SOURCE_UNUSABLE;
    if (change->kind == SOURCE_VALUE && recorded && is_same_event(former, &row)) {
        change_value(applying, change, former, &row);
        keep(applying, &row);
        return;
    }
    if (recorded) {
        take_back(applying, change, former);
        applying->source->rows_recorded--;
    }
    if (change->kind == SOURCE_VALUE)
        take_new(applying, change, &row);
    else if (former)
        drop(applying, change->entity_id);
}

/* Only the newest version of each row of a page counts. */
static struct source_page newest_versions(struct arena *arena, const struct source_page *page)
{
    struct source_page newest = *page;
    struct live_units seen; /* maps texts */

    newest.count = 0;
    newest.changes = ARENA_ARRAY(arena, struct source_change, page->count + 1);
    live_units_start(&seen, arena, page->count);
    for (size_t i = page->count; i-- > 0;) {
        if (live_units_find(&seen, page->changes[i].entity_id))
            continue;
        live_units_add(&seen, page->changes[i].entity_id);
        newest.changes[newest.count++] = page->changes[i];
    }
    return newest;
}

static enum error find_exposures(struct applying *applying, const struct live_names *users)
{
    struct live_experiment experiment;
    enum error error =
        live_find_experiment(applying->call, applying->source->project_id, &experiment);

    if (error || !experiment.number)
        return error;
    return live_find_exposure_times(applying->call, &experiment, users, &applying->exposures);
}

static enum error prepare(struct applying *applying, const struct source_page *page)
{
    struct arena *arena = applying->call->arena;
    struct live_names users = {.arena = arena};
    struct string_list entities = {0, ARENA_ARRAY(arena, const char *, page->count + 1)};
    enum error error;

    for (size_t i = 0; i < page->count; i++) {
        entities.items[entities.count++] = page->changes[i].entity_id;
        if (page->changes[i].kind == SOURCE_VALUE)
            live_names_add(&users, page->changes[i].user_id);
    }
    error = live_find_source_rows(applying->call, applying->source, &entities, &applying->former);
    /* The database may order texts by another rule. */
    if (!error && applying->former.count)
        qsort(applying->former.items, applying->former.count, sizeof *applying->former.items,
              by_entity);
    return error ? error : find_exposures(applying, &users);
}

/* At most LIVE_BATCH_MAX at a time, as over HTTP. */
static enum error ingest(struct applying *applying)
{
    enum error error = ERROR_NONE;

    for (size_t at = 0; !error && at < applying->record_count; at += LIVE_BATCH_MAX) {
        size_t rest = applying->record_count - at;
        const struct object_list part = {rest < LIVE_BATCH_MAX ? rest : LIVE_BATCH_MAX,
                                         applying->records + at};
        struct live_outcome outcome;

        error = live_ingest(applying->call, applying->source->project_id, LIVE_CONVERSIONS, &part,
                            &outcome);
    }
    return error;
}

static enum error save(struct applying *applying)
{
    const struct live_call *call = applying->call;
    enum error error = ingest(applying);

    if (!error)
        error = live_drop_source_rows(call, applying->source, &applying->dropped);
    if (!error)
        error = live_put_source_rows(call, applying->source, applying->now, &applying->kept);
    return error ? error : live_save_source(call, applying->source);
}

/* Locks the source; `same` is false when it is not as it was any more. */
static enum error lock(const struct live_call *call, const struct live_source *source,
                       struct live_source *current, bool *same)
{
    bool found = false;
    enum error error = live_lock_source(call, source->project_id);

    if (!error)
        error = live_read_source(call, source->project_id, current, &found);
    *same = !error && found && strcmp(current->metric_id, source->metric_id) == 0 &&
            strcmp(current->position ? current->position : "",
                   source->position ? source->position : "") == 0;
    return error;
}

static enum error apply_page(const struct live_call *call, const struct source_settings *settings,
                             const struct live_source *source, const struct source_page *page,
                             bool *moved)
{
    const struct source_page newest = newest_versions(call->arena, page);
    struct live_source current;
    struct applying applying = applying_of(call, settings, &current);
    bool same;
    enum error error = lock(call, source, &current, &same);

    *moved = !same;
    if (error || !same)
        return error;
    error = prepare(&applying, &newest);
    for (size_t i = 0; !error && i < newest.count; i++)
        take_change(&applying, &newest.changes[i]);
    if (error)
        return error;
    current.position = page->position;
    current.read_at = applying.now;
    current.rows_read += (int64_t)page->count;
    current.stale_seconds = settings->stale_seconds;
    current.event_age_seconds_max = settings->event_age_seconds;
    current.failed_at = 0;
    current.failure = NULL;
    if (!page->has_more) {
        current.complete_at = page->as_of;
        current.event_age_seconds = page->event_age_seconds;
    }
    return save(&applying);
}

enum error source_apply_page(const struct live_call *call, const struct source_settings *settings,
                             const struct live_source *source, const struct source_page *page,
                             bool *moved)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    *moved = false;
    if (error)
        return error;
    return db_finish(call->db, apply_page(call, settings, source, page, moved), call->problem);
}

/* A page of the rows that wait; those that go on waiting are neither kept nor dropped. */
static enum error judge_waiting(struct applying *applying, const char *after,
                                struct live_source_rows *rows)
{
    struct live_names users = {.arena = applying->call->arena};
    enum error error = live_waiting_source_rows(applying->call, applying->source, after,
                                                (int)applying->settings->page_rows, rows);

    for (size_t i = 0; !error && i < rows->count; i++)
        live_names_add(&users, rows->items[i].user_id);
    if (!error)
        error = find_exposures(applying, &users);
    for (size_t i = 0; !error && i < rows->count; i++) {
        const struct source_change version = {.entity_id = rows->items[i].entity_id,
                                              .position = rows->items[i].position};

        take_new(applying, &version, &rows->items[i]);
    }
    return error;
}

/* Most rows wait for users who are not in the experiment: only reading says whether there is
 * anything to write. `next` as in source_apply_waiting(). */
static enum error look_at_waiting(const struct live_call *call,
                                  const struct source_settings *settings,
                                  const struct live_source *source, const char *after, bool *any,
                                  const char **next)
{
    struct live_source current = *source;
    struct applying applying = applying_of(call, settings, &current);
    struct live_source_rows rows = {0};
    enum error error = db_begin(call->db, DB_READ, call->problem);

    *any = false;
    *next = NULL;
    if (error)
        return error;
    error = db_finish(call->db, judge_waiting(&applying, after, &rows), call->problem);
    if (error)
        return error;
    *any = applying.kept.count || applying.dropped.count;
    if (rows.count == (size_t)settings->page_rows)
        *next = rows.items[rows.count - 1].entity_id;
    return ERROR_NONE;
}

static enum error apply_waiting(const struct live_call *call,
                                const struct source_settings *settings,
                                const struct live_source *source, const char *after)
{
    struct live_source current;
    struct applying applying = applying_of(call, settings, &current);
    struct live_source_rows rows;
    bool same;
    enum error error = lock(call, source, &current, &same);

    if (error || !same)
        return error;
    error = judge_waiting(&applying, after, &rows);
    return error ? error : save(&applying);
}

enum error source_apply_waiting(const struct live_call *call,
                                const struct source_settings *settings,
                                const struct live_source *source, const char **after)
{
    const char *from = *after;
    bool any;
    enum error error = look_at_waiting(call, settings, source, from, &any, after);

    if (error || !any)
        return error;
    error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    return db_finish(call->db, apply_waiting(call, settings, source, from), call->problem);
}

static enum error forget_position(const struct live_call *call, const struct live_source *source)
{
    struct live_source current;
    bool same;
    enum error error = lock(call, source, &current, &same);

    if (error || !same)
        return error;
    current.position = NULL;
    current.complete_at = 0;
    return live_save_source(call, &current);
}

enum error source_begin_again(const struct live_call *call, const struct live_source *source)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error : db_finish(call->db, forget_position(call, source), call->problem);
}
