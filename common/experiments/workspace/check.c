/* Checks of a bundle: integrity first, then the references among its records.
 */
#include "experiments/workspace/check.h"

#include <stdlib.h>
#include <string.h>

static enum error refuse(const struct bundle_call *call, const char *reason, const char *text)
{
    return problem_set(call->problem, ERROR_INVALID, reason, "%s", text);
}

static bool is_blank(const char *text)
{
    return !text || !text[strspn(text, " \t\r\n")];
}

static bool counts_match(const struct bundle_counts *said, const struct bundle_counts *found)
{
    return memcmp(said, found, sizeof *said) == 0;
}

static enum error check_signature(const struct bundle_call *call, struct bundle *bundle)
{
    const struct bundle_integrity *integrity = bundle->head.integrity;

    if (!call->signing_key)
        return integrity && !is_blank(integrity->signature_hmac_sha256)
                   ? refuse(call, "workspace_signature_verification_unavailable",
                            "The bundle is signed, and AB_WORKSPACE_SIGNING_KEY is not set")
                   : ERROR_NONE;
    if (is_blank(integrity->signature_hmac_sha256))
        return refuse(call, "workspace_signature_required",
                      "AB_WORKSPACE_SIGNING_KEY is set, and the bundle is not signed");
    if (!digest_equal_secret(integrity->signature_hmac_sha256, bundle->signature))
        return refuse(call, "workspace_signature_mismatch",
                      "The signature is not that of this bundle under AB_WORKSPACE_SIGNING_KEY");
    bundle->signature_verified = true;
    return ERROR_NONE;
}

static enum error check_integrity(const struct bundle_call *call, struct bundle *bundle)
{
    const struct bundle_integrity *integrity = bundle->head.integrity;

    if (bundle->head.schema_version < BUNDLE_OLDEST_VERSION ||
        bundle->head.schema_version > BUNDLE_SCHEMA_VERSION)
        return refuse(call, "workspace_schema_unsupported", "schema_version must be 1, 2, 3 or 4");
    if (!integrity)
        return bundle->head.schema_version >= 2 || call->signing_key
                   ? refuse(call, "workspace_integrity_required", "The bundle has no integrity")
                   : ERROR_NONE;
    if (!counts_match(integrity->counts, &bundle->counts))
        return refuse(call, "workspace_integrity_counts_mismatch",
                      "integrity.counts are not the numbers of records");
    if (is_blank(integrity->checksum_sha256))
        return refuse(call, "workspace_integrity_checksum_missing",
                      "integrity.checksum_sha256 is missing");
    if (strcmp(integrity->checksum_sha256, bundle->checksum) != 0)
        return refuse(call, "workspace_integrity_checksum_mismatch",
                      "integrity.checksum_sha256 is not that of the records");
    return check_signature(call, bundle);
}

static int by_id(const void *left, const void *right)
{
    const struct bundle_entry *const *a = left, *const *b = right;

    return strcmp((*a)->id, (*b)->id);
}

struct bundle_ids bundle_sort_ids(struct arena *arena, const struct bundle *bundle,
                                  enum bundle_list list)
{
    const struct bundle_list_of_entries *entries = &bundle->lists[list];
    struct bundle_ids ids = {entries->count,
                             ARENA_ARRAY(arena, const struct bundle_entry *, entries->count)};

    for (size_t i = 0; i < ids.count; i++)
        ids.items[i] = &entries->items[i];
    if (ids.count)
        qsort(ids.items, ids.count, sizeof(void *), by_id);
    return ids;
}

bool bundle_find_id(const struct bundle_ids *ids, const char *id, size_t *position)
{
    const struct bundle_entry wanted = {.id = id}, *key = &wanted;
    const struct bundle_entry **found =
        id && ids->count ? bsearch(&key, ids->items, ids->count, sizeof(void *), by_id) : NULL;

    if (found && position)
        *position = (size_t)(found - ids->items);
    return found != NULL;
}

static bool has_duplicates(const struct bundle_ids *ids)
{
    for (size_t i = 1; i < ids->count; i++)
        if (ids->items[i]->id[0] && strcmp(ids->items[i - 1]->id, ids->items[i]->id) == 0)
            return true;
    return false;
}

/* Whether every record of a list refers to an existing owner and analysis run, or version; NULL =
 * not checked. */
static bool refers(const struct bundle *bundle, enum bundle_list list,
                   const struct bundle_ids *projects, const struct bundle_ids *runs)
{
    const struct bundle_list_of_entries *entries = &bundle->lists[list];

    for (size_t i = 0; i < entries->count; i++) {
        const struct bundle_entry *entry = &entries->items[i];

        if (projects && !bundle_find_id(projects, entry->project_id, NULL))
            return false;
        if (runs && entry->run_id && !bundle_find_id(runs, entry->run_id, NULL))
            return false;
    }
    return true;
}

enum error bundle_check(struct bundle_call *call, struct bundle *bundle)
{
    const struct bundle_ids projects = bundle_sort_ids(call->arena, bundle, BUNDLE_PROJECTS);
    const struct bundle_ids runs = bundle_sort_ids(call->arena, bundle, BUNDLE_RUNS);
    const struct bundle_ids revisions = bundle_sort_ids(call->arena, bundle, BUNDLE_REVISIONS);
    const struct bundle_ids metrics = bundle_sort_ids(call->arena, bundle, BUNDLE_METRICS);
    const struct bundle_ids versions = bundle_sort_ids(call->arena, bundle, BUNDLE_METRIC_VERSIONS);
    const struct bundle_ids flags = bundle_sort_ids(call->arena, bundle, BUNDLE_FLAGS);
    const struct {
        bool holds;
        const char *reason;
        const char *text;
    } checks[] = {
        {!has_duplicates(&projects), "workspace_duplicate_project_id",
         "Two projects have the same id"},
        {!has_duplicates(&runs), "workspace_duplicate_analysis_run_id",
         "Two analysis runs have the same id"},
        {!has_duplicates(&revisions), "workspace_duplicate_project_revision_id",
         "Two revisions have the same id"},
        {refers(bundle, BUNDLE_RUNS, &projects, NULL), "workspace_analysis_unknown_project",
         "An analysis run is of a project that is not in the bundle"},
        {refers(bundle, BUNDLE_EVENTS, &projects, NULL), "workspace_export_unknown_project",
         "An export event is of a project that is not in the bundle"},
        {refers(bundle, BUNDLE_EVENTS, NULL, &runs), "workspace_export_unknown_analysis_run",
         "An export event is of an analysis run that is not in the bundle"},
        {refers(bundle, BUNDLE_REVISIONS, &projects, NULL), "workspace_revision_unknown_project",
         "A revision is of a project that is not in the bundle"},
        {!has_duplicates(&metrics), "workspace_duplicate_catalog_metric_id",
         "Two records of catalog_metrics have the same id"},
        {!has_duplicates(&versions), "workspace_duplicate_catalog_metric_version",
         "Two records of catalog_metric_versions are the same version of a metric"},
        {refers(bundle, BUNDLE_METRIC_VERSIONS, &metrics, NULL),
         "workspace_metric_version_unknown_metric",
         "A record of catalog_metric_versions is of a metric that is not in the bundle"},
        {refers(bundle, BUNDLE_METRICS, NULL, &versions), "workspace_metric_unknown_version",
         "A record of catalog_metrics has a version that is not in the bundle"},
        {!has_duplicates(&flags), "workspace_duplicate_flag",
         "Two records of flags are of the same project"},
        {refers(bundle, BUNDLE_FLAGS, &projects, NULL), "workspace_flag_unknown_project",
         "A record of flags is of a project that is not in the bundle"},
    };
    enum error error = check_integrity(call, bundle);

    for (size_t i = 0; !error && i < COUNT_OF(checks); i++)
        if (!checks[i].holds)
            error = refuse(call, checks[i].reason, checks[i].text);
    return error;
}
