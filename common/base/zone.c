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

void zone_use(const char *zone)
{
    if (setenv("TZ", zone, 1) == 0)
        tzset();
}
