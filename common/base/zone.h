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

#endif
