/* Orders, and what is shown of them: counts are stored, rates are computed when they are read. */
#include "experiments/error_rates/measurement.h"

#include "experiments/error_rates/exact_rate.h"
#include "experiments/error_rates/measurement_job.h"
#include "experiments/error_rates/measurement_store.h"

#include <math.h>
#include <string.h>

static const char *const died = "the program died too often";

/* So high because a dozen metrics are looked at together. */
static const double confidence = 0.99;

static struct optional_number if_finite(double value)
{
    return (struct optional_number){isfinite(value), isfinite(value) ? value : 0};
}

static const struct measured_rate *rate_of(struct arena *arena, int64_t count, int64_t runs,
                                           double expected)
{
    struct measured_rate *rate = ARENA_NEW(arena, struct measured_rate);
    const struct exact_rate exact = exact_rate(count, runs, confidence);

    *rate = (struct measured_rate){.runs = runs,
                                   .count = count,
                                   .rate = if_finite(exact.rate),
                                   .lower = if_finite(exact.lower),
                                   .upper = if_finite(exact.upper),
                                   .expected = expected,
                                   .status = "not_measured"};
    if (runs > 0)
        rate->status = exact.lower > expected   ? "above"
                       : exact.upper < expected ? "below"
                                                : "as_expected";
    return rate;
}

static struct object_list metrics_of(const struct error_record *record, struct arena *arena)
{
    const struct error_tally *tallies = record->metrics.items;
    struct measured_metric *metrics =
        ARENA_ARRAY(arena, struct measured_metric, record->metrics.count);

    for (size_t i = 0; i < record->metrics.count; i++)
        metrics[i] = (struct measured_metric){
            .name = tallies[i].name,
            .role = tallies[i].role,
            .unit = tallies[i].unit,
            .at = tallies[i].at,
            .false_positives = rate_of(arena, tallies[i].wrong, tallies[i].runs, record->alpha),
            .coverage = rate_of(arena, tallies[i].covered, tallies[i].runs, 1 - record->alpha)};
    return (struct object_list){record->metrics.count, metrics};
}

const struct measured_error_rates *measured_rates(const struct error_record *record,
                                                  const char *version, struct arena *arena)
{
    struct measured_error_rates *measured = ARENA_NEW(arena, struct measured_error_rates);

    *measured = (struct measured_error_rates){
        .measured_at = record->measured_at,
        .is_current = version && strcmp(record->version, version) == 0,
        .seed = record->seed,
        .runs = record->runs_done,
        .users = record->users,
        .people = record->people,
        .alpha = record->alpha,
        .confidence = confidence,
        .metrics = metrics_of(record, arena),
        .always_valid =
            rate_of(arena, record->always_valid_wrong, record->always_valid_runs, record->alpha),
        .ship = rate_of(arena, record->ships, record->verdict_runs, record->alpha)};
    return measured;
}

/* NULL for what an older release stored otherwise. */
static const struct error_record *read_record(const struct live_call *call,
                                              const struct error_rates_row *row)
{
    struct error_record *record = ARENA_NEW(call->arena, struct error_record);
    bool readable =
        row->result && schema_from_json(call->arena, &error_record_schema, row->result, record);

    return readable ? record : NULL;
}

/* An order whose job was given up with the program that ran it has failed. */
static enum error read_row(const struct live_call *call, const char *id,
                           struct error_rates_row *row)
{
    bool waits = true;
    enum error error = error_rates_row_read(call, id, row);

    if (!error && (row->state == ERROR_RATES_WAITING || row->state == ERROR_RATES_RUNNING))
        error = error_rates_job_waits(call, id, row->request, &waits);
    if (!error && !waits) {
        row->state = ERROR_RATES_FAILED;
        row->failure = died;
    }
    return error;
}

/* In one snapshot of the order and its job. */
static enum error read_snapshot(const struct live_call *call, const char *id,
                                struct error_rates_row *row)
{
    enum error error = db_begin(call->db, DB_READ, call->problem);

    return error ? error : db_finish(call->db, read_row(call, id, row), call->problem);
}

enum error error_rates_read(const struct live_call *call, const char *id, struct error_rates *rates)
{
    struct error_record *running = ARENA_NEW(call->arena, struct error_record);
    const struct error_record *newest;
    struct error_rates_row row;
    const char *version;
    enum error error = live_read_version(call, id, &version);

    if (!error)
        error = read_snapshot(call, id, &row);
    if (error)
        return error;
    *rates = (struct error_rates){.experiment_id = id, .state = row.state};
    if (row.state == ERROR_RATES_NONE)
        return ERROR_NONE;
    rates->failure = row.failure;
    rates->requested_at = row.requested_at;
    newest = read_record(call, &row);
    if (newest)
        rates->measured = measured_rates(newest, version, call->arena);
    rates->runs = GIVEN_INTEGER(row.runs);
    rates->runs_done = GIVEN_INTEGER(0);
    if (row.state == ERROR_RATES_DONE && rates->measured)
        rates->runs_done.value = rates->measured->runs;
    else if (row.running &&
             schema_from_json(call->arena, &error_record_schema, row.running, running))
        rates->runs_done.value = running->runs_done;
    return ERROR_NONE;
}

enum error error_rates_mark(const struct live_call *call, const char *id, const char **mark)
{
    return error_rates_row_mark(call, id, mark);
}

enum error error_rates_newest(const struct live_call *call, const char *id,
                              const struct error_record **record)
{
    struct error_rates_row row;
    enum error error = error_rates_row_read(call, id, &row);

    *record = error ? NULL : read_record(call, &row);
    return error;
}

/* An order whose job was given up makes room for the next. */
static enum error give_up_dead(const struct live_call *call, const char *id)
{
    struct error_rates_row row;
    bool waits = true;
    enum error error = error_rates_row_read(call, id, &row);

    if (!error && row.request)
        error = error_rates_job_waits(call, id, row.request, &waits);
    if (!error && !waits)
        error = error_rates_row_fail(call, id, row.request, died);
    return error;
}

static enum error put_order(const struct live_call *call, const char *id,
                            const struct error_rates_order *order)
{
    int64_t request;
    enum error error = live_check_experiment(call, id, NULL);

    if (!error)
        error = give_up_dead(call, id);
    if (!error)
        error = error_rates_row_order(call, id, order, &request);
    return error || !request ? error : error_rates_job_add(call, id, request);
}

enum error error_rates_order(const struct live_call *call, const char *id,
                             const struct error_rates_order *order)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    return error ? error : db_finish(call->db, put_order(call, id, order), call->problem);
}
