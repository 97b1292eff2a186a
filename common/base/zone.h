/* Time zones by their names in the zone database, "Europe/Berlin". */
#ifndef ASSAY_BASE_ZONE_H
#define ASSAY_BASE_ZONE_H

#include <stdbool.h>

enum { ZONE_TEXT = 64 };

/* Whether the system knows the zone. */
bool zone_is_known(const char *zone);

/* Makes it the zone of the process, for localtime_r() and mktime(). Before the process confines
 * itself: the file of the zone is read here. */
void zone_use(const char *zone);

/* The same for a while, after which zone_leave() brings back the zone that was kept. NULL = the
 * system's. */
struct kept_zone {
    bool given;
    char name[ZONE_TEXT];
};
struct kept_zone zone_enter(const char *zone);
void zone_leave(const struct kept_zone *kept);

#endif
