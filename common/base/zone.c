/* The zone database of the system. */
#include "base/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool zone_is_known(const char *zone)
{
    char path[ZONE_TEXT + 32];

    if (!*zone || strlen(zone) >= ZONE_TEXT || strstr(zone, "..") || *zone == '/' ||
        strspn(zone, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/") !=
            strlen(zone))
        return false;
    (void)!snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", zone);
    return strcmp(zone, "UTC") == 0 || access(path, R_OK) == 0;
}

static void set_zone(const char *zone)
{
    if (zone)
        setenv("TZ", zone, 1);
    else
        unsetenv("TZ");
    tzset();
}

void zone_use(const char *zone)
{
    set_zone(zone);
}

struct kept_zone zone_enter(const char *zone)
{
    const char *own = getenv("TZ");
    struct kept_zone kept = {.given = own != NULL};

    (void)!snprintf(kept.name, sizeof kept.name, "%s", own ? own : "");
    set_zone(zone);
    return kept;
}

void zone_leave(const struct kept_zone *kept)
{
    set_zone(kept->given ? kept->name : NULL);
}
