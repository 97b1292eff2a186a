/*
 * Service levels out of the journal and, for the latency of answers, the session log: how much of a
 * window was good, what is left of the budget, how fast it burns.
 */
#ifndef ASSAY_LIVEDATA_READS_SLO_H
#define ASSAY_LIVEDATA_READS_SLO_H

#include "livedata/catalog/catalog.h"
#include "livedata/storage_call.h"

struct slo_window {
    bool known;
    double share; /* not rounded */
    double good;
    double valid;
};

enum slo_state { SLO_HEALTHY, SLO_UNKNOWN, SLO_AT_RISK, SLO_BREACHED };
extern const char *const slo_states[];

struct slo_status {
    const struct slo *slo;
    struct slo_window window;
    struct optional_number current; /* four decimals */
    struct optional_number budget;
    struct optional_number burn[3]; /* 1h, 6h, 3d; two decimals */
    enum slo_state state;
    struct optional_number diagnostic;
};

/* The share of the last `microseconds`. */
MUST_CHECK enum error slo_measure(const struct storage_call *call, const struct slo *slo,
                                  int64_t microseconds, struct slo_window *window);

/* 1 - (1 - current)/(1 - target), within 0 and 1, four decimals. */
struct optional_number slo_budget(double target, struct optional_number current);
/* (1 - share)/(1 - target), two decimals; absent when the target is 1. */
struct optional_number slo_burn(double target, const struct slo_window *window);

MUST_CHECK enum error slo_status(const struct storage_call *call, const struct slo *slo,
                                 struct slo_status *status);

/* All of them with the worst state and the least budget. ERROR_UNAVAILABLE slo_file_missing,
 * ERROR_SYSTEM slo_measurement. */
MUST_CHECK enum error slo_write_all(const struct storage_call *call, const struct catalog *catalog,
                                    const char *path, struct json_writer *writer);

#endif
