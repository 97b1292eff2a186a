/* The events of the demonstration's factory, the domain of config/demo/machines: machines run and
 * stand still, their sensors are read, and some readings arrive late, are corrected or withdrawn.
 */
#ifndef ASSAY_LIVEDATA_DEMO_FACTORY_EVENTS_H
#define ASSAY_LIVEDATA_DEMO_FACTORY_EVENTS_H

#include "livedata/demo/events.h"

struct factory_machine {
    const char *name;
    const char *site;   /* one of those of machine.yaml */
    double hourly_cost; /* in euros or dollars until demo_factory_read() converts it */
};

struct factory {
    const struct factory_machine *machines;
    size_t count;
    const char *source;  /* of the events */
    const char *partner; /* of the events that are wrong */
};

/* The events that arrive after `from`, up to and including `to`. With `brief` there is one reading
 * of a machine in ten minutes. From the arena. */
void factory_events_draw(struct arena *arena, const struct factory *factory, int64_t from,
                         int64_t to, bool brief, struct demo_events *events);

/* The machines as events of that time. */
void factory_events_machines(struct arena *arena, const struct factory *factory, int64_t at,
                             struct demo_events *events);

#endif
