/* Versions of the API. Each lists its additions; answers of older versions omit them. */
#include "livedata/catalog/contracts.h"
#include "livedata/timestamp.h"

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
    return timestamp_parse(catalog->latest->date, &latest) &&
           timestamp_parse(version->date, &day) &&
           latest - day > DEPRECATED_AFTER_DAYS * us_per_day;
}

void version_end(const struct api_version *version, char day[11])
{
    unsigned year = (unsigned)strtol(version->date, NULL, 10) % 9999;
    const char *rest = strcmp(version->date + 4, "-02-29") == 0 ? "-02-28" : version->date + 4;

    (void)!snprintf(day, 11, "%04u%.6s", year + 1, rest);
}

/* Whether `addition` describes this member, or this header if `path` is NULL. Header names are
 * compared without case. */
static bool is_addition(const struct api_addition *addition, const char *answer, const char *path,
                        const char *header)
{
    if (header)
        return addition->header && strcasecmp(addition->header, header) == 0;
    return path && addition->path && strcmp(addition->path, path) == 0 &&
           (!addition->answer || strcmp(addition->answer, answer) == 0);
}

/* Whether a version after `version`, up to the latest, added it. */
static bool is_later(const struct catalog *catalog, const struct api_version *version,
                     const char *answer, const char *path, const char *header)
{
    for (size_t i = 0; i < catalog->version_count; i++) {
        const struct api_version *later = &catalog->versions[i];

        if (strcmp(later->date, version->date) <= 0 ||
            strcmp(later->date, catalog->latest->date) > 0)
            continue;
        for (size_t j = 0; j < later->addition_count; j++)
            if (is_addition(&later->additions[j], answer, path, header))
                return true;
    }
    return false;
}

bool version_has_header(const struct catalog *catalog, const struct api_version *version,
                        const char *header)
{
    return !is_later(catalog, version, NULL, NULL, header);
}

/* State of the walk through nested schemas. */
struct pinned {
    struct arena *arena;
    const struct catalog *catalog;
    const struct api_version *version;
    const char *answer;
};

static const struct schema *pin(const struct pinned *pinned, const struct schema *schema,
                                const char *prefix)
{
    struct schema *copy = ARENA_NEW(pinned->arena, struct schema);
    struct field *fields = ARENA_ARRAY(pinned->arena, struct field, schema->field_count);

    for (size_t i = 0; i < schema->field_count; i++) {
        const char *path = arena_print(pinned->arena, "%s%s", prefix, schema->fields[i].name);

        fields[i] = schema->fields[i];
        if (is_later(pinned->catalog, pinned->version, pinned->answer, path, NULL))
            fields[i].internal = true;
        else if (fields[i].type == FIELD_OBJECT && !fields[i].written)
            fields[i].schema =
                pin(pinned, fields[i].schema, arena_print(pinned->arena, "%s.", path));
    }
    *copy = *schema;
    copy->fields = fields;
    return copy;
}

const struct schema *version_schema(struct arena *arena, const struct catalog *catalog,
                                    const struct api_version *version, const char *answer,
                                    const struct schema *schema)
{
    const struct pinned pinned = {
        .arena = arena, .catalog = catalog, .version = version, .answer = answer};

    return strcmp(version->date, catalog->latest->date) >= 0 ? schema : pin(&pinned, schema, "");
}

#define OWNER struct api_version
static const struct field version_fields[] = {STRING(OWNER, date), STRING(OWNER, status),
                                              STRINGS(OWNER, changes)};
#undef OWNER
static SCHEMA(api_version_schema, struct api_version, "ApiVersion", version_fields);

#define OWNER struct changelog
static const struct field changelog_fields[] = {STRING(OWNER, latest_version),
                                                OBJECTS(OWNER, versions, api_version_schema)};
#undef OWNER
SCHEMA(changelog_schema, struct changelog, "ChangelogResponse", changelog_fields);

struct changelog version_changelog(const struct catalog *catalog)
{
    return (struct changelog){.latest_version = catalog->latest->date,
                              .versions = {catalog->version_count, catalog->versions}};
}
