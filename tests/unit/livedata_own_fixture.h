/* For tests of domains: the demo's machines beside the shop, and events of theirs. */
#ifndef ASSAY_LIVEDATA_OWN_FIXTURE_H
#define ASSAY_LIVEDATA_OWN_FIXTURE_H

#include "livedata_fixture.h"

static const char folders[] = "config/livedata,config/demo/machines";

/* An event of that type and time ("10:00"), with more members. */
static inline json_t *own_event(struct live *live, int number, const char *type, const char *at,
                                const char *more)
{
    return live_json(live, arena_print(live->store->arena,
                                       "{\"event_id\":\"%s\",\"event_type\":\"%s\","
                                       "\"timestamp\":\"2026-04-04T%s:00Z\",\"source\":\"floor\","
                                       "%s}",
                                       live_event_id(live, number), type, at, more));
}

static inline void check_applied(struct live *live, json_t *event)
{
    struct apply_result result = live_apply(live, event);

    CHECK_TEXT(result.detail ? result.detail : "", "");
    CHECK_INT(result.status, EVENT_APPLIED);
}

#endif
