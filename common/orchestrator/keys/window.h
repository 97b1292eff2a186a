/*
 * Windows of budgets. A calendar window begins at the hour, the midnight, the Monday or the first
 * of a month or quarter of the process's time zone (base/zone.h). A rolling one is the last hour,
 * day, 7 days, 30 days or 91 days, and moves in sixtieths of its length.
 */
#ifndef ASSAY_ORCHESTRATOR_KEYS_WINDOW_H
#define ASSAY_ORCHESTRATOR_KEYS_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

enum budget_period {
    PERIOD_HOUR,
    PERIOD_DAY,
    PERIOD_WEEK,
    PERIOD_MONTH,
    PERIOD_QUARTER,
    BUDGET_PERIOD__MAX
};
extern const char *const budget_period_names[BUDGET_PERIOD__MAX + 1];

/* Microseconds since 1970. Amounts of parts from `first` to `last` count. */
struct budget_window {
    int64_t part_at; /* the part that an amount of now is counted in */
    int64_t first, last;
    int64_t until; /* of a calendar window: its end; of a rolling one: when an amount of now ends */
    int64_t begins; /* identifies the window among others of the budget */
};

/* The window at `now`. */
struct budget_window budget_window_at(enum budget_period period, bool rolling, int64_t now);

/* When the part of a rolling window no longer counts. */
int64_t budget_part_ends(enum budget_period period, int64_t part_at);

/* The date at `now` in the process's time zone, "2026-11-27". */
enum { WINDOW_DAY_MAX = 16 };
void window_day(int64_t now, char day[WINDOW_DAY_MAX]);

#endif
