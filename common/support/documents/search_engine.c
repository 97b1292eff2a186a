/* Writes documents to the search engine, and keeps it in step with the database. */
#include "support/documents/search_engine.h"
#include "base/clock.h"
#include "base/log.h"
#include "support/documents/passages.h"
#include "support/documents/search_engine_internal.h"
#include "support/documents/search_engine_store.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SCRATCH_BYTES = 1 << 28,
    ROUND_SECONDS = 5,
    AWAY_SECONDS = 2,          /* between attempts while it does not answer */
    IDLE_SECONDS = 5,          /* between rounds while there is nothing to do */
    TIDY_SECONDS = 60,         /* until old versions are looked for, or counts compared, again */
    HEALTH_SECONDS = 2,        /* a health check does not wait longer */
    KEPT_SECONDS = 60,         /* an old version: longer than any question takes */
    UNFINISHED_SECONDS = 3600, /* a version that nobody has finished writing */
    DELETIONS_MAX = 100000     /* calls for one tenant: far more than it can need */
};

bool search_engine_is_used(const struct support_settings *settings)
{
    return settings->search_url != NULL;
}

static const char *authorization(const struct support_settings *settings, struct arena *arena)
{
    const char *pair;
    struct text text;

    if (!settings->search_user)
        return NULL;
    pair = arena_print(arena, "%s:%s", settings->search_user,
                       settings->search_password ? settings->search_password : "");
    text_start(&text, arena, 4096);
    text_append_string(&text, "Basic ");
    text_append_base64(&text, pair, strlen(pair));
    return text.bytes;
}

struct opensearch search_engine_server(const struct support_settings *settings, struct arena *arena,
                                       struct shm_region *region)
{
    return (struct opensearch){.url = settings->search_url,
                               .authorization = authorization(settings, arena),
                               .index = settings->search_index,
                               .seconds = settings->search_seconds,
                               .bulk_bytes = settings->search_bulk_bytes,
                               .candidates = settings->search_candidates,
                               .region = region,
                               .breaker_failures =
                                   settings->breaker ? (uint32_t)settings->breaker_failures : 0,
                               .breaker_seconds = settings->breaker_seconds};
}

static void put_body(struct opensearch_writer *writer, struct arena *scratch, int64_t key,
                     int child, const char *header, const char *body, size_t length)
{
    struct passage_list list = passages_of(scratch, body, length);
    struct index_passage *passages = ARENA_ARRAY(scratch, struct index_passage, list.count + 1);

    for (size_t i = 0; i < list.count; i++)
        passages[i] = (struct index_passage){list.items[i].text, list.items[i].length};
    opensearch_writer_chunk(writer, key, child, header, passages, list.count);
}

static void put_chunk(struct opensearch_writer *writer, struct arena *scratch,
                      const struct search_engine_chunk *chunk, bool parent)
{
    struct chunk_list children = {0};

    if (parent)
        children = chunk_children(scratch, chunk->body, chunk->length);
    else
        put_body(writer, scratch, chunk->key, 0, chunk->header, chunk->body, chunk->length);
    for (size_t i = 0; i < children.count; i++)
        put_body(writer, scratch, chunk->key, (int)i, chunk->header, children.items[i].body,
                 children.items[i].length);
    arena_reset(scratch);
}

static enum error write_text(const struct document_call *call, const struct opensearch *server,
                             const struct search_engine_text *text)
{
    const struct opensearch_document document = {call->tenant, text->key, text->language};
    struct arena *scratch = arena_create_below(call->arena, SCRATCH_BYTES);
    struct opensearch_writer *writer = opensearch_writer_start(server, call->arena, &document);

    for (size_t i = 0; i < text->count; i++)
        put_chunk(writer, scratch, &text->chunks[i], text->parents);
    arena_destroy(scratch);
    return opensearch_writer_finish(writer, call->problem);
}

/* `ingest` makes a lost index again; until then the engine is as good as away. */
static enum error as_unavailable(enum error error, struct problem *problem)
{
    if (error != ERROR_NOT_FOUND)
        return error;
    problem->reason = "search_unavailable";
    return problem->error = ERROR_UNAVAILABLE;
}

enum error search_engine_put(const struct document_call *call,
                             const struct support_settings *settings,
                             const struct search_engine_text *text)
{
    const struct opensearch server = search_engine_server(settings, call->arena, NULL);
    enum error error = search_documents_begin(call, text->key);

    if (!error)
        error = write_text(call, &server, text);
    if (!error)
        error = opensearch_refresh(&server, call->arena, call->problem);
    if (!error)
        error = search_documents_end(call, text->key);
    return as_unavailable(error, call->problem);
}

/* From the chunks in the database. */
static enum error index_stored(const struct search_round *round, struct arena *arena,
                               const struct search_document *document)
{
    const struct document_call call = search_round_call(round, arena, document->tenant);
    struct search_engine_text text = {.key = document->key};
    const struct chunk_row *rows;
    struct object_list list;
    enum error error = search_documents_begin(&call, document->key);

    if (!error)
        error = document_chunks(&call, document->key, 0, INT64_MAX, &list);
    if (error || !list.count)
        return error;
    rows = list.items;
    text.language = language_by_code(rows[0].language);
    text.parents = rows[0].parent_child;
    text.count = list.count;
    text.chunks = ARENA_ARRAY(arena, struct search_engine_chunk, list.count);
    for (size_t i = 0; i < list.count; i++)
        text.chunks[i] = (struct search_engine_chunk){rows[i].key, rows[i].header, rows[i].body,
                                                      strlen(rows[i].body)};
    return write_text(&call, &round->server, &text);
}

static enum error mark_indexed(const struct search_round *round,
                               const struct search_document *documents, size_t count)
{
    enum error error = opensearch_refresh(&round->server, round->arena, round->problem);

    for (size_t i = 0; i < count && !error; i++) {
        const struct document_call call =
            search_round_call(round, round->arena, documents[i].tenant);

        error = search_documents_end(&call, documents[i].key);
        if (!error && (i + 1 == count || strcmp(documents[i + 1].tenant, call.tenant) != 0))
            error = search_documents_changed(&call);
    }
    return error;
}

static enum error index_batch(struct search_round *round, struct search_document *last, bool *more)
{
    struct search_document *batch =
        ARENA_ARRAY(round->arena, struct search_document, SEARCH_BATCH_DOCUMENTS);
    struct arena *scratch =
        arena_create_below(round->arena, (size_t)round->settings->index_memory_bytes);
    enum error error = ERROR_NONE;
    bool found = true;
    size_t count = 0;

    while (!error && found && count < SEARCH_BATCH_DOCUMENTS &&
           !(count && search_round_is_over(round))) {
        error = search_documents_next(round->db, round->arena, last, &batch[count], &found,
                                      round->problem);
        if (!error && found) {
            error = index_stored(round, scratch, &batch[count]);
            *last = batch[count++];
        }
        arena_reset(scratch);
    }
    arena_destroy(scratch);
    *more = found;
    return error || !count ? error : mark_indexed(round, batch, count);
}

static void log_progress(const struct search_round *round)
{
    char text[80];
    int64_t left = 0;

    if (search_documents_lag(round->db, &left, round->problem))
        return;
    snprintf(text, sizeof text, "%lld documents are still to be indexed", (long long)left);
    log_event(LOG_INFO, "search_engine_fed", text);
}

static enum error index_missing(struct search_round *round)
{
    struct search_document last = {"", 0};
    bool more = true, any = false;
    enum error error = ERROR_NONE;

    while (!error && more && !search_round_is_over(round)) {
        error = index_batch(round, &last, &more);
        any |= *last.tenant != 0;
    }
    if (any && !error)
        log_progress(round);
    round->worked |= any;
    return error;
}

/* Monotonic microseconds. */
static int64_t in_seconds(int seconds)
{
    return clock_monotonic_microseconds() + (int64_t)seconds * 1000000;
}

/* What fails last does not hide what failed first. */
static enum error first_of(struct search_round *round, const struct problem *first,
                           enum error error)
{
    if (!error && first->error)
        *round->problem = *first;
    return error ? error : first->error;
}

/* The words of a version, then its vectors. Where only these stay, it is tried again later: the
 * others do not wait for it. `*vectors` is what failed of them first. */
static enum error remove_version(const struct search_round *round,
                                 const struct search_engine_feed *feed,
                                 const struct search_document *gone, struct problem *vectors)
{
    const struct document_call call = search_round_call(round, round->arena, gone->tenant);
    enum error error =
        opensearch_remove(&round->server, round->arena, gone->tenant, gone->key, round->problem);

    if (error)
        return error;
    if (!search_round_remove_vectors(round, feed, gone))
        return search_documents_drop(&call, gone->key);
    if (!vectors->error)
        *vectors = *round->problem;
    return search_documents_postpone(&call, gone->key);
}

static enum error remove_gone(struct search_round *round, struct search_engine_feed *feed)
{
    enum error error = search_documents_note_gone(round->db, UNFINISHED_SECONDS, round->problem);
    struct problem vectors = {0};

    while (!error && !search_round_is_over(round)) {
        struct search_document gone;
        bool found;

        error = search_documents_next_gone(round->db, round->arena, KEPT_SECONDS, &gone, &found,
                                           round->problem);
        if (!error && !found)
            feed->tidy_at = in_seconds(TIDY_SECONDS);
        if (error || !found)
            break;
        error = remove_version(round, feed, &gone, &vectors);
        round->worked = true;
    }
    return first_of(round, &vectors, error);
}

/* Deletes what is of no version that the database knows of: as after a restore of the database. */
static enum error remove_unknown(const struct search_round *round, const char *tenant)
{
    struct arena *scratch =
        arena_create_below(round->arena, (size_t)round->settings->index_memory_bytes);
    const struct document_call call = search_round_call(round, scratch, tenant);
    enum error error = ERROR_NONE;
    bool none = false;

    for (int i = 0; i < DELETIONS_MAX && !error && !none; i++) {
        struct integer_list known;

        error = search_documents_known(&call, &known); /* read anew: uploads add to it */
        if (!error)
            error = opensearch_remove_others(&round->server, scratch, tenant, &known, &none,
                                             round->problem);
        arena_reset(scratch);
    }
    arena_destroy(scratch);
    return error;
}

static enum error counts_differ(const struct search_round *round, const char *tenant, bool *differ)
{
    const struct document_call call = search_round_call(round, round->arena, tenant);
    struct opensearch_scope scope = {.tenant = tenant};
    struct opensearch_totals totals;
    struct search_documents documents;
    enum error error = search_documents_read(&call, &documents, &scope.hidden);

    *differ = false;
    if (error || documents.missing)
        return error;
    scope.newest = documents.newest;
    scope.gone = documents.gone;
    error = opensearch_read_totals(&round->server, round->arena, &scope, &totals, round->problem);
    *differ = !error && totals.parents != documents.chunks;
    return error;
}

/* What is too much is deleted, of the vectors last. If that is not all, the tenant is indexed anew:
 * its searches stop using the engine first. */
static enum error repair(const struct search_round *round, const struct search_engine_feed *feed,
                         const char *tenant)
{
    bool differ;
    enum error error = remove_unknown(round, tenant);

    if (!error)
        error = counts_differ(round, tenant, &differ);
    if (!error && differ) {
        log_event(LOG_WARNING, "search_engine_incomplete", tenant);
        error = search_documents_forget(round->db, tenant, round->problem);
        if (!error)
            error = remove_unknown(round, tenant);
    }
    return error ? error : search_round_remove_unknown_vectors(round, feed, tenant);
}

/* An engine that was restored from an older copy has its index, but not all of its chunks; with a
 * database that was restored it has too many. */
static enum error compare_counts(struct search_round *round, struct search_engine_feed *feed)
{
    const char *tenant;
    bool differ = false;
    enum error error =
        document_next_tenant(round->db, round->arena, feed->checked, &tenant, round->problem);

    snprintf(feed->checked, sizeof feed->checked, "%s", tenant && !error ? tenant : "");
    if (!error && tenant)
        error = counts_differ(round, tenant, &differ);
    else if (!error)
        feed->compare_at = in_seconds(TIDY_SECONDS);
    if (!error && tenant && !differ)
        error = search_round_compare_vectors(round, feed, tenant);
    round->worked |= differ;
    return error || !differ ? error : repair(round, feed, tenant);
}

static enum error make_index(struct search_round *round)
{
    enum error error = opensearch_check(&round->server, round->arena, round->problem);

    if (error != ERROR_NOT_FOUND)
        return error;
    log_event(LOG_WARNING, "search_engine_index_made", round->server.index);
    error = search_documents_forget(round->db, NULL, round->problem);
    return error ? error
                 : opensearch_create(&round->server, round->arena, round->settings->search_shards,
                                     round->settings->search_copies, round->problem);
}

/* What fails of the vectors does not stop what the words need. */
static enum error run_round(struct search_round *round, struct search_engine_feed *feed)
{
    int64_t now = clock_monotonic_microseconds();
    struct problem vectors = {0};
    enum error error = make_index(round);

    if (!error)
        error = index_missing(round);
    if (error)
        return error;
    if (search_round_write_vectors(round, feed))
        vectors = *round->problem;
    if (now >= feed->tidy_at)
        error = remove_gone(round, feed);
    if (!error && now >= feed->compare_at)
        error = compare_counts(round, feed);
    return first_of(round, &vectors, error);
}

enum error search_engine_feed(struct db *db, struct arena *arena,
                              const struct support_settings *settings,
                              struct search_engine_feed *feed, bool *worked,
                              struct problem *problem)
{
    int64_t now = clock_monotonic_microseconds();
    struct search_round round = {.db = db,
                                 .arena = arena,
                                 .settings = settings,
                                 .until = now + (int64_t)ROUND_SECONDS * 1000000,
                                 .problem = problem};
    enum error error;

    *worked = false;
    if (!search_engine_is_used(settings) || now < feed->pause_until)
        return ERROR_NONE;
    round.server = search_engine_server(settings, arena, NULL);
    error = as_unavailable(run_round(&round, feed), problem);
    *worked = round.worked && !error;
    if (error == ERROR_UNAVAILABLE && strcmp(problem->reason, "search_unavailable") == 0) {
        if (!feed->away)
            log_event(LOG_WARNING, "search_engine_away", problem->text);
        feed->away = true;
        feed->pause_until = in_seconds(AWAY_SECONDS);
        return ERROR_NONE;
    }
    if (!error && !*worked)
        feed->pause_until = in_seconds(IDLE_SECONDS);
    if (!error && feed->away)
        log_event(LOG_INFO, "search_engine_back", settings->search_index);
    feed->away = feed->away && error;
    return error;
}

enum error search_engine_status_read(struct db *db, struct arena *arena,
                                     const struct support_settings *settings,
                                     struct shm_region *region, struct search_engine_status *status,
                                     struct problem *problem)
{
    int64_t started = clock_monotonic_microseconds();
    struct problem why = {0};
    struct opensearch server;

    *status = (struct search_engine_status){.used = search_engine_is_used(settings)};
    if (!status->used)
        return ERROR_NONE;
    server = search_engine_server(settings, arena, region);
    server.seconds = fmin(server.seconds, HEALTH_SECONDS);
    status->answers = opensearch_check(&server, arena, &why) == ERROR_NONE;
    status->failure = status->answers ? NULL : arena_copy_string(arena, why.text);
    status->milliseconds = (double)(clock_monotonic_microseconds() - started) / 1000;
    return search_engine_vectors_used(db, arena, &status->vectors, &status->lag, problem);
}
