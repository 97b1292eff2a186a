/* Documents into the knowledge base and out again, on both engines: versions, duplicates, lost
 * segments, merging, deletion, and the readers of untrusted files. */
#include "../db/fixture.h"

#include "support/answer/knowledge.h"
#include "support/documents/draft_store.h"
#include "support/documents/reindex.h"
#include "support/documents/task.h"
#include "support/documents/upload_name_store.h"

#include <fcntl.h>
#include <sys/file.h>

#define POLICY "# Returns\n\nGoods can be returned within 14 days.\n\nA receipt is needed.\n"

struct bench {
    struct support_settings settings;
    struct document_call call;
    struct knowledge_cache *cache;
};

static const char *nothing(const char *name)
{
    (void)name;
    return NULL;
}

static void bench_make(struct bench *bench, struct store *store)
{
    static const struct db_schema schema = {.directory = "sql/support"};

    CHECK_OK(db_migrate(store->db, &schema, &store->problem));
    bench->settings = (struct support_settings){0};
    CHECK_OK(support_settings_load(&bench->settings, store->arena, nothing, &store->problem));
    bench->settings.data_directory = arena_print(store->arena, "%s/data", store->directory);
    bench->call = (struct document_call){store->db, store->arena, "default", &store->problem};
    bench->cache = knowledge_cache_create();
}

static struct ingest_result ingest(struct bench *bench, struct store *store, const char *name,
                                   const char *text)
{
    struct ingest_result result = {.version = -1};
    struct ingest_request order = {.text = text, .doc_id = name};

    CHECK_OK(ingest_document(&bench->call, &bench->settings, &order, &result));
    return result;
}

/* How many chunks hold the stem, as a worker sees it now. */
/* A word of its own for each number up to 99, which no stemmer changes: "wbbx", "wbcx" ... */
static const char *own_word(struct store *store, int number)
{
    static const char letters[] = "bcdfghkmnp";

    return arena_print(store->arena, "w%c%cx", letters[number / 10], letters[number % 10]);
}

static int64_t holding(struct bench *bench, struct store *store, const char *stem)
{
    struct knowledge knowledge;
    struct search_term term = {stem, strlen(stem), 1};
    struct search_hit hits[50];

    CHECK_OK(knowledge_open(bench->cache, &bench->call, &bench->settings, &knowledge));
    return (int64_t)search_index_best(knowledge.index, store->arena, &term, 1, hits, 50);
}

ON_BOTH(a_version_replaces_the_one_before)
{
    struct bench bench;
    struct ingest_result result;

    bench_make(&bench, store);
    result = ingest(&bench, store, "a.md", POLICY);
    CHECK_INT(result.version, 1);
    CHECK_INT(result.chunks, 1);
    CHECK_INT(holding(&bench, store, "receipt"), 1);
    result = ingest(&bench, store, "a.md", POLICY);
    CHECK(result.deduplicated);
    CHECK_INT(result.version, 1);
    result = ingest(&bench, store, "a.md", "# Returns\n\nVouchers are accepted.\n");
    CHECK_INT(result.version, 2);
    CHECK_INT(holding(&bench, store, "receipt"), 0);
    CHECK_INT(holding(&bench, store, "voucher"), 1);
    ingest(&bench, store, "b.md", "# Returns\n\nVouchers are accepted.\n"); /* by another name */
    CHECK_INT(holding(&bench, store, "voucher"), 2);
    knowledge_cache_destroy(bench.cache);
}

ON_BOTH(tenants_do_not_see_each_other)
{
    struct bench bench;

    bench_make(&bench, store);
    ingest(&bench, store, "a.md", POLICY);
    bench.call.tenant = "other";
    CHECK_INT(holding(&bench, store, "receipt"), 0);
    ingest(&bench, store, "a.md", "# X\n\nSomething else.\n");
    CHECK_INT(holding(&bench, store, "someth"), 1);
    bench.call.tenant = "default";
    CHECK_INT(holding(&bench, store, "receipt"), 1);
    CHECK_INT(holding(&bench, store, "someth"), 0);
    knowledge_cache_destroy(bench.cache);
}

/* The file of the last segment, of so many. */
static const char *last_segment(struct bench *bench, struct store *store, size_t count)
{
    struct segment_rows rows;
    int64_t version;

    CHECK_OK(document_segments(&bench->call, &version, &rows));
    CHECK_INT(rows.count, count);
    return arena_print(store->arena, "%s/%s",
                       ingest_index_folder(store->arena, &bench->settings, "default"),
                       rows.items[count - 1].name);
}

static const char *only_segment(struct bench *bench, struct store *store)
{
    return last_segment(bench, store, 1);
}

ON_BOTH(a_lost_or_damaged_segment_is_built_again)
{
    struct bench bench;
    int fd;

    bench_make(&bench, store);
    ingest(&bench, store, "a.md", POLICY);
    CHECK(unlink(only_segment(&bench, store)) == 0);
    CHECK_INT(holding(&bench, store, "receipt"), 1);
    fd = open(only_segment(&bench, store), O_WRONLY | O_CLOEXEC);
    CHECK(pwrite(fd, "damage", 6, 300) == 6);
    close(fd);
    knowledge_cache_destroy(bench.cache); /* as a worker that starts now */
    bench.cache = knowledge_cache_create();
    CHECK_INT(holding(&bench, store, "receipt"), 1);
    knowledge_cache_destroy(bench.cache);
}

/* What the program does when it starts: an older format and a lost file alike, whole ones stay. */
ON_BOTH(the_program_mends_segments_before_they_are_asked_for)
{
    struct bench bench;
    const char *path;
    uint32_t version = 1;
    int64_t rebuilt = 0;
    int fd;

    bench_make(&bench, store);
    ingest(&bench, store, "a.md", POLICY);
    CHECK_OK(reindex_mend(store->db, &bench.settings, &rebuilt, &store->problem));
    CHECK_INT(rebuilt, 0);
    path = only_segment(&bench, store);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    CHECK(pwrite(fd, &version, sizeof version, 4) == sizeof version);
    close(fd);
    CHECK_OK(reindex_mend(store->db, &bench.settings, &rebuilt, &store->problem));
    CHECK_INT(rebuilt, 1);
    CHECK(strcmp(path, only_segment(&bench, store)) != 0);
    CHECK(unlink(only_segment(&bench, store)) == 0);
    CHECK_OK(reindex_mend(store->db, &bench.settings, &rebuilt, &store->problem));
    CHECK_INT(rebuilt, 2);
    path = only_segment(&bench, store);
    CHECK_INT(holding(&bench, store, "receipt"), 1);
    CHECK_TEXT(path, only_segment(&bench, store)); /* nothing was left for the question to mend */
    knowledge_cache_destroy(bench.cache);
}

static void put(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wbe");

    CHECK(file && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
}

static void add_many(struct store *store, int tenants, int documents)
{
    static const char script[] =
        "INSERT INTO kb_state (tenant_id, version, next_key)"
        " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
        " SELECT 'a' || i, 1, 1 FROM n;"
        "INSERT INTO kb_documents (tenant_id, doc_id, document_key, version, title, source,"
        " file_type, language, content_hash, size_bytes, categories, page_count, chunk_count,"
        " auto_generated, last_updated, created_at)"
        " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
        " SELECT 'default', 'd' || i, i + 1000, 1, 't', 's', 'md', 'en', '', 1, '[]', 1, 1, 0,"
        " '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' FROM n";

    CHECK_OK(store_script(store, store->db, arena_print(store->arena, script, tenants, documents)));
}

/* As many tenants and documents as no list of them should hold; what matters comes last. */
ON_BOTH(every_document_of_every_tenant_is_looked_at)
{
    struct bench bench;
    int64_t documents = 0, rebuilt = 0;
    const char *path, *text;

    bench_make(&bench, store);
    add_many(store, store->engine == DB_SQLITE ? 10001 : 301,
             store->engine == DB_SQLITE ? 100001 : 301);
    ingest(&bench, store, "z.md", POLICY);
    CHECK(unlink(only_segment(&bench, store)) == 0);
    CHECK_OK(reindex_mend(store->db, &bench.settings, &rebuilt, &store->problem));
    CHECK_INT(rebuilt, 1);

    path = ingest_upload_folder(store->arena, &bench.settings, "default");
    text = arena_print(store->arena, "# Returns\n\nVouchers.%*s\n", (int)strlen(POLICY) - 21, "");
    put(arena_print(store->arena, "%s/z.md", path), text, strlen(POLICY));
    CHECK_OK(reindex_all(store->db, &bench.settings, NULL, &documents, &store->problem));
    CHECK_INT(documents, 1); /* of an older program: the size is the same */
    CHECK_INT(holding(&bench, store, "voucher"), 1);
    knowledge_cache_destroy(bench.cache);
}

/* A host that has the file of an older version has nothing to index anew. */
ON_BOTH(a_file_of_another_version_is_not_read)
{
    struct bench bench;
    struct ingest_request order = {.doc_id = "a.md"};
    struct ingest_result result;
    int64_t documents = 0;

    bench_make(&bench, store);
    order.path = arena_print(store->arena, "%s/a.md",
                             ingest_upload_folder(store->arena, &bench.settings, "default"));
    put(order.path, POLICY, strlen(POLICY));
    CHECK_OK(ingest_document(&bench.call, &bench.settings, &order, &result));
    CHECK_OK(reindex_all(store->db, &bench.settings, NULL, &documents, &store->problem));
    CHECK_INT(documents, 1);
    put(order.path, "# Old\n\nVouchers.\n", 17);
    CHECK_OK(reindex_all(store->db, &bench.settings, NULL, &documents, &store->problem));
    CHECK_INT(documents, 1);
    CHECK_INT(holding(&bench, store, "receipt"), 1);
    put(order.path, POLICY "\n\n", strlen(POLICY) + 2); /* the same text from another file */
    CHECK_OK(ingest_document(&bench.call, &bench.settings, &order, &result));
    CHECK(result.deduplicated);
    CHECK_OK(reindex_all(store->db, &bench.settings, NULL, &documents, &store->problem));
    CHECK_INT(documents, 2);
    knowledge_cache_destroy(bench.cache);
}

/* Paragraphs that each name a lot of their own, in one section. */
static const char *long_text(struct store *store, int paragraphs)
{
    struct text text;

    text_start(&text, store->arena, 1 << 16);
    text_append_string(&text, "# Lots\n");
    for (int i = 0; i < paragraphs; i++)
        text_append_format(&text,
                           "\nLot %s stands behind the hall, next to the gate, and is open from "
                           "Monday to Friday between eight and six. Keys of it are kept by the "
                           "porter, who writes down whoever takes one.\n",
                           own_word(store, i));
    return text.bytes;
}

static struct knowledge_chunk chunk_with(struct bench *bench, struct store *store, const char *stem)
{
    struct knowledge knowledge;
    struct knowledge_chunk chunk = {.body = ""};
    struct search_term term = {stem, strlen(stem), 1};
    struct search_hit hit;
    bool found = false;

    CHECK_OK(knowledge_open(bench->cache, &bench->call, &bench->settings, &knowledge));
    if (search_index_best(knowledge.index, store->arena, &term, 1, &hit, 1))
        CHECK_OK(knowledge_read(&knowledge, hit.chunk, &chunk, &found));
    CHECK(found);
    return chunk;
}

/* How much is searched: children each, chunks without any too. */
static int64_t searched(struct bench *bench, struct store *store)
{
    struct knowledge knowledge;

    CHECK_OK(knowledge_open(bench->cache, &bench->call, &bench->settings, &knowledge));
    return search_index_totals(knowledge.index).chunks;
}

static int64_t told_apart(struct store *store, bool parent_child)
{
    int64_t count;

    CHECK_OK(document_count_cut(store->db, parent_child, &count, &store->problem));
    return count;
}

/* Children are found as their parents, also once the index was built again under other settings;
 * what was there before stays as it is, and both are found. */
ON_BOTH(parents_are_found_by_their_children)
{
    struct bench bench;
    struct ingest_result plain, parents;
    struct knowledge_chunk chunk;
    int64_t children;

    bench_make(&bench, store);
    plain = ingest(&bench, store, "plain.md", long_text(store, 30));
    bench.settings.parent_child = true;
    parents = ingest(&bench, store, "parents.md", long_text(store, 31));
    CHECK(parents.chunks * 13 < plain.chunks * 10); /* 1200 and 200 in place of 800 and 200 */
    CHECK_INT(holding(&bench, store, "porter"), plain.chunks + parents.chunks);
    children = searched(&bench, store) - plain.chunks;
    CHECK(children >= 4 * parents.chunks);
    CHECK_INT(told_apart(store, true), 1);
    CHECK_INT(told_apart(store, false), 1);
    bench.settings.parent_child = false;
    CHECK_INT(unlink(last_segment(&bench, store, 2)), 0);
    chunk = chunk_with(&bench, store, own_word(store, 30));
    CHECK_TEXT(chunk.doc_id, "parents.md");
    CHECK(strstr(chunk.body, own_word(store, 30)) && strstr(chunk.body, own_word(store, 27)));
    CHECK(strlen(chunk.body) <= 1200);
    CHECK_INT(holding(&bench, store, "porter"), plain.chunks + parents.chunks);
    CHECK_INT(searched(&bench, store), plain.chunks + children);
    knowledge_cache_destroy(bench.cache);
}

ON_BOTH(many_small_segments_become_one)
{
    struct bench bench;
    struct segment_rows rows;
    int64_t version;

    bench_make(&bench, store);
    for (int i = 0; i < 25; i++)
        ingest(&bench, store, arena_print(store->arena, "d%d.md", i),
               arena_print(store->arena, "# D\n\nCommon word and %s.\n", own_word(store, i)));
    ingest(&bench, store, "d3.md", "# D\n\nReplaced.\n");
    CHECK_OK(document_segments(&bench.call, &version, &rows));
    CHECK(rows.count < 12);
    CHECK_INT(holding(&bench, store, "common"), 24);
    CHECK_INT(holding(&bench, store, own_word(store, 3)), 0);
    CHECK_INT(holding(&bench, store, own_word(store, 24)), 1);
    CHECK_INT(holding(&bench, store, "replac"), 1);
    knowledge_cache_destroy(bench.cache);
}

static size_t count_segments(struct bench *bench, struct store *store)
{
    struct segment_rows rows;
    int64_t version;

    CHECK_OK(document_segments(&bench->call, &version, &rows));
    return rows.count;
}

/* What uploads side by side leave: while somebody merges, the others do not. The program makes few
 * of them, also when one is damaged. */
ON_BOTH(the_program_merges_what_uploads_left)
{
    struct bench bench;
    const char *lock;
    int fd;

    bench_make(&bench, store);
    lock = arena_print(store->arena, "%s/.merging",
                       ingest_index_folder(store->arena, &bench.settings, "default"));
    fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    CHECK_INT(flock(fd, LOCK_EX), 0);
    for (int i = 0; i < 80; i++)
        ingest(&bench, store, arena_print(store->arena, "d%d.md", i),
               arena_print(store->arena, "# D\n\nCommon word and %s.\n", own_word(store, i)));
    CHECK_INT(count_segments(&bench, store), 80);
    CHECK_OK(reindex_merge(store->db, &bench.settings, &store->problem));
    CHECK_INT(count_segments(&bench, store), 80);
    close(fd);
    CHECK_OK(reindex_merge(store->db, &bench.settings, &store->problem));
    CHECK(count_segments(&bench, store) < INGEST_SEGMENTS_FEW);
    CHECK_INT(holding(&bench, store, "common"), 50); /* as many as it asks for */
    for (int i = 0; i < 80; i++)
        CHECK_INT(holding(&bench, store, own_word(store, i)), 1);
    fd = open(lock, O_RDWR | O_CLOEXEC);
    CHECK_INT(flock(fd, LOCK_EX), 0);
    for (int i = 0; i < 10; i++)
        ingest(&bench, store, arena_print(store->arena, "e%d.md", i), "# E\n\nEach the same.\n");
    close(fd);
    CHECK_INT(unlink(last_segment(&bench, store, count_segments(&bench, store))), 0);
    CHECK_OK(reindex_merge(store->db, &bench.settings, &store->problem));
    CHECK_OK(reindex_merge(store->db, &bench.settings, &store->problem));
    CHECK(count_segments(&bench, store) < INGEST_SEGMENTS_FEW);
    CHECK_INT(holding(&bench, store, "same"), 10);
    knowledge_cache_destroy(bench.cache);
}

ON_BOTH(a_deleted_document_is_gone)
{
    struct bench bench;
    bool found;

    bench_make(&bench, store);
    ingest(&bench, store, "a.md", POLICY);
    CHECK_OK(document_delete(&bench.call, "a.md", &found));
    CHECK(found);
    CHECK_INT(holding(&bench, store, "receipt"), 0);
    CHECK_OK(document_delete(&bench.call, "a.md", &found));
    CHECK(!found);
    knowledge_cache_destroy(bench.cache);
}

/* Every statement of an ingestion fails once: the old version is served whole, and the next try
 * puts everything right. */
ON_BOTH(a_failure_at_any_step_leaves_the_old_version)
{
    struct bench bench;
    struct ingest_result result;
    int64_t step = 0;
    enum error error = ERROR_UNAVAILABLE;

    bench_make(&bench, store);
    ingest(&bench, store, "a.md", POLICY);
    while (error && ++step < 100) {
        struct ingest_request order = {.text = "# V\n\nVoucher.\n", .doc_id = "a.md"};

        db_fail_after(store->db, step);
        error = ingest_document(&bench.call, &bench.settings, &order, &result);
        db_fail_after(store->db, 0);
        if (error) {
            int64_t old = holding(&bench, store, "receipt"),
                    fresh = holding(&bench, store, "voucher");

            CHECK_INT(old + fresh, 1); /* one or the other: a failure behind the commit is late */
        }
    }
    CHECK(step > 8 && step < 100);
    CHECK_INT(holding(&bench, store, "receipt"), 0);
    CHECK_INT(holding(&bench, store, "voucher"), 1);
    knowledge_cache_destroy(bench.cache);
}

static const char *claimed(struct bench *bench, struct store *store, const char *name)
{
    const char *doc_id = "";

    CHECK_OK(upload_name_claim(&bench->call, name, "a_b.md", &doc_id));
    return doc_id;
}

/* Documents of older versions have no names: a number passes them by, their own name does not. */
ON_BOTH(a_numbered_name_replaces_no_document)
{
    struct bench bench;

    bench_make(&bench, store);
    ingest(&bench, store, "a_b.md", POLICY);
    ingest(&bench, store, "a_b-2.md", POLICY);
    bench.call.tenant = "other";
    ingest(&bench, store, "a_b-3.md", POLICY);
    bench.call.tenant = "default";
    CHECK_TEXT(claimed(&bench, store, "a_b.md"), "a_b.md");
    CHECK_TEXT(claimed(&bench, store, "a b.md"), "a_b-3.md");
    CHECK_TEXT(claimed(&bench, store, "a+b.md"), "a_b-4.md");
    CHECK_TEXT(claimed(&bench, store, "a b.md"), "a_b-3.md"); /* stays */
    knowledge_cache_destroy(bench.cache);
}

static const char *submitted(struct bench *bench, struct store *store, const char *moment)
{
    const char *id = "", *path = arena_print(store->arena, "%s/stray.md", store->directory);

    put(path, POLICY, strlen(POLICY));
    CHECK_OK(task_submit(&bench->call, &bench->settings,
                         &(struct ingest_request){.path = path, .doc_id = "stray.md"}, &id));
    CHECK_OK(store_script(store, store->db,
                          arena_print(store->arena,
                                      "UPDATE tasks SET created_at = '%s' WHERE task_id = '%s'",
                                      moment, id)));
    return id;
}

static bool is_adopted(struct bench *bench, struct store *store, const char *id,
                       struct task_place *place)
{
    struct support_settings here = bench->settings;
    struct task before = {.host = ""}, after = {.host = ""};

    here.data_directory = arena_print(store->arena, "%s/here", store->directory);
    CHECK_OK(task_find(&bench->call, id, &before));
    CHECK_OK(task_adopt(store->db, store->arena, &here, place, &store->problem));
    CHECK_OK(task_find(&bench->call, id, &after));
    return strcmp(before.host, after.host) != 0;
}

/* Tasks whose files are elsewhere hold up none behind them; after the last comes the first. */
ON_BOTH(every_stray_task_is_looked_at)
{
    static const char script[] =
        "INSERT INTO tasks (task_id, tenant_id, doc_id, path, status, created_at, host, file_hash)"
        " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)"
        " SELECT 'gone' || i, 'default', 'd', '/nonexistent', 'PENDING',"
        " '2026-01-01T00:00:00.000Z', 'elsewhere', '' FROM n";
    struct task_place place = {0};
    struct bench bench;
    const char *last;

    bench_make(&bench, store);
    CHECK_OK(store_script(store, store->db, script));
    last = submitted(&bench, store, "2026-01-02T00:00:00.000Z");
    CHECK(!is_adopted(&bench, store, last, &place));
    CHECK(!is_adopted(&bench, store, last, &place));
    CHECK(is_adopted(&bench, store, last, &place));
    CHECK(is_adopted(&bench, store, submitted(&bench, store, "2025-01-01T00:00:00.000Z"), &place));
    knowledge_cache_destroy(bench.cache);
}

ON_BOTH(a_draft_becomes_a_document_once)
{
    struct bench bench;
    struct object_list rows;
    const char *id;

    bench_make(&bench, store);
    CHECK_OK(draft_add(&bench.call, "Parking", "Visitors park in lot B7.", "[]", &id));
    CHECK_OK(draft_edit(&bench.call, id, "# Parking\n\nVisitors park in lot C9."));
    CHECK_OK(draft_publish(&bench.call, &bench.settings, id));
    CHECK_INT(holding(&bench, store, "c9"), 1);
    CHECK_FAILS(draft_edit(&bench.call, id, "x"), ERROR_CONFLICT, "draft_immutable");
    CHECK_FAILS(draft_publish(&bench.call, &bench.settings, id), ERROR_CONFLICT, "draft_immutable");
    CHECK_FAILS(draft_reject(&bench.call, "none"), ERROR_NOT_FOUND, "draft_not_found");
    CHECK_OK(draft_list(&bench.call, "published", &rows));
    CHECK_INT(rows.count, 1);
    CHECK_OK(gap_list(&bench.call, &rows));
    CHECK_INT(rows.count, 0);
    knowledge_cache_destroy(bench.cache);
}

static enum error read_file(struct store *store, const char *name, const char *bytes, size_t length,
                            struct reading_result *result)
{
    static const struct reader_limits limits = {1 << 30, 3, 1 << 20};
    const char *path = arena_print(store->arena, "%s/%s", store->directory, name);

    put(path, bytes, length);
    return reader_read(store->arena, path, file_type_of(name), &limits, store->directory, NULL,
                       result, &store->problem);
}

ON_ONE(readers, DB_SQLITE)
{
    struct reading_result result;
    static const char html[] =
        "<!doctype html><title>t</title><style>x{}</style><h2>Head</h2><p>One <b>two</b>"
        "<ul><li>a<li>b</ul><script>alert(1)</script><table><tr><td>c<td>d</table>";
    static const char csv[] = "name,days\nreturn,14\n\"a, b\",\"x\"\"y\"\n";

    CHECK_OK(read_file(store, "a.html", html, sizeof html - 1, &result));
    CHECK_INT(result.count, 1);
    CHECK_TEXT(result.pages[0].text, "## Head\n\nOne two\n\n- a\n- b\n\n| c | d |");
    CHECK_OK(read_file(store, "a.csv", csv, sizeof csv - 1, &result));
    CHECK_INT(result.count, 2);
    CHECK_TEXT(result.pages[1].text, "name: a, b\ndays: x\"y");
    CHECK_OK(read_file(store, "a.json", "[\"one\",{\"k\":1}]", 15, &result));
    CHECK_INT(result.count, 2);
    CHECK_TEXT(result.pages[0].text, "one");
    CHECK_OK(read_file(store, "a.txt", "\xef\xbb\xbfok\xff\0bad\r\n", 12, &result));
    CHECK_TEXT(result.pages[0].text, "okbad"); /* the mark says that it is UTF-8 */
    CHECK_OK(read_file(store, "e.txt", " \n\t", 3, &result));
    CHECK_INT(result.count, 0);
}

/* Files made to hurt their reader end in an error or in text, soon, and the reader goes on. */
ON_ONE(hostile_files, DB_SQLITE)
{
    struct reading_result result;
    size_t length = (size_t)3 << 20;
    char *deep = malloc(length + 1), *large = malloc(length);

    for (size_t i = 0; i + 3 <= length; i += 3)
        memcpy(deep + i, "<b>", 3);
    memset(large, 'x', length);
    (void)!read_file(store, "deep.html", deep, length / 3 * 3, &result); /* text or an error */
    CHECK_FAILS(read_file(store, "large.txt", large, length, &result), ERROR_TOO_LARGE,
                "text_too_large");
    CHECK_FAILS(read_file(store, "a.docx", "PK\x03\x04nonsense", 12, &result), ERROR_MALFORMED,
                "unreadable_file");
    CHECK_FAILS(read_file(store, "a.pdf", "%PDF-1.4 nonsense", 17, &result), ERROR_MALFORMED,
                "unreadable_file");
    free(deep);
    free(large);
}

TEST_MAIN(CASE(a_version_replaces_the_one_before), CASE(tenants_do_not_see_each_other),
          CASE(a_lost_or_damaged_segment_is_built_again),
          CASE(the_program_mends_segments_before_they_are_asked_for),
          CASE(every_document_of_every_tenant_is_looked_at),
          CASE(a_file_of_another_version_is_not_read), CASE(parents_are_found_by_their_children),
          CASE(many_small_segments_become_one), CASE(the_program_merges_what_uploads_left),
          CASE(a_deleted_document_is_gone), CASE(a_failure_at_any_step_leaves_the_old_version),
          CASE(a_numbered_name_replaces_no_document), CASE(every_stray_task_is_looked_at),
          CASE(a_draft_becomes_a_document_once), CASE(readers), CASE(hostile_files))
