/* Versions of the API: by date, each saying what it added, so that older ones can leave it out. */
#include "livedata/catalog/contracts.h"
#include "livedata/moment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DEPRECATED_AFTER_DAYS = 183 };

const struct api_version *version_find(const struct catalog *catalog, const char *date)
{
    for (size_t i = 0; i < catalog->version_count; i++)
        if (strcmp(catalog->versions[i].date, date) == 0)
            return &catalog->versions[i];
    return NULL;
}

bool version_is_deprecated(const struct catalog *catalog, const struct api_version *version)
{
    int64_t latest = 0, day = 0;

    if (strcmp(version->status, "deprecated") == 0)
        return true;
    return moment_parse(catalog->latest->date, &latest) && moment_parse(version->date, &day) &&
           latest - day > DEPRECATED_AFTER_DAYS * moment_day;
}

void version_end(const struct api_version *version, char day[11])
{
    unsigned year = (unsigned)strtol(version->date, NULL, 10) % 9999;
    const char *rest = strcmp(version->date + 4, "-02-29") == 0 ? "-02-28" : version->date + 4;

    (void)!snprintf(day, 11, "%04u%.6s", year + 1, rest);
}

/* Names of headers are compared without case. */
static bool adds(const struct api_change *change, const char *name)
{
    return (change->path && strcmp(change->path, name) == 0) ||
           (change->header && strcasecmp(change->header, name) == 0);
}

bool version_shows(const struct catalog *catalog, const struct api_version *version,
                   const char *name)
{
    for (size_t i = 0; i < catalog->version_count; i++) {
        const struct api_version *later = &catalog->versions[i];

        if (strcmp(later->date, version->date) <= 0 ||
            strcmp(later->date, catalog->latest->date) > 0)
            continue;
        for (size_t j = 0; j < later->change_count; j++)
            if (adds(&later->changes[j], name))
                return false;
    }
    return true;
}

void version_write_changelog(const struct catalog *catalog, struct json_writer *writer)
{
    writer_open_object(writer);
    writer_key_string(writer, "latest_version", catalog->latest->date);
    writer_key(writer, "versions");
    writer_open_array(writer);
    for (size_t i = 0; i < catalog->version_count; i++) {
        const struct api_version *version = &catalog->versions[i];

        writer_open_object(writer);
        writer_key_string(writer, "date", version->date);
        writer_key_string(writer, "status", version->status);
        writer_key(writer, "changes");
        writer_open_array(writer);
        for (size_t j = 0; j < version->change_count; j++)
            writer_string(writer, version->changes[j].description);
        writer_close_array(writer);
        writer_close_object(writer);
    }
    writer_close_array(writer);
    writer_close_object(writer);
}
