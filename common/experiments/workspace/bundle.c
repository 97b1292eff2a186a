/* Reads a bundle: finds its parts first, then decodes, hashes and frees every record. */
#include "experiments/workspace/bundle.h"
#include "base/clock.h"
#include "base/schema_words.h"
#include "base/timestamp.h"
#include "experiments/projects/project_slug.h"
#include "experiments/workspace/check.h"
#include "experiments/workspace/scan.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES_MAX = 64 * 1024, PROGRESS_EVERY = 500, KEY_MAX = 64 };

#define OWNER struct bundle_head
static const struct field head_fields[] = {
    INTEGER(OWNER, schema_version, .required = true),
    STRING(OWNER, generated_at, .required = true),
    OBJECT(OWNER, integrity, bundle_integrity_schema, .nullable = true),
};
#undef OWNER
static SCHEMA(head_schema, struct bundle_head, "WorkspaceHead", head_fields, .extra = EXTRA_IGNORE);

/* The members that are no lists, as a document of their own. */
struct pieces {
    struct text head;
    struct scan_piece lists[BUNDLE_LIST__MAX];
};

static enum error misfit(struct bundle_call *call, const char *field, const char *what)
{
    call->fault_field = arena_copy_string(call->arena, field);
    return problem_set(call->problem, ERROR_MALFORMED, "bundle_shape", "%s", what);
}

static const char *path_text(struct arena *arena, const struct schema_path *path)
{
    const char *before;

    if (!path || !path->parent)
        return "";
    before = path_text(arena, path->parent);
    if (path->key)
        return arena_print(arena, "%s.%s", before, path->key);
    return arena_print(arena, "%s.%zu", before, path->index);
}

/* Reads a piece strictly and decodes it. `where` is its position, "" for the whole. */
static enum error decode(struct bundle_call *call, const struct scan_piece *piece,
                         const struct schema *schema, const char *where, void *object)
{
    struct schema_errors errors;
    struct json_fault fault;
    const char *path;
    json_t *document;

    if (json_read(call->piece, piece->at, piece->length, JSON_DEPTH_LIMIT, &document, &fault))
        return misfit(call, where, fault.text);
    memset(object, 0, schema->size);
    if (!schema_decode(schema, document, "body", object, &errors, call->piece))
        return ERROR_NONE;
    path = path_text(call->piece, errors.items[0].path);
    if (!*where && *path)
        path++; /* no dot before the first */
    return misfit(call, arena_print(call->piece, "%s%s", where, path),
                  schema_fault_words[errors.items[0].fault]);
}

static bool is_name(const struct scan_piece *key, const char *name)
{
    size_t length = strlen(name);

    return key->length == length + 2 && memcmp(key->at + 1, name, length) == 0;
}

/* What is not known is dropped, but must be JSON. */
static enum error drop(struct bundle_call *call, const struct scan_piece *key,
                       const struct scan_piece *value)
{
    struct json_fault fault;
    json_t *document;
    enum error error = ERROR_NONE;

    if (json_read(call->piece, key->at, key->length, 1, &document, &fault) ||
        json_read(call->piece, value->at, value->length, JSON_DEPTH_LIMIT, &document, &fault))
        error = misfit(call, "", fault.text);
    arena_reset(call->piece);
    return error;
}

static enum error sort_member(struct bundle_call *call, const struct scan_piece *key,
                              const struct scan_piece *value, struct pieces *pieces)
{
    for (int list = 0; list < BUNDLE_LIST__MAX; list++)
        if (is_name(key, bundle_list_names[list])) {
            if (pieces->lists[list].at)
                return misfit(call, bundle_list_names[list], "stands there twice");
            pieces->lists[list] = *value;
            return ERROR_NONE;
        }
    for (size_t i = 0; i < COUNT_OF(head_fields); i++)
        if (is_name(key, head_fields[i].name)) {
            text_append(&pieces->head, pieces->head.length > 1 ? "," : "", pieces->head.length > 1);
            text_append(&pieces->head, key->at, key->length);
            text_append_byte(&pieces->head, ':');
            text_append(&pieces->head, value->at, value->length);
            return ERROR_NONE;
        }
    return drop(call, key, value);
}

static enum error find_pieces(struct bundle_call *call, struct scan *scan, struct pieces *pieces)
{
    struct scan_piece key, value;
    enum error error = ERROR_NONE;

    text_start(&pieces->head, call->arena, HEAD_BYTES_MAX);
    text_append_byte(&pieces->head, '{');
    if (!scan_open(scan, '{'))
        return misfit(call, "", "is not an object");
    for (bool first = true; !error && scan_member(scan, first, &key, &value); first = false)
        error = sort_member(call, &key, &value, pieces);
    text_append_byte(&pieces->head, '}');
    if (!error && !scan_is_over(scan))
        error = misfit(call, "", "is no JSON");
    if (!error && pieces->head.overflowed)
        error = misfit(call, "", "has a head that is too long");
    return error;
}

/* A member that older versions do not know is dropped from them, too. */
static enum error drop_list(struct bundle_call *call, const struct scan_piece *value)
{
    static const char name[] = "\"list\"";
    const struct scan_piece key = {name, sizeof name - 1};

    return drop(call, &key, value);
}

/* Where the records of a list are. */
static enum error find_records(struct bundle_call *call, const struct scan_piece *piece,
                               enum bundle_list list, struct bundle *bundle)
{
    struct bundle_list_of_entries *entries = &bundle->lists[list];
    const char *name = bundle_list_names[list];
    size_t count = 0;

    if (!bundle_has_list(bundle->head.schema_version, list))
        return piece->at ? drop_list(call, piece) : ERROR_NONE;
    if (!piece->at)
        return list == BUNDLE_REVISIONS ? ERROR_NONE : misfit(call, name, "is missing");
    for (int pass = 0; pass < 2; pass++) {
        struct scan scan = {piece->at, piece->at + piece->length, false};
        struct scan_piece item;

        count = 0;
        if (!scan_open(&scan, '['))
            return misfit(call, name, "is not a list");
        for (; scan_item(&scan, count == 0, &item); count++)
            if (pass == 1)
                entries->items[count] = (struct bundle_entry){.at = item.at, .length = item.length};
        if (!scan_is_over(&scan))
            return misfit(call, name, "is no JSON");
        if (pass == 0)
            entries->items = ARENA_ARRAY(call->arena, struct bundle_entry, count);
    }
    entries->count = count;
    return ERROR_NONE;
}

enum error bundle_record(struct bundle_call *call, const struct bundle *bundle,
                         enum bundle_list list, size_t index, void *record)
{
    const struct bundle_entry *entry = &bundle->lists[list].items[index];
    const struct scan_piece piece = {entry->at, entry->length};
    char where[KEY_MAX];

    (void)!snprintf(where, sizeof where, "%s.%zu", bundle_list_names[list], index);
    return decode(call, &piece, bundle_schemas[list], where, record);
}

static const char *keep(struct bundle_call *call, const char *text)
{
    return text ? arena_copy_string(call->arena, text) : NULL;
}

const char *bundle_moment(struct arena *arena, const char *text)
{
    char *formatted;
    int64_t microseconds;

    if (!text || !timestamp_from_text(text, &microseconds))
        return NULL;
    formatted = arena_alloc(arena, CLOCK_TEXT_MAX);
    clock_format(microseconds, formatted);
    return formatted;
}

static bool is_moment(const char *text)
{
    int64_t moment;

    return !text || timestamp_from_text(text, &moment);
}

static const char *version_id(struct bundle_call *call, const char *metric_id, int64_t version)
{
    return arena_print(call->arena, "%s/%lld", metric_id, (long long)version);
}

/* Notes what the checks of the whole, and the import, go by. */
static enum error note(struct bundle_call *call, enum bundle_list list, const void *record,
                       struct bundle_entry *entry)
{
    const struct bundle_metric *metric = record;
    const struct bundle_metric_version *version = record;
    const struct bundle_flag *flag = record;
    const struct bundle_project *project = record;
    const struct bundle_run *run = record;
    const struct bundle_event *event = record;
    const struct bundle_revision *revision = record;
    bool timely = true;

    switch (list) {
    case BUNDLE_PROJECTS:
        entry->id = keep(call, project->id);
        entry->run_id = keep(call, project->last_analysis_run_id);
        entry->created_at = keep(call, project->created_at);
        timely = is_moment(project->archived_at) && is_moment(project->last_analysis_at) &&
                 is_moment(project->last_exported_at) && is_moment(project->updated_at);
        break;
    case BUNDLE_RUNS:
        entry->id = keep(call, run->id);
        entry->project_id = keep(call, run->project_id);
        entry->created_at = keep(call, run->created_at);
        break;
    case BUNDLE_EVENTS:
        entry->id = keep(call, event->id);
        entry->project_id = keep(call, event->project_id);
        entry->run_id = keep(call, event->analysis_run_id);
        entry->created_at = keep(call, event->created_at);
        break;
    case BUNDLE_METRICS:
        entry->id = keep(call, metric->id);
        entry->run_id = version_id(call, metric->id, metric->version);
        entry->created_at = keep(call, metric->created_at);
        timely = is_moment(metric->updated_at);
        break;
    case BUNDLE_METRIC_VERSIONS:
        entry->id = version_id(call, version->metric_id, version->version);
        entry->project_id = keep(call, version->metric_id);
        entry->created_at = keep(call, version->created_at);
        break;
    case BUNDLE_FLAGS:
        entry->id = entry->project_id = keep(call, flag->project_id);
        timely = is_moment(flag->updated_at);
        break;
    default:
        entry->id = keep(call, revision->id);
        entry->project_id = keep(call, revision->project_id);
        entry->created_at = keep(call, revision->created_at);
    }
    return timely && is_moment(entry->created_at)
               ? ERROR_NONE
               : problem_set(call->problem, ERROR_MALFORMED, "bundle_shape",
                             "holds a time that does not read as one");
}

static enum error check_payload_version(struct bundle_call *call, enum bundle_list list,
                                        const void *record)
{
    const struct bundle_project *project = record;

    if (list != BUNDLE_PROJECTS || project->payload_schema_version <= PAYLOAD_SCHEMA_VERSION)
        return ERROR_NONE;
    return problem_set(call->problem, ERROR_INVALID, "workspace_schema_unsupported",
                       "A project has payload_schema_version %lld; this service knows %d",
                       (long long)project->payload_schema_version, PAYLOAD_SCHEMA_VERSION);
}

/* What no request could have stored is no flag. */
static bool is_flag(const struct bundle_flag *flag)
{
    struct flag_document document = {.key = flag->key};

    if (!flag->settings)
        return !flag->enabled && slug_is_valid(flag->key);
    document.settings = *flag->settings;
    return document.settings.variants.count > 1 && flag_is_sound(&document);
}

static enum error check_flag(struct bundle_call *call, enum bundle_list list, const void *record)
{
    if (list != BUNDLE_FLAGS || is_flag(record))
        return ERROR_NONE;
    return problem_set(call->problem, ERROR_MALFORMED, "bundle_shape",
                       "holds a key or settings that no flag may have");
}

static enum error hash_list(struct bundle_call *call, struct bundle *bundle, enum bundle_list list,
                            struct digest_stream *digest)
{
    struct bundle_list_of_entries *entries = &bundle->lists[list];
    const char *name = bundle_list_names[list];
    union bundle_any record;
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < entries->count; i++) {
        error = bundle_record(call, bundle, list, i, &record);
        if (!error) {
            struct text text = bundle_canonical(call->piece, list, &record, NULL);

            digest_stream_add(digest, ",", i > 0);
            digest_stream_add(digest, text.bytes, text.length);
            error = note(call, list, &record, &entries->items[i]);
            if (!error)
                error = check_flag(call, list, &record);
            if (error)
                call->fault_field = arena_print(call->arena, "%s.%zu", name, i);
        }
        if (!error)
            error = check_payload_version(call, list, &record);
        arena_reset(call->piece);
        bundle_report_progress(call, name, (int64_t)i + 1, (int64_t)entries->count);
    }
    return error;
}

static void add_text(struct digest_stream *digest, const char *text)
{
    digest_stream_add(digest, text, strlen(text));
}

static const char *ascii_string(struct arena *arena, const char *string)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, HEAD_BYTES_MAX * 6);
    writer_start(&writer, &text);
    writer.ascii = true;
    writer_string(&writer, string);
    return text.bytes;
}

/* The canonical form goes by the order of keys. */
static enum error hash(struct bundle_call *call, struct bundle *bundle)
{
    struct digest_stream *digest = digest_stream_start(call->arena, call->signing_key);
    enum error error = ERROR_NONE;

    for (int list = 0; !error && list < BUNDLE_LIST__MAX; list++) {
        if (!bundle_has_list(bundle->head.schema_version, (enum bundle_list)list))
            continue;
        if (list == BUNDLE_REVISIONS) {
            add_text(digest, ",\"generated_at\":");
            add_text(digest, ascii_string(call->arena, bundle->head.generated_at));
        }
        add_text(digest, arena_print(call->arena, "%s\"%s\":[", list == 0 ? "{" : ",",
                                     bundle_list_names[list]));
        error = hash_list(call, bundle, (enum bundle_list)list, digest);
        add_text(digest, "]");
    }
    add_text(digest, arena_print(call->arena, ",\"schema_version\":%lld}",
                                 (long long)bundle->head.schema_version));
    digest_stream_end(digest, bundle->checksum, bundle->signature);
    return error;
}

/* What is kept of the head lives as long as the bundle. */
static enum error read_head(struct bundle_call *call, const struct text *text,
                            struct bundle_head *head)
{
    const struct scan_piece piece = {text->bytes, text->length};
    struct bundle_integrity *integrity;
    struct bundle_counts *counts;
    enum error error = decode(call, &piece, &head_schema, "", head);

    if (error)
        return error;
    head->generated_at = keep(call, head->generated_at);
    if (head->integrity) {
        integrity = ARENA_NEW(call->arena, struct bundle_integrity);
        counts = ARENA_NEW(call->arena, struct bundle_counts);
        *counts = *head->integrity->counts;
        *integrity = (struct bundle_integrity){
            .counts = counts,
            .checksum_sha256 = keep(call, head->integrity->checksum_sha256),
            .signature_hmac_sha256 = keep(call, head->integrity->signature_hmac_sha256)};
        head->integrity = integrity;
    }
    arena_reset(call->piece);
    return ERROR_NONE;
}

enum error bundle_read(struct bundle_call *call, const char *bytes, size_t length,
                       struct bundle *bundle)
{
    struct scan scan = {bytes, bytes + length, false};
    struct pieces pieces = {0};
    enum error error = find_pieces(call, &scan, &pieces);

    *bundle = (struct bundle){0};
    if (!error)
        error = read_head(call, &pieces.head, &bundle->head);
    for (int list = 0; !error && list < BUNDLE_LIST__MAX; list++)
        error = find_records(call, &pieces.lists[list], (enum bundle_list)list, bundle);
    if (!error)
        error = hash(call, bundle);
    for (int list = 0; list < BUNDLE_LIST__MAX; list++)
        *bundle_count(&bundle->counts, (enum bundle_list)list) = (int64_t)bundle->lists[list].count;
    return error ? error : bundle_check(call, bundle);
}

void bundle_report_progress(const struct bundle_call *call, const char *what, int64_t done,
                            int64_t total)
{
    if (call->progress && (done % PROGRESS_EVERY == 0 || done == total))
        call->progress(call->progress_context, what, done, total);
}
