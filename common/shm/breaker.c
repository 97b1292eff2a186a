/*
 * Circuit breakers in the shared file. Every member is independent and any value of it is valid, so
 * that a process killed between two stores leaves nothing to repair: at worst a failure is not
 * counted, or a probe is repeated.
 */
#include "shm/breaker.h"

#include "base/clock.h"
#include "shm/layout.h"
#include "shm/process.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *breaker_state_name(enum breaker_state state)
{
    static const char *const names[BREAKER_STATE__MAX] = {"closed", "open", "half_open"};

    shm_check_index("breaker state", state, BREAKER_STATE__MAX);
    return names[state];
}

static uint32_t cell_count(const struct breaker_table *table)
{
    return table->count < BREAKERS_MAX ? table->count : BREAKERS_MAX;
}

static struct breaker_cell *find_cell(struct breaker_table *table, const char *name)
{
    uint32_t count = cell_count(table);

    for (uint32_t i = 0; i < count; i++)
        if (strncmp(table->cells[i].name, name, BREAKER_NAME_MAX - 1) == 0)
            return &table->cells[i];
    return NULL;
}

/* A cell whose name has not been used for a long time, NULL when all are in use. */
static struct breaker_cell *find_stale(struct breaker_table *table, int64_t now)
{
    struct breaker_cell *stale = NULL;

    for (uint32_t i = 0; i < BREAKERS_MAX; i++) {
        struct breaker_cell *cell = &table->cells[i];
        bool is_recent =
            now - cell->asked_at < BREAKER_KEPT_SECONDS * INT64_C(1000000) && cell->asked_at <= now;

        if (!is_recent && (!stale || cell->asked_at < stale->asked_at))
            stale = cell;
    }
    return stale;
}

/* The count is raised last: a process killed before that has added nothing. A process killed while
 * it takes over a stale cell leaves it without a name. */
static struct breaker_cell *add_cell(struct breaker_table *table, const char *name, int64_t now)
{
    uint32_t count = cell_count(table), term;
    struct breaker_cell *cell =
        count < BREAKERS_MAX ? &table->cells[count] : find_stale(table, now);

    if (!cell)
        return NULL;
    term = cell->term + 1;
    memset(cell, 0, sizeof *cell);
    shm_checkpoint("breaker.emptied");
    cell->term = term;
    memcpy(cell->name, name, strnlen(name, BREAKER_NAME_MAX - 1));
    shm_checkpoint("breaker.filled");
    if (count < BREAKERS_MAX)
        table->count = count + 1;
    return cell;
}

/* A timestamp further away than the rule allows is damage. */
static bool lies_ahead(int64_t moment, int64_t now, uint32_t at_most_ms)
{
    return moment > now && moment - now <= at_most_ms * INT64_C(1000);
}

static bool probe_is_under_way(const struct breaker_cell *cell, int64_t now,
                               const struct breaker_rule *rule)
{
    return cell->probe && lies_ahead(cell->probe_until, now, rule->probe_ms) &&
           process_is_alive(cell->probe_pid, cell->probe_started);
}

static void take_probe(struct breaker_table *table, struct breaker_cell *cell, int64_t now,
                       const struct breaker_rule *rule, struct breaker_permit *permit)
{
    if (++table->generation == 0)
        table->generation = 1;
    cell->probe_pid = getpid();
    cell->probe_started = process_start_time();
    cell->probe_until = now + rule->probe_ms * INT64_C(1000);
    shm_checkpoint("breaker.probe_filled");
    cell->probe = table->generation;
    permit->probe = table->generation;
}

bool breaker_allow(struct shm_region *region, const char *name, const struct breaker_rule *rule,
                   struct breaker_permit *permit)
{
    struct breaker_table *table = &region->layout->breakers;
    int64_t now = region->now();
    struct breaker_cell *cell;
    bool inherited, allowed = true;

    *permit = (struct breaker_permit){0};
    if (rule->failures == 0 || !shm_lock_take(&table->lock, &inherited))
        return true;
    cell = find_cell(table, name);
    if (!cell)
        cell = add_cell(table, name, now);
    if (cell) {
        cell->asked_at = now;
        cell->is_own = rule->is_own;
    }
    if (cell && cell->open_until) {
        allowed = !lies_ahead(cell->open_until, now, rule->open_ms) &&
                  !probe_is_under_way(cell, now, rule);
        if (allowed)
            take_probe(table, cell, now, rule, permit);
        else
            cell->refusals++;
    }
    if (cell && allowed) {
        permit->cell = (uint32_t)(cell - table->cells) + 1;
        permit->term = cell->term;
    }
    shm_lock_give(&table->lock);
    return allowed;
}

static void open_cell(struct breaker_cell *cell, int64_t now, const struct breaker_rule *rule)
{
    cell->opens++;
    cell->opened_at = now;
    cell->failed_at = now;
    cell->is_heard = 0;
    cell->failures = cell->failures < rule->failures ? rule->failures : cell->failures;
    cell->open_until = now + rule->open_ms * INT64_C(1000);
    shm_checkpoint("breaker.opened");
    cell->probe = 0;
}

static void close_cell(struct breaker_cell *cell)
{
    cell->failures = 0;
    cell->others = 0;
    shm_checkpoint("breaker.forgiven");
    cell->open_until = 0;
    cell->opened_at = 0;
    shm_checkpoint("breaker.closed");
    cell->probe = 0;
}

/* Whether hosts still tell each other of such a moment. */
static bool happened_lately(int64_t moment, int64_t now)
{
    return moment <= now && now - moment < BREAKER_HEARD_SECONDS * INT64_C(1000000);
}

/* Failures in a row with one more, those of other hosts included. */
static uint32_t count_failure(struct breaker_cell *cell, int64_t now)
{
    cell->failures++;
    cell->failed_at = now;
    return happened_lately(cell->heard_at, now) ? cell->failures + cell->others : cell->failures;
}

void breaker_record(struct shm_region *region, const struct breaker_rule *rule,
                    struct breaker_permit *permit, bool well)
{
    struct breaker_table *table = &region->layout->breakers;
    struct breaker_permit returned = *permit;
    struct breaker_cell *cell;
    bool inherited, is_probe;

    *permit = (struct breaker_permit){0};
    if (returned.cell < 1 || returned.cell > BREAKERS_MAX ||
        !shm_lock_take(&table->lock, &inherited))
        return;
    cell = &table->cells[returned.cell - 1];
    is_probe = returned.probe && returned.probe == cell->probe;
    if (returned.term != cell->term)
        ; /* the cell now has another name */
    else if (well && (is_probe || !cell->open_until))
        close_cell(cell);
    else if (is_probe ||
             (!well && !cell->open_until && count_failure(cell, region->now()) >= rule->failures))
        open_cell(cell, region->now(), rule);
    shm_lock_give(&table->lock);
}

void breaker_cancel(struct shm_region *region, struct breaker_permit *permit)
{
    struct breaker_table *table = &region->layout->breakers;
    struct breaker_permit returned = *permit;
    bool inherited;

    *permit = (struct breaker_permit){0};
    if (!returned.probe || returned.cell < 1 || returned.cell > BREAKERS_MAX ||
        !shm_lock_take(&table->lock, &inherited))
        return;
    if (table->cells[returned.cell - 1].probe == returned.probe)
        table->cells[returned.cell - 1].probe = 0;
    shm_lock_give(&table->lock);
}

/* The words of others about the time before the reset are heard for so long after it. */
static void reset_cell(struct breaker_cell *cell, int64_t moment)
{
    cell->term++; /* so that permits issued before are ignored */
    cell->deaf_until = moment + BREAKER_HEARD_SECONDS * INT64_C(1000000);
    close_cell(cell);
}

/* Also of a name that only other hosts have called: they are told. */
void breaker_reset(struct shm_region *region, const char *name)
{
    struct breaker_table *table = &region->layout->breakers;
    int64_t now = region->now();
    struct breaker_cell *cell;
    bool inherited;

    if (!shm_lock_take(&table->lock, &inherited))
        return;
    cell = find_cell(table, name);
    if (!cell)
        cell = add_cell(table, name, now);
    if (cell) {
        cell->asked_at = now;
        cell->reset_at = now;
        reset_cell(cell, now);
    }
    shm_lock_give(&table->lock);
}

enum breaker_state breaker_read_state(struct shm_region *region, const char *name)
{
    struct breaker_table *table = &region->layout->breakers;
    enum breaker_state state = BREAKER_CLOSED;
    struct breaker_cell *cell;
    bool inherited;

    if (!shm_lock_take(&table->lock, &inherited))
        return state;
    cell = find_cell(table, name);
    if (cell && cell->open_until)
        state = cell->open_until > region->now() ? BREAKER_OPEN : BREAKER_HALF_OPEN;
    shm_lock_give(&table->lock);
    return state;
}

void breaker_note(struct shm_region *region, const struct breaker_permit *permit, int code,
                  const char *message)
{
    struct breaker_table *table = &region->layout->breakers;
    struct breaker_cell *cell;
    bool inherited;

    if (permit->cell < 1 || permit->cell > BREAKERS_MAX || !shm_lock_take(&table->lock, &inherited))
        return;
    cell = &table->cells[permit->cell - 1];
    if (permit->term == cell->term) {
        cell->last.code = code;
        snprintf(cell->last.message, sizeof cell->last.message, "%s", message ? message : "");
        cell->last.at = clock_unix_microseconds();
    }
    shm_lock_give(&table->lock);
}

/* Converts a timestamp of the region's clock to wall-clock time. */
static int64_t on_the_wall(int64_t moment, int64_t now)
{
    return moment ? clock_unix_microseconds() + (moment - now) : 0;
}

void breaker_read(struct shm_region *region, const char *name, const struct breaker_rule *rule,
                  struct breaker_figures *figures)
{
    struct breaker_table *table = &region->layout->breakers;
    int64_t now = region->now();
    struct breaker_cell *cell;
    bool inherited;

    *figures = (struct breaker_figures){0};
    if (!shm_lock_take(&table->lock, &inherited))
        return;
    cell = find_cell(table, name);
    if (cell) {
        *figures = (struct breaker_figures){.failures = cell->failures,
                                            .opens = cell->opens,
                                            .refusals = cell->refusals,
                                            .opened_at = on_the_wall(cell->opened_at, now),
                                            .reopens_at = on_the_wall(cell->open_until, now),
                                            .last = cell->last};
        figures->last.message[BREAKER_MESSAGE_MAX - 1] = 0;
        if (cell->open_until)
            figures->state = probe_is_under_way(cell, now, rule) ? BREAKER_HALF_OPEN : BREAKER_OPEN;
    }
    shm_lock_give(&table->lock);
}

size_t breaker_list(struct shm_region *region, struct breaker_notice *notices, size_t most)
{
    struct breaker_table *table = &region->layout->breakers;
    int64_t now = region->now();
    size_t count = 0;
    bool inherited;

    if (!shm_lock_take(&table->lock, &inherited))
        return 0;
    for (uint32_t i = 0; i < cell_count(table) && count < most; i++) {
        const struct breaker_cell *cell = &table->cells[i];
        struct breaker_notice *notice = &notices[count];

        if (!cell->name[0] || cell->is_own)
            continue;
        memcpy(notice->name, cell->name, sizeof notice->name);
        notice->name[BREAKER_NAME_MAX - 1] = 0;
        notice->failures = happened_lately(cell->failed_at, now) ? cell->failures : 0;
        notice->open_us = cell->open_until > now && !cell->is_heard ? cell->open_until - now : 0;
        notice->reset_us =
            cell->reset_at && happened_lately(cell->reset_at, now) ? now - cell->reset_at : -1;
        count++;
    }
    shm_lock_give(&table->lock);
    return count;
}

/* What this host did since, counts. */
static void hear_reset(struct breaker_cell *cell, int64_t moment)
{
    bool is_older = (cell->is_heard || cell->opened_at < moment) && cell->failed_at < moment;

    if (is_older && (cell->open_until || cell->failures))
        reset_cell(cell, moment);
}

static void hear_failures(struct breaker_cell *cell, int64_t now,
                          const struct breaker_notice *notice)
{
    cell->others = notice->failures;
    cell->heard_at = now;
    if (notice->open_us > 0 && !cell->open_until) {
        cell->opens++;
        cell->opened_at = now;
    }
    if (notice->open_us > 0 && !cell->probe && cell->open_until < now + notice->open_us) {
        cell->is_heard = 1;
        cell->open_until = now + notice->open_us;
    }
}

void breaker_hear(struct shm_region *region, const struct breaker_notice *notice)
{
    struct breaker_table *table = &region->layout->breakers;
    int64_t now = region->now();
    struct breaker_cell *cell;
    bool inherited;

    if (!shm_lock_take(&table->lock, &inherited))
        return;
    cell = find_cell(table, notice->name);
    if (cell && notice->reset_us >= 0 && happened_lately(now - notice->reset_us, now))
        hear_reset(cell, now - notice->reset_us);
    if (cell && !lies_ahead(cell->deaf_until, now, BREAKER_HEARD_SECONDS * 1000))
        hear_failures(cell, now, notice);
    shm_lock_give(&table->lock);
}
