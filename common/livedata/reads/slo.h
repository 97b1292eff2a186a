/*
 * Service levels from the journal, the request log (latency of answers) and metrics: good share of
 * a window, remaining error budget and burn rate.
 */
#ifndef ASSAY_LIVEDATA_READS_SLO_H
#define ASSAY_LIVEDATA_READS_SLO_H

#include "livedata/reads/answers.h"

struct slo_window {
    bool known;
    double share; /* not rounded */
    double good;
    double valid;
};

enum slo_state { SLO_HEALTHY, SLO_UNKNOWN, SLO_AT_RISK, SLO_BREACHED };

struct slo_status {
    const struct slo *slo;
    struct slo_window window;
    struct optional_number current; /* of four decimals; budget and state are of it */
    struct optional_number budget;
    struct optional_number burn[3]; /* 1h, 6h, 3d; two decimals */
    enum slo_state state;
    const char *reason; /* not_enough_traffic: too few requests or events, or failures, to judge by;
                           or why its metric cannot be computed; or NULL */
    struct optional_number diagnostic;
};

/* 1 - (1 - share)/(1 - target), within 0 and 1, four decimals; absent when nothing was measured. */
struct optional_number slo_budget(double target, const struct slo_window *window);
/* (1 - share)/(1 - target), two decimals; absent when the target is 1. */
struct optional_number slo_burn(double target, const struct slo_window *window);

/* ERROR_SYSTEM slo_measurement when there is no such measurement. */
MUST_CHECK enum error slo_check(const struct slo *slo, struct problem *problem);
/* Errors of slo_check(). */
MUST_CHECK enum error slo_status(const struct storage_call *call, const struct slo *slo,
                                 struct slo_status *status);

/* One service level in answers. */
struct burn_rates {
    struct optional_number hour, six_hours, three_days;
};
struct slo_diagnostic {
    struct optional_number value, event_age_seconds;
};
struct slo_answer {
    const char *name;
    double target;
    struct optional_number current, error_budget_remaining;
    int status;
    int64_t window_days;
    struct optional_number good, valid;
    const char *unit;
    const char *reason; /* as above */
    const struct burn_rates *burn_rates;
    const char *diagnostic; /* JSON object, by measurement */
    /* The objective, as its file has it; NULL or not given = it has none. */
    const char *description, *measurement, *entity, *metric;
    struct optional_number threshold, minimum, maximum, every_seconds;
};
SCHEMA_OF(slo_schema, struct slo_answer);
MUST_CHECK enum error slo_show(const struct storage_call *call, const struct slo_status *status,
                               struct slo_answer *answer);

struct slo_answers {
    OBJECT_LIST(struct slo_answer, slos);
    int status;                                    /* the highest */
    struct optional_number error_budget_remaining; /* the lowest */
};
SCHEMA_OF(slos_schema, struct slo_answers);

/* Whether the key may read what the level is about. */
bool slo_is_seen(const struct reading *reading, const struct slo *slo);
/* ERROR_UNAVAILABLE slo_file_missing when there is no file of levels. */
MUST_CHECK enum error slo_file_missing(const struct reading *reading);

/* Those that the key may see. ERROR_UNAVAILABLE slo_file_missing, ERROR_SYSTEM slo_measurement. */
MUST_CHECK enum error slo_read_all(const struct reading *reading, struct slo_answers *answer);

#endif
