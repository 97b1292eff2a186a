/* Shared files while their object store is away, on both engines: nobody listens at its address. */
#include "../db/fixture.h"

#include "support/answer/knowledge.h"
#include "support/documents/originals.h"
#include "support/documents/task.h"

#include <dirent.h>

enum { ROUNDS = 5 /* more than a job has attempts */ };

#define NOWHERE "http://127.0.0.1:1/bucket"
#define TEXT "<h1>Returns</h1><p>Goods can be returned with a receipt."

struct bench {
    struct support_settings settings;
    struct document_call call;
};
static struct bench bench;

static const char *nothing(const char *name)
{
    (void)name;
    return NULL;
}

static void bench_make(struct store *store)
{
    static const struct db_schema schema = {.directory = "sql/support"};

    CHECK_OK(db_migrate(store->db, &schema, &store->problem));
    bench = (struct bench){.call = {store->db, store->arena, "default", &store->problem}};
    CHECK_OK(support_settings_load(&bench.settings, store->arena, nothing, &store->problem));
    bench.settings.data_directory = arena_print(store->arena, "%s/data", store->directory);
    bench.settings.blob_url = "database";
    bench.settings.blob_seconds = 1;
}

/* What is stored, and what will be, is in a store that is away. */
static void store_goes(struct store *store)
{
    bench.settings.blob_url = NOWHERE;
    bench.settings.blob_access_key = bench.settings.blob_secret_key = "key";
    CHECK_OK(store_script(store, store->db, "UPDATE kb_blobs SET place = 's3'"));
}

static void store_comes(struct store *store)
{
    bench.settings.blob_url = "database";
    CHECK_OK(store_script(store, store->db, "UPDATE kb_blobs SET place = 'database'"));
}

/* In the folder of uploads, as files of one host are. */
static const char *write_file(struct store *store, const char *name)
{
    const char *path =
        arena_print(store->arena, "%s/%s",
                    ingest_upload_folder(store->arena, &bench.settings, "default"), name);
    FILE *file = fopen(path, "wbe");

    CHECK(file && fprintf(file, "%s %s.", TEXT, name) > 0 && fclose(file) == 0);
    return path;
}

static enum error ingest(struct store *store, const char *name)
{
    const struct ingest_request request = {.path = write_file(store, name), .doc_id = name};
    struct ingest_result result;

    return ingest_document(&bench.call, &bench.settings, &request, &result);
}

static struct job_counts run_tasks(struct store *store)
{
    struct arena *arena = arena_create((size_t)1 << 28);
    struct job_counts counts = {0};
    const struct task_runner runner = {.settings = &bench.settings};

    CHECK_OK(store_script(store, store->db, "UPDATE jobs SET due_at = 0 WHERE state = 'waiting'"));
    CHECK_OK(task_run_due(store->db, arena, &runner, 10, &counts, &store->problem));
    arena_destroy(arena);
    return counts;
}

static const char *status_of(struct store *store, const char *id)
{
    struct task task = {.status = ""};

    CHECK_OK(task_find(&bench.call, id, &task));
    return task.status;
}

static int64_t segment_files(struct store *store)
{
    DIR *directory = opendir(ingest_index_folder(store->arena, &bench.settings, "default"));
    const struct dirent *entry;
    int64_t count = 0;

    CHECK(directory != NULL);
    while ((entry = readdir(directory)))
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static void remove_segments(struct store *store)
{
    fixture_remove(ingest_index_folder(store->arena, &bench.settings, "default"));
}

/* Its original is stored. */
static const char *submit(struct store *store, const char *name)
{
    const struct ingest_request request = {.path = write_file(store, name), .doc_id = name};
    const char *id = "";

    CHECK_OK(task_submit(&bench.call, &bench.settings, &request, &id));
    return id;
}

ON_BOTH(an_upload_that_waits_outlasts_the_object_store)
{
    const char *id;

    bench_make(store);
    id = submit(store, "a.html");
    store_goes(store);
    for (int round = 0; round < ROUNDS; round++) {
        if (round == ROUNDS - 1)
            bench.settings.blob_secret_key = NULL; /* a host without the new settings */
        CHECK_INT(run_tasks(store).postponed, 1);
        CHECK_TEXT(status_of(store, id), "RETRY");
    }
    store_comes(store);
    CHECK_INT(run_tasks(store).done, 1);
    CHECK_TEXT(status_of(store, id), "SUCCESS");
}

ON_BOTH(a_host_without_segments_answers_while_the_object_store_is_away)
{
    struct knowledge_cache *cache = knowledge_cache_create();
    const struct search_term term = {"receipt", strlen("receipt"), 1};
    struct knowledge knowledge;
    struct search_hit hits[5];

    bench_make(store);
    CHECK_OK(ingest(store, "a.html"));
    remove_segments(store);
    store_goes(store);
    CHECK_OK(knowledge_open(cache, &bench.call, &bench.settings, &knowledge));
    CHECK_INT(search_index_best(knowledge.index, store->arena, &term, 1, hits, 5), 1);
    knowledge_cache_destroy(cache);
}

ON_BOTH(segments_that_cannot_be_shared_do_not_pile_up)
{
    bench_make(store);
    CHECK_OK(ingest(store, "a.html"));
    submit(store, "b.html");
    store_goes(store);
    for (int i = 0; i < 2; i++)
        CHECK_FAILS(ingest(store, "b.html"), ERROR_UNAVAILABLE, "object_store_away");
    CHECK_INT(segment_files(store), 1);
}

static struct originals_counts check_originals(struct store *store)
{
    struct originals_counts counts;

    CHECK_OK(originals_check(store->db, store->arena, &bench.settings, &counts, &store->problem));
    return counts;
}

static struct originals_counts move_originals(struct store *store)
{
    struct originals_counts counts;

    CHECK_OK(originals_move(store->db, store->arena, &bench.settings, &counts, &store->problem));
    return counts;
}

static const struct statement count_rows = {
    .name = "test_count_blobs",
    .sql = "SELECT (SELECT count(*) FROM kb_blobs) + (SELECT count(*) FROM kb_blob_parts)",
};

static int64_t rows_of_blobs(struct store *store)
{
    struct query *query = db_query(store->db, &count_rows);
    int64_t count = query_next(query) ? query_integer(query, 0) : -1;

    CHECK_OK(query_end(query, &store->problem));
    return count;
}

ON_BOTH(a_damaged_original_is_missing_and_can_be_stored_again)
{
    struct originals_counts counts;

    bench_make(store);
    CHECK_OK(ingest(store, "a.html"));
    CHECK_INT(check_originals(store).missing, 0);
    CHECK_OK(store_script(store, store->db,
                          "UPDATE kb_blobs SET sha256 = 'other' WHERE kind = 'original'"));
    counts = check_originals(store);
    CHECK_INT(counts.missing, 1);
    CHECK_INT(counts.failed, 0);
    CHECK_INT(move_originals(store).moved, 1);
    CHECK_INT(check_originals(store).missing, 0);
}

ON_BOTH(a_move_to_files_frees_the_copies)
{
    bench_make(store);
    CHECK_OK(ingest(store, "a.html"));
    CHECK_OK(ingest(store, "b.html"));
    CHECK(rows_of_blobs(store) >= 8);
    unlink(write_file(store, "a.html"));
    bench.settings.blob_url = "files";
    CHECK_INT(move_originals(store).moved, 1);
    CHECK_INT(rows_of_blobs(store), 0);
    CHECK_INT(check_originals(store).missing, 0);
}

ON_BOTH(a_move_to_files_keeps_what_a_task_waits_for)
{
    const char *id;

    bench_make(store);
    CHECK_OK(ingest(store, "a.html"));
    id = submit(store, "a.html");
    bench.settings.blob_url = "files";
    CHECK_INT(move_originals(store).failed, 0);
    CHECK_INT(rows_of_blobs(store), 2);
    CHECK_INT(run_tasks(store).done, 1);
    CHECK_TEXT(status_of(store, id), "SUCCESS");
    move_originals(store);
    CHECK_INT(rows_of_blobs(store), 0);
}

ON_BOTH(a_sweep_says_that_there_is_more)
{
    bool more = true;
    int rounds = 0;

    bench_make(store);
    CHECK_OK(store_script(
        store, store->db,
        "INSERT INTO kb_blobs (tenant_id, kind, name, object, place, size_bytes, sha256, stored_at,"
        " ready) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)"
        " SELECT 'default', 'original', 'name' || i, 'object' || i, 'database', 1, '', 0, 1"
        " FROM n"));
    while (more && rounds++ < 10)
        CHECK_OK(blobs_sweep(store->db, store->arena, &bench.settings, &more, &store->problem));
    CHECK_INT(rounds, 3);
    CHECK_INT(rows_of_blobs(store), 0);
}

TEST_MAIN(CASE(an_upload_that_waits_outlasts_the_object_store),
          CASE(a_host_without_segments_answers_while_the_object_store_is_away),
          CASE(segments_that_cannot_be_shared_do_not_pile_up),
          CASE(a_damaged_original_is_missing_and_can_be_stored_again),
          CASE(a_move_to_files_frees_the_copies), CASE(a_move_to_files_keeps_what_a_task_waits_for),
          CASE(a_sweep_says_that_there_is_more))
