/* Private to common/support/trends: the signals of a week, by source. */
#ifndef ASSAY_SUPPORT_TRENDS_BACKLOG_SIGNALS_H
#define ASSAY_SUPPORT_TRENDS_BACKLOG_SIGNALS_H

#include "support/trends/backlog.h"

struct backlog_signal {
    const char *title, *tenant;
    int64_t frequency, latest; /* microseconds since 1970 */
    const char *trace_ids[BACKLOG_TRACES];
    size_t trace_count;
    const char *details; /* JSON object */
};

struct backlog_window {
    const struct trace_call *call; /* of one tenant or `all` */
    const struct support_settings *settings;
    int64_t start;                  /* name of the week, like the next */
    const char *from, *to, *before; /* start and end of the week, and start of the week before */
    const char *stale;              /* age limit of documents */
    int64_t now;
};

/* The strongest signals of a source, at most BACKLOG_SIGNALS_MOST. */
typedef enum error backlog_loader(const struct backlog_window *window,
                                  struct backlog_signal *signals, size_t *count);

struct backlog_source {
    const char *name, *action;
    size_t impact; /* index of its weight in the settings */
    backlog_loader *load;
};
enum { BACKLOG_SOURCES = 6 };
extern const struct backlog_source backlog_sources[BACKLOG_SOURCES];

#endif
