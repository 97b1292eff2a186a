/* Ingestion: the steps from a file to a searchable version. */
#include "support/documents/ingest.h"
#include "base/clock.h"
#include "base/log.h"
#include "crypto/digest.h"
#include "crypto/token.h"
#include "search/builder.h"
#include "search/search.h"
#include "support/documents/categories.h"
#include "support/documents/contexts.h"
#include "support/documents/graph_lane.h"
#include "support/documents/host.h"
#include "support/documents/passages.h"
#include "support/documents/search_engine.h"
#include "support/documents/search_engine_store.h"
#include "support/documents/sentence_vectors.h"
#include "support/documents/titles.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    SCRATCH_BYTES = 1 << 28,
    SCANS_KEPT_SECONDS = 24 * 60 * 60,
    PASSING_KEPT_SECONDS = 24 * 60 * 60,
    ATTEMPTS = 5 /* for an ingestion that loses against a concurrent one of the same document */
};

static const char *make_folder(struct arena *arena, const struct support_settings *settings,
                               const char *kind, const char *tenant)
{
    const char *folder = arena_print(arena, "%s/%s", settings->data_directory, kind);

    mkdir(settings->data_directory, 0700);
    mkdir(folder, 0700);
    if (tenant) {
        folder = arena_print(arena, "%s/%s", folder, tenant);
        mkdir(folder, 0700);
    }
    return folder;
}

const char *ingest_index_folder(struct arena *arena, const struct support_settings *settings,
                                const char *tenant)
{
    return make_folder(arena, settings, "index", tenant);
}

const char *ingest_upload_folder(struct arena *arena, const struct support_settings *settings,
                                 const char *tenant)
{
    return make_folder(arena, settings, "uploads", strcmp(tenant, "default") == 0 ? NULL : tenant);
}

struct blob_call ingest_blob_call(const struct document_call *call,
                                  const struct support_settings *settings)
{
    return (struct blob_call){call->db, call->arena, settings, call->tenant, call->problem};
}

static const char *passing_folder(struct arena *arena, const struct support_settings *settings)
{
    return make_folder(arena, settings, "passing", NULL);
}

const char *ingest_passing_path(struct arena *arena, const struct support_settings *settings)
{
    char name[TOKEN_UUID_TEXT];

    token_uuid(name);
    return arena_print(arena, "%s/%s", passing_folder(arena, settings), name);
}

/* The state of one ingestion. */
struct run {
    const struct document_call *call;
    const struct support_settings *settings;
    const struct ingest_request *request;
    struct reading_result text;
    struct chunk_list chunks;
    const char **headers;
    struct contexts_result contexts;
    char hash[DIGEST_SHA256_TEXT], file_hash[DIGEST_SHA256_TEXT];
    int64_t started, size;
    enum text_language language;
    struct document_row before, row;
    bool existed;
};

static void report_progress(const struct run *run, const char *step, size_t count)
{
    if (run->request->progress)
        run->request->progress(run->request->context, step, count);
}

/* A page that is read reports progress, so that the task keeps its lease. */
static void report_scan(void *context, int page, int count)
{
    (void)count;
    report_progress(context, "scans", (size_t)page);
}

static struct reader_scans how_to_read_scans(struct run *run)
{
    const struct support_settings *settings = run->settings;

    return (struct reader_scans){.page = {settings->reader_memory_bytes, settings->scan_seconds,
                                          settings->reader_text_bytes},
                                 .pixels = settings->scan_pixels,
                                 .pages = settings->scan_pages,
                                 .folder = make_folder(run->call->arena, settings, "scans", NULL),
                                 .key = run->file_hash,
                                 .progress = report_scan,
                                 .context = run};
}

static void close_file(void *file)
{
    close((int)(intptr_t)file);
}

/* Before any row refers to it. Files that programs take are as good as uploads. */
static enum error share_original(struct run *run, int file)
{
    const struct blob_call call = ingest_blob_call(run->call, run->settings);

    return blob_put(&call, BLOB_ORIGINAL, run->file_hash, file);
}

/* Opens the file once, so that the hashed content is the ingested content, even if the file is
 * replaced meanwhile. */
static enum error load_file(struct run *run)
{
    const struct support_settings *settings = run->settings;
    const struct reader_limits limits = {settings->reader_memory_bytes, settings->reader_seconds,
                                         settings->reader_text_bytes};
    const struct document_call *call = run->call;
    struct arena_guard *guard = arena_guard(call->arena, close_file);
    int file = open(run->request->path, O_RDONLY | O_CLOEXEC);
    struct reader_scans scans;
    struct stat about;
    enum error error;

    if (file < 0 || fstat(file, &about) != 0)
        return problem_set(call->problem, ERROR_SYSTEM, "file_not_read", "the file cannot be read");
    guard->thing = (void *)(intptr_t)file;
    run->size = about.st_size;
    (void)!digest_file_sha256_hex(file, run->file_hash);
    error = share_original(run, file);
    if (error)
        return error;
    scans = how_to_read_scans(run);
    error = reader_read(call->arena, arena_print(call->arena, "/proc/self/fd/%d", file),
                        file_type_of(run->request->doc_id), &limits, settings->data_directory,
                        &scans, &run->text, call->problem);
    arena_guard_end(guard);
    return error;
}

static enum error load(struct run *run)
{
    struct arena *arena = run->call->arena;

    if (!run->request->text)
        return load_file(run);
    run->text.pages = ARENA_NEW(arena, struct page);
    run->text.pages[0] = (struct page){run->request->text, strlen(run->request->text), 0};
    run->text.count = 1;
    run->size = (int64_t)run->text.pages[0].length;
    return ERROR_NONE;
}

/* Hashes the pages in order, each with its number at the end, so that moved page breaks count as a
 * change. */
static void hash_text(struct run *run)
{
    struct text all;

    text_start(&all, run->call->arena, (size_t)run->settings->reader_text_bytes * 2);
    for (size_t i = 0; i < run->text.count; i++) {
        text_append(&all, run->text.pages[i].text, run->text.pages[i].length);
        if (run->text.count > 1 || run->text.pages[i].number)
            text_append_format(&all, "\f%d", run->text.pages[i].number);
    }
    digest_sha256_hex(all.bytes, all.length, run->hash);
}

static struct chunk_options how_to_cut(const struct support_settings *settings)
{
    return (struct chunk_options){settings->parent_child ? CHUNK_PARENT : (int)settings->chunk_size,
                                  settings->parent_child ? CHUNK_PARENT_OVERLAP
                                                         : (int)settings->chunk_overlap,
                                  settings->structural_chunking};
}

static void cut_chunks(struct run *run)
{
    struct sentence_vectors vectors = {run->settings, SENTENCE_VECTORS_MAX};
    const struct subject_meter meter = {sentence_vectors_measure, &vectors};
    struct chunk_options options = how_to_cut(run->settings);
    struct arena *arena = run->call->arena;

    if (run->settings->semantic_chunking)
        options.subjects = &meter;
    for (size_t i = 0; i < run->text.count; i++)
        chunk_text(arena, run->text.pages[i].text, run->text.pages[i].length,
                   run->text.pages[i].number, &options, &run->chunks);
    run->headers = ARENA_ARRAY(arena, const char *, run->chunks.count + 1);
    for (size_t i = 0; i < run->chunks.count; i++)
        run->headers[i] = run->settings->contextual_headers
                              ? chunk_header(arena, run->row.title, &run->chunks.items[i])
                              : run->row.title;
}

static void go_on(void *context)
{
    const struct run *run = context;

    report_progress(run, "indexing", run->text.count);
}

static void write_contexts(struct run *run)
{
    const struct contexts_request request = {.settings = run->settings,
                                             .models = run->request->models,
                                             .db = run->call->db,
                                             .arena = run->call->arena,
                                             .title = run->row.title,
                                             .beginning =
                                                 run->text.count ? run->text.pages[0].text : "",
                                             .chunks = &run->chunks,
                                             .progress = go_on,
                                             .context = run};

    if (request.models && contexts_are_wanted(run->settings))
        contexts_write(&request, run->headers, &run->contexts);
}

static void describe(struct run *run)
{
    const struct page *first = run->text.count ? &run->text.pages[0] : NULL;
    struct arena *arena = run->call->arena;

    run->language = first ? language_detect(first->text, first->length) : TEXT_UNKNOWN;
    run->row = (struct document_row){
        .doc_id = run->request->doc_id,
        .version = run->existed ? run->before.version + 1 : 1,
        .title = run->request->title ? run->request->title
                 : run->existed      ? run->before.title
                                     : run->request->doc_id,
        .source = run->request->source ? run->request->source
                  : run->existed       ? run->before.source
                                       : run->request->doc_id,
        .file_type =
            run->request->text ? "md" : file_type_names[file_type_of(run->request->doc_id)],
        .language = language_codes[run->language],
        .content_hash = run->hash,
        .file_hash = *run->file_hash ? run->file_hash : NULL,
        .size_bytes = run->size,
        .categories = first ? categories_of(arena, categories_built_in, categories_built_in_count,
                                            first->text, first->length)
                            : "[\"uncategorized\"]",
        .page_count = run->text.page_count,
        .auto_generated = run->request->auto_generated,
        .parent_child = run->settings->parent_child,
    };
}

static void index_body(struct index_builder *builder, struct arena *scratch, int64_t key,
                       const char *header, const char *body, size_t length)
{
    struct passage_list list = passages_of(scratch, body, length);
    struct index_passage *passages = ARENA_ARRAY(scratch, struct index_passage, list.count + 1);

    for (size_t i = 0; i < list.count; i++)
        passages[i] = (struct index_passage){list.items[i].text, list.items[i].length};
    index_builder_chunk(builder, key, header, passages, list.count);
}

/* Titles are searched by their vectors. */
static void index_titles(struct index_builder *builder, struct arena *scratch, int64_t key,
                         const char *body, size_t length)
{
    struct title_list titles;

    titles_of(scratch, body, length, &titles);
    for (size_t i = 0; i < titles.count; i++)
        index_builder_chunk(builder, key, NULL, NULL, 0);
}

/* Indexes a chunk by itself, or by its children, and its titles. Passages use a separate arena,
 * which is reset after each chunk. */
static void index_chunk(struct index_builder *builder, struct arena *scratch, int64_t key,
                        const char *header, const char *body, size_t length, bool parent)
{
    struct chunk_list children = {0};

    if (parent)
        children = chunk_children(scratch, body, length);
    else
        index_body(builder, scratch, key, header, body, length);
    for (size_t i = 0; i < children.count; i++)
        index_body(builder, scratch, key, header, children.items[i].body, children.items[i].length);
    index_titles(builder, scratch, key, body, length);
    arena_reset(scratch);
}

/* A segment's name is never used twice. */
const char *ingest_segment_name(struct arena *arena)
{
    char id[TOKEN_UUID_TEXT];

    token_uuid(id);
    return arena_print(arena, "%013lld-%.8s.seg", (long long)(clock_unix_microseconds() / 1000),
                       id);
}

static enum error no_memory(struct problem *problem)
{
    return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for the index");
}

static void destroy_builder(void *builder)
{
    index_builder_destroy(builder);
}

static const char *segment_path(const struct document_call *call,
                                const struct support_settings *settings, const char *name)
{
    return arena_print(call->arena, "%s/%s",
                       ingest_index_folder(call->arena, settings, call->tenant), name);
}

enum error ingest_share_segment(const struct document_call *call,
                                const struct support_settings *settings, const char *name)
{
    const struct blob_call blob = ingest_blob_call(call, settings);
    const char *path;
    enum error error;

    if (!blobs_are_shared(settings))
        return ERROR_NONE;
    path = segment_path(call, settings, name);
    error = blob_put_path(&blob, BLOB_SEGMENT, name, path);
    if (error)
        unlink(path); /* the next attempt makes another */
    return error;
}

static enum error write_segment(struct run *run, int64_t first_key, const char *name,
                                int64_t *bytes)
{
    const struct document_call *call = run->call;
    struct arena_guard *guard = arena_guard(call->arena, destroy_builder);
    struct arena *scratch = arena_create_below(call->arena, SCRATCH_BYTES);
    struct index_builder *builder = guard->thing =
        index_builder_create((size_t)run->settings->index_memory_bytes);
    enum error error = builder ? ERROR_NONE : no_memory(call->problem);

    if (!error) {
        index_builder_document(builder, run->row.key, run->language);
        for (size_t i = 0; i < run->chunks.count; i++)
            index_chunk(builder, scratch, first_key + (int64_t)i, run->headers[i],
                        run->chunks.items[i].body, run->chunks.items[i].length,
                        run->row.parent_child);
        error = index_builder_finish(builder,
                                     ingest_index_folder(call->arena, run->settings, call->tenant),
                                     name, bytes, call->problem);
    }
    arena_guard_end(guard);
    arena_destroy(scratch);
    return error ? error : ingest_share_segment(call, run->settings, name);
}

/* The same chunks, to the search engine: the row of the segment then has no bytes, because it is
 * built only when the setting is taken away. */
static enum error write_to_engine(const struct run *run, int64_t first_key)
{
    struct search_engine_text text = {.key = run->row.key,
                                      .language = run->language,
                                      .parents = run->row.parent_child,
                                      .count = run->chunks.count};

    text.chunks = ARENA_ARRAY(run->call->arena, struct search_engine_chunk, text.count + 1);
    for (size_t i = 0; i < text.count; i++)
        text.chunks[i] =
            (struct search_engine_chunk){first_key + (int64_t)i, run->headers[i],
                                         run->chunks.items[i].body, run->chunks.items[i].length};
    return search_engine_put(run->call, run->settings, &text);
}

/* While a tenant's documents move to the search engine the embedded index answers, with the new
 * ones too. */
static enum error write_index(struct run *run, int64_t first_key, struct document_change *change)
{
    bool both = true;
    enum error error = ERROR_NONE;

    if (search_engine_is_used(run->settings)) {
        error = write_to_engine(run, first_key);
        if (!error)
            error = search_documents_embedded_answers(run->call, &both);
    }
    return error || !both ? error
                          : write_segment(run, first_key, change->segment, &change->segment_bytes);
}

static enum error store(struct run *run)
{
    struct document_change change = {.row = &run->row,
                                     .chunks = &run->chunks,
                                     .headers = run->headers,
                                     .expected_version = run->existed ? run->before.version : 0};
    const struct chunk_options cut = how_to_cut(run->settings);
    struct arena *arena = run->call->arena;
    int64_t first;
    enum error error = document_draw_keys(run->call, (int64_t)run->chunks.count + 1, &first);

    if (error)
        return error;
    run->row.key = first;
    run->row.chunk_count = (int64_t)run->chunks.count;
    change.first_chunk_key = first + 1;
    change.chunk_config = arena_print(
        arena, "%d/%d%s%s", cut.size, cut.overlap, run->row.parent_child ? " parents" : "",
        !cut.structural && run->settings->semantic_chunking ? " semantic" : "");
    if (run->chunks.count) {
        report_progress(run, "indexing", run->text.count);
        change.segment = ingest_segment_name(arena);
        error = write_index(run, first + 1, &change);
    }
    change.contexts = run->contexts.written;
    change.cost = run->contexts.cost;
    change.duration_ms = (clock_monotonic_microseconds() - run->started) / 1000;
    return error ? error : document_replace(run->call, &change);
}

/* The document is stored: its pages need not be kept. */
void ingest_forget_old_scans(struct arena *arena, const struct support_settings *settings)
{
    reader_forget_old_scans(make_folder(arena, settings, "scans", NULL),
                            clock_unix_seconds() - SCANS_KEPT_SECONDS);
}

static void forget_scans(struct run *run)
{
    const struct reader_scans scans = how_to_read_scans(run);

    if (run->text.scanned)
        reader_forget_scans(&scans, run->text.page_count);
}

/* What was not read; "" when there is nothing. */
static const char *unread_text(const struct run *run)
{
    const struct reading_result *text = &run->text;

    return text->unread ? arena_print(run->call->arena, "%d scanned page(s) were not read: %s.",
                                      text->unread, text->unread_because)
                        : "";
}

static enum error ingest_once(const struct document_call *call,
                              const struct support_settings *settings,
                              const struct ingest_request *request, struct ingest_result *result)
{
    struct run run = {.call = call,
                      .settings = settings,
                      .request = request,
                      .started = clock_monotonic_microseconds()};
    bool touched;
    enum error error;

    report_progress(&run, "loading", 0);
    error = load(&run);
    if (!error)
        error = document_find(call, request->doc_id, &run.before, &run.existed);
    if (error)
        return error;
    hash_text(&run);
    describe(&run);
    *result = (struct ingest_result){.version = run.row.version,
                                     .replaced = run.existed,
                                     .documents = (int64_t)run.text.count,
                                     .unread = unread_text(&run),
                                     .categories = run.row.categories};
    if (run.existed && !request->again && strcmp(run.before.content_hash, run.hash) == 0) {
        result->deduplicated = true;
        result->replaced = false;
        result->version = run.before.version;
        result->chunks = run.before.chunk_count;
        result->categories = run.before.categories;
        forget_scans(&run);
        return document_touch(call, request->doc_id, run.row.file_hash, &touched);
    }
    cut_chunks(&run);
    write_contexts(&run);
    result->chunks = (int64_t)run.chunks.count;
    error = store(&run);
    if (!error)
        forget_scans(&run);
    if (!error)
        graph_lane_log(call->db, call->arena, settings, call->problem);
    if (!error && !search_engine_is_used(settings) &&
        ingest_merge(call, settings, 1)) /* the document is stored; `ingest` tries again */
        log_event(LOG_WARNING, "segments_not_merged", call->problem->text);
    return error;
}

/* After a conflict of two uploads of one name, the second process reads the current file. */
enum error ingest_document(const struct document_call *call,
                           const struct support_settings *settings,
                           const struct ingest_request *request, struct ingest_result *result)
{
    const struct document_call all = document_call_for_all(call);
    enum error error = ERROR_CONFLICT;

    for (int i = 0; i < ATTEMPTS && error == ERROR_CONFLICT; i++)
        error = ingest_once(&all, settings, request, result);
    return error;
}

/* The indexes of tombstoned documents, in the index's format. */
struct search_segment ingest_as_segment(struct arena *arena, const struct segment_row *row)
{
    uint32_t *dead = ARENA_ARRAY(arena, uint32_t, row->count + 1);
    size_t count = 0;

    for (size_t i = 0; i < row->count; i++) {
        if (row->dead[i])
            dead[count++] = (uint32_t)i;
    }
    return (struct search_segment){row->name, row->bytes, dead, count};
}

static enum error index_stored(const struct document_call *call, struct index_builder *builder,
                               struct arena *scratch, int64_t key)
{
    struct object_list rows;
    enum error error = document_chunks(call, key, 0, INT64_MAX, &rows);
    const struct chunk_row *chunks = rows.items;

    if (error || !rows.count)
        return error;
    index_builder_document(builder, key, language_by_code(chunks[0].language));
    for (size_t i = 0; i < rows.count; i++)
        index_chunk(builder, scratch, chunks[i].key, chunks[i].header, chunks[i].body,
                    strlen(chunks[i].body), chunks[i].parent_child);
    return ERROR_NONE;
}

/* Writes the segment as another host has made it. One that is there and cannot be read is damaged,
 * or of an older format: then so may be the other one. */
static bool fetch_segment(const struct document_call *call, const struct support_settings *settings,
                          const char *name)
{
    const struct blob_call blob = ingest_blob_call(call, settings);
    const char *path = segment_path(call, settings, name);

    return blobs_are_shared(settings) && access(path, F_OK) != 0 &&
           blob_get(&blob, BLOB_SEGMENT, name, path) == ERROR_NONE;
}

/* Questions do not wait for the object store: a host that has no copy rebuilds the segment too. */
static void try_to_share(const struct document_call *call, const struct support_settings *settings,
                         const char *name)
{
    const struct blob_call blob = ingest_blob_call(call, settings);

    if (blob_put_path(&blob, BLOB_SEGMENT, name, segment_path(call, settings, name)))
        log_event(LOG_WARNING, "segment_not_shared", call->problem->text);
}

static enum error rebuild(const struct document_call *call, const struct support_settings *settings,
                          const struct segment_row *lost)
{
    const struct document_call all = document_call_for_all(call);
    struct arena_guard *guard = arena_guard(call->arena, destroy_builder);
    struct arena *scratch = arena_create_below(call->arena, SCRATCH_BYTES);
    struct index_builder *builder = guard->thing =
        index_builder_create((size_t)settings->index_memory_bytes);
    const char *folder = ingest_index_folder(call->arena, settings, call->tenant);
    struct segment_row fresh = {.name = ingest_segment_name(call->arena),
                                .document = ARENA_ARRAY(call->arena, int64_t, lost->count + 1)};
    enum error error = builder ? ERROR_NONE : no_memory(call->problem);

    for (size_t i = 0; i < lost->count && !error; i++) {
        if (lost->dead[i])
            continue;
        fresh.document[fresh.count++] = lost->document[i];
        error = index_stored(&all, builder, scratch, lost->document[i]);
    }
    if (!error && fresh.count)
        error = index_builder_finish(builder, folder, fresh.name, &fresh.bytes, call->problem);
    if (!error && fresh.count)
        try_to_share(call, settings, fresh.name);
    if (!error)
        error = document_swap_segments(call, &lost->name, 1, &fresh, false);
    arena_guard_end(guard);
    arena_destroy(scratch);
    return error == ERROR_CONFLICT ? ERROR_NONE : error;
}

enum error ingest_rebuild(const struct document_call *call, const struct support_settings *settings,
                          const struct segment_row *lost)
{
    return fetch_segment(call, settings, lost->name) ? ERROR_NONE : rebuild(call, settings, lost);
}

static bool is_named(const struct segment_rows *rows, const char *name)
{
    for (size_t i = 0; i < rows->count; i++) {
        if (strcmp(rows->items[i].name, name) == 0)
            return true;
    }
    return false;
}

/* Of one folder, without those that `rows` name. */
static void sweep_folder(struct arena *arena, const char *folder, const struct segment_rows *rows,
                         int64_t seconds)
{
    struct arena_guard *guard = arena_guard(arena, arena_close_directory);
    DIR *directory = guard->thing = opendir(folder);
    const struct dirent *entry;
    struct stat about;

    while (directory && (entry = readdir(directory))) {
        if (entry->d_name[0] != '.' && !is_named(rows, entry->d_name) &&
            fstatat(dirfd(directory), entry->d_name, &about, 0) == 0 &&
            about.st_mtime < time(NULL) - seconds)
            unlinkat(dirfd(directory), entry->d_name, 0);
    }
    arena_guard_end(guard);
}

void ingest_forget_passing(struct arena *arena, const struct support_settings *settings)
{
    const struct segment_rows none = {0};

    sweep_folder(arena, passing_folder(arena, settings), &none, PASSING_KEPT_SECONDS);
}

void ingest_sweep(const struct document_call *call, const struct support_settings *settings,
                  int64_t seconds)
{
    struct segment_rows rows;
    int64_t version;

    if (document_segments(call, &version, &rows) == ERROR_NONE)
        sweep_folder(call->arena, ingest_index_folder(call->arena, settings, call->tenant), &rows,
                     seconds);
}
