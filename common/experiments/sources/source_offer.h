/*
 * What live data offers to metrics and alarms: its entity types with their columns, and its
 * figures. Asked over HTTP, so that forms can show names; does not depend on the database.
 */
#ifndef ASSAY_EXPERIMENTS_SOURCES_SOURCE_OFFER_H
#define ASSAY_EXPERIMENTS_SOURCES_SOURCE_OFFER_H

#include "base/schema.h"
#include "experiments/sources/source_settings.h"

enum source_offer_status { OFFER_AVAILABLE, OFFER_NOT_CONNECTED, OFFER_UNAVAILABLE, OFFER__MAX };

struct offered_column {
    const char *name;
    const char *description;
};

struct offered_entity {
    const char *entity_type;
    const char *description;
    OBJECT_LIST(struct offered_column, columns);
};

/* A figure of live data without users. */
struct offered_figure {
    const char *name;
    const char *description;
    const char *unit;
    struct string_list windows;
};

struct source_offer {
    int status;       /* enum source_offer_status; the lists are empty unless available */
    const char *text; /* why there are no names; NULL = there are */
    OBJECT_LIST(struct offered_entity, entities);
    OBJECT_LIST(struct offered_figure, figures);
};
SCHEMA_OF(source_offer_schema, struct source_offer);

/* From the arena. A live-data service that does not answer is an offer that says so. */
void source_offer_read(const struct source_settings *settings, struct arena *arena,
                       struct source_offer *offer);

#endif
