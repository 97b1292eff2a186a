/* One alarm after the other; while live data is asked, no connection of the database is held. */
#include "experiments/sources/alarm_reader.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/timestamp.h"
#include "experiments/alarms/alarm_store.h"
#include "experiments/sources/source_call.h"
#include "jobs/main_loop.h"

#include <math.h>
#include <string.h>

enum { ALARMS_PAGE = 100 };

static struct alarm_call call_of(const struct source_reader *reader, struct arena *arena)
{
    return (struct alarm_call){.db = reader->db, .arena = arena, .problem = reader->problem};
}

/* Of two clocks the earlier one, as of rows. */
static int64_t moment_of(const json_t *freshness, int64_t called_at)
{
    const json_t *as_of = json_object_get(freshness, "as_of");
    int64_t at = called_at;

    if (json_is_string(as_of))
        (void)timestamp_from_text(json_string_value(as_of), &at);
    return at < called_at ? at : called_at;
}

static enum error decode(const json_t *document, int64_t called_at, struct alarm_reading *reading,
                         struct problem *problem)
{
    const json_t *value = json_object_get(document, "value");
    const json_t *unit = json_object_get(document, "unit");
    const json_t *freshness = json_object_get(document, "freshness");
    const json_t *age = json_object_get(freshness, "event_age_seconds");

    if (!value || (!json_is_number(value) && !json_is_null(value)))
        return problem_set(problem, ERROR_INVALID, "livedata_refused",
                           "live data answered with something else than a value");
    *reading = (struct alarm_reading){.unit = json_is_string(unit) ? json_string_value(unit) : "",
                                      .read_at = moment_of(freshness, called_at)};
    if (json_is_number(value) && isfinite(json_number_value(value)))
        reading->value = GIVEN_NUMBER(json_number_value(value));
    if (json_is_number(age))
        reading->event_age_seconds = GIVEN_NUMBER(json_number_value(age));
    return ERROR_NONE;
}

static enum error ask(const struct source_reader *reader, const struct alarm *alarm,
                      struct alarm_reading *reading)
{
    struct arena *arena = reader->page;
    const char *path = arena_print(arena, "/v1/metrics/%s?window=%s", alarm->metric, alarm->window);
    int64_t called_at = clock_unix_microseconds();
    const char *words;
    json_t *document;
    enum error error = source_call(reader->settings, arena, path, alarm->metric, &document, &words,
                                   reader->problem);

    return error ? error : decode(document, called_at, reading, reader->problem);
}

/* The log has it once per outage. */
static enum error note_failure(const struct source_reader *reader, const struct alarm *alarm)
{
    const struct alarm_call call = call_of(reader, reader->page);
    const char *failure = arena_copy_string(reader->page, reader->problem->text);
    struct log_line line;

    if (!alarm->failure || strcmp(alarm->failure, failure) != 0) {
        log_begin(&line, LOG_WARNING, "alarm_failed");
        log_text(&line, "detail", failure);
        log_text(&line, "experiment", alarm->project_id);
        log_text(&line, "metric", alarm->metric);
        log_write(&line);
    }
    return alarm_fail(&call, alarm, clock_unix_microseconds(), failure);
}

/* A project that is archived or deleted meanwhile keeps what it had. */
static enum error unless_closed(enum error error, const struct problem *problem)
{
    bool closed = error && problem->reason &&
                  (strcmp(problem->reason, "not_found") == 0 ||
                   strcmp(problem->reason, "project_archived") == 0);

    return closed ? ERROR_NONE : error;
}

static enum error read_alarm(const struct source_reader *reader, struct alarm *alarm)
{
    const struct alarm_call call = call_of(reader, reader->page);
    bool was_raised = alarm->raised_at != 0;
    struct alarm_reading reading;

    arena_reset(reader->page);
    db_release_before_wait(reader->db);
    alarm->stale_seconds = GIVEN_NUMBER(reader->settings->stale_seconds);
    alarm->event_age_seconds_max = GIVEN_NUMBER(reader->settings->event_age_seconds);
    if (ask(reader, alarm, &reading))
        return note_failure(reader, alarm);
    alarm_take(alarm, &reading, clock_unix_microseconds());
    return unless_closed(alarm_save(&call, alarm, was_raised), reader->problem);
}

enum error alarm_reader_run(const struct source_reader *reader)
{
    struct alarm_list alarms = {0};
    const char *after = "";
    enum error error = ERROR_NONE;

    do {
        const struct alarm_call call = call_of(reader, reader->arena);

        error = alarm_list_running(&call, after, ALARMS_PAGE, &alarms);
        for (size_t i = 0; !error && i < alarms.count && !main_loop_must_stop(); i++) {
            after = alarms.items[i].id;
            error = read_alarm(reader, &alarms.items[i]);
        }
    } while (!error && alarms.count == ALARMS_PAGE && !main_loop_must_stop());
    return error;
}
