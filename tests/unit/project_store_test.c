/* Projects in the database: every change whole or not at all, on both engines. */
#include "experiments/audit/audit_store.h"
#include "experiments/projects/project_rows.h"
#include "experiments/projects/project_store.h"
#include "storage_fixture.h"

static struct project_call call_of(struct bench *bench)
{
    return (struct project_call){bench->db, bench->arena, &bench->actor, &bench->problem};
}

/* A saved project. */
static struct project made(struct bench *bench, const char *name, int metric_type)
{
    struct project_call call = call_of(bench);
    struct project project = {0};

    CHECK_OK(project_create(&call, bench_payload(bench->arena, name, metric_type), &project));
    return project;
}

static int64_t total(struct bench *bench, enum project_status status, int metric_type,
                     const char *q)
{
    const struct project_filter filter = {.status = status,
                                          .metric_type = metric_type,
                                          .q = q,
                                          .sort_by = SORT_NAME,
                                          .ascending = true,
                                          .limit = 10};
    struct project_call call = call_of(bench);
    struct object_list projects;
    int64_t count = -1;

    CHECK_OK(project_list(&call, &filter, &projects, &count));
    return count;
}

static const struct analysis_payload *some_analysis(struct bench *bench);

ON_BOTH(what_is_saved_can_be_read)
{
    struct project_call call = call_of(bench);
    struct project project = made(bench, "First", METRIC_BINARY), again;

    CHECK_OK(project_read(&call, project.id, &again));
    CHECK_TEXT(again.project_name, "First");
    CHECK_TEXT(project_payload(again.document, bench->arena)->project->project_name, "First");
    CHECK_TEXT(again.created_at, project.updated_at);
    CHECK_TEXT(again.last_revision_at, project.created_at);
    CHECK_INT(again.revision_count, 1);
    CHECK_INT(again.payload_schema_version, PAYLOAD_SCHEMA_VERSION);
    CHECK(!again.is_archived && !again.has_analysis_snapshot && !again.last_exported_at);
    bench_check_totals(bench);
}

ON_BOTH(ids_that_are_none_are_not_found)
{
    static const char *const ids[] = {"",
                                      "x",
                                      "00000000-0000-4000-8000-00000000000",
                                      "00000000-0000-4000-8000-000000000000",
                                      "00000000-0000-4000-8000-00000000000G",
                                      "\xff\xfe",
                                      "00000000-0000-4000-8000-0000000000000"};
    struct project_call call = call_of(bench);
    struct experiment_payload *payload = bench_payload(bench->arena, "x", METRIC_BINARY);
    struct project_page page = {.limit = 5, .memory_max = 1 << 27};
    struct project project;
    const char *archived_at;

    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        CHECK_FAILS(project_read(&call, ids[i], &project), ERROR_NOT_FOUND, "not_found");
        CHECK_FAILS(project_update(&call, ids[i], "*", payload, &project), ERROR_NOT_FOUND,
                    "project_not_found");
        CHECK_FAILS(project_archive(&call, ids[i], NULL, &archived_at), ERROR_NOT_FOUND,
                    "not_found");
        CHECK_FAILS(project_restore(&call, ids[i], NULL, &project), ERROR_NOT_FOUND, "not_found");
        CHECK_FAILS(project_delete(&call, ids[i], NULL), ERROR_NOT_FOUND, "not_found");
        CHECK_FAILS(project_add_export(&call, ids[i], EXPORT_PDF, NULL, &project), ERROR_NOT_FOUND,
                    "project_not_found");
        CHECK_FAILS(project_revisions(&call, ids[i], &page), ERROR_NOT_FOUND, "not_found");
        CHECK_FAILS(project_analysis_runs(&call, ids[i], &page), ERROR_NOT_FOUND, "not_found");
    }
    CHECK_INT(COUNT_OF_ROWS(bench, "audit_log"), 0);
}

ON_BOTH(versions_are_compared)
{
    struct project_call call = call_of(bench);
    struct project project = made(bench, "One", METRIC_BINARY), changed;
    struct experiment_payload *payload = bench_payload(bench->arena, "Two", METRIC_COUNT);
    const char *forms[] = {project.updated_at,
                           arena_print(bench->arena, "\"%s\"", project.updated_at),
                           arena_print(bench->arena, "W/\"%s\"", project.updated_at),
                           arena_print(bench->arena, "\"x\", \t\"%s\"", project.updated_at), "*"};
    static const char *const others[] = {"", "\"", "W/", "W/\"\"", "**", "x", "\"*\"", ",,,"};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        CHECK_FAILS(project_update(&call, project.id, others[i], payload, &changed), ERROR_CONFLICT,
                    "project_conflict");
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        CHECK_OK(project_update(&call, project.id, forms[i], payload, &changed));
        RUN(bench, "UPDATE projects SET updated_at = created_at");
    }
    CHECK_OK(project_update(&call, project.id, NULL, payload, &changed));
    CHECK_FAILS(project_update(&call, project.id, project.updated_at, payload, &project),
                ERROR_CONFLICT, "project_conflict");
    CHECK_INT(changed.revision_count, 7);
    CHECK_INT(COUNT_OF_ROWS(bench, "project_revisions"), 7);
}

ON_BOTH(moments_never_go_back)
{
    struct project_call call = call_of(bench);
    struct project project = made(bench, "One", METRIC_BINARY), changed;
    const char *last = "2099-12-31T23:59:59.999999+00:00", *archived_at;

    RUN(bench, "UPDATE projects SET updated_at = '2099-12-31T23:59:59.999999+00:00',"
               " last_exported_at = '2099-12-31T23:59:59.999999+00:00'");
    for (int i = 0; i < 3; i++) {
        CHECK_OK(project_update(&call, project.id, NULL,
                                project_payload(project.document, bench->arena), &changed));
        CHECK(strcmp(last, changed.updated_at) < 0);
        last = changed.updated_at;
    }
    CHECK_TEXT(last, "2100-01-01T00:00:00.000002+00:00");
    CHECK_OK(project_archive(&call, project.id, NULL, &archived_at));
    CHECK(strcmp(last, archived_at) < 0);
    CHECK_OK(project_restore(&call, project.id, NULL, &changed));
    CHECK(strcmp(archived_at, changed.updated_at) < 0);
    CHECK_OK(project_add_export(&call, project.id, EXPORT_PDF, NULL, &changed));
    CHECK_TEXT(changed.last_exported_at, "2100-01-01T00:00:00.000000+00:00");
}

TEST(a_later_moment)
{
    struct arena *arena = arena_create((size_t)1 << 16);
    char now[64], past[] = "2020-02-29T23:59:59.999999+00:00";

    snprintf(now, sizeof now, "%s", store_now(arena));
    CHECK(strcmp(store_later(arena, NULL), now) >= 0);
    CHECK(strcmp(store_later(arena, past), now) >= 0);
    CHECK(strcmp(store_later(arena, now), now) > 0);
    CHECK_TEXT(store_later(arena, "2096-02-28T23:59:59.999999+00:00"),
               "2096-02-29T00:00:00.000000+00:00");
    arena_destroy(arena);
}

ON_BOTH(lists_count_what_they_list)
{
    struct project_call call = call_of(bench);
    struct project one = made(bench,
                              "Stra\xc3\x9f"
                              "e 100%",
                              METRIC_BINARY);
    struct project two = made(bench, "\xd0\x81\xd0\x9b\xd0\x9a\xd0\x90", METRIC_RATIO);
    const char *archived_at;

    (void)one;
    CHECK_OK(project_archive(&call, two.id, NULL, &archived_at));
    CHECK_INT(total(bench, STATUS_ACTIVE, -1, NULL), 1);
    CHECK_INT(total(bench, STATUS_ARCHIVED, -1, NULL), 1);
    CHECK_INT(total(bench, STATUS_ALL, -1, NULL), 2);
    CHECK_INT(total(bench, STATUS_ALL, METRIC_RATIO, NULL), 1);
    CHECK_INT(total(bench, STATUS_ACTIVE, METRIC_RATIO, NULL), 0);
    CHECK_INT(total(bench, STATUS_ALL, -1, " STRASSE\t"), 1);
    CHECK_INT(total(bench, STATUS_ALL, -1, "0%"), 1);
    CHECK_INT(total(bench, STATUS_ALL, -1, "1%0"), 0);
    CHECK_INT(total(bench, STATUS_ALL, -1, "\xd1\x91\xd0\xbb\xd0\xba"), 1);
    CHECK_INT(total(bench, STATUS_ALL, METRIC_BINARY, "\xd1\x91"), 0);
    CHECK_INT(total(bench, STATUS_ALL, -1, " \xc2\xa0 "), 2);
    bench_check_totals(bench);
}

ON_BOTH(names_longer_than_an_index_entry)
{
    struct project_call call = call_of(bench);
    char *name = arena_alloc(bench->arena, 60001);
    struct project project;

    for (int i = 0; i < 20000; i++) /* Han characters that do not compress */
        snprintf(name + (size_t)i * 3, 4, "%c%c%c", 0xe4 + i % 3, 0xb8 + i * 7 % 8,
                 0x80 + i * 11 % 64);
    project = made(bench, name, METRIC_BINARY);
    CHECK_TEXT(project.project_name, name);
    CHECK_OK(project_update(&call, project.id, NULL,
                            project_payload(project.document, bench->arena), &project));
    CHECK_INT(total(bench, STATUS_ACTIVE, -1, name + 59000 - 59000 % 3), 1);
}

/* Each change of the fixture, done to a project that has one run. */
enum change { CREATE, UPDATE, ARCHIVE, RESTORE, DELETE, ANALYSE, EXPORT, CHANGE__MAX };

static enum error do_change(struct bench *bench, enum change change, const struct project *project,
                            const struct analysis_payload *analysis)
{
    struct project_call call = call_of(bench);
    struct project changed;
    const char *archived_at;

    switch (change) {
    case CREATE:
        return project_create(&call, bench_payload(bench->arena, "More", METRIC_COUNT), &changed);
    case UPDATE:
        return project_update(&call, project->id, NULL,
                              bench_payload(bench->arena, "Other", METRIC_RATIO), &changed);
    case ARCHIVE:
        return project_archive(&call, project->id, NULL, &archived_at);
    case RESTORE:
        return project_restore(&call, project->id, NULL, &changed);
    case DELETE:
        return project_delete(&call, project->id, NULL);
    case ANALYSE:
        return project_add_analysis(&call, project->id, analysis, &changed);
    default:
        return project_add_export(&call, project->id, EXPORT_HTML, project->last_analysis_run_id,
                                  &changed);
    }
}

/* Everything that is stored, in one number that changes with any of it. */
static int64_t fingerprint(struct bench *bench)
{
    static const struct statement sum = {
        "sum",
        "SELECT CAST((SELECT count(*) * 1000000 + sum(revision_count) * 10000 + sum(archived) * 100"
        " + count(last_exported_at) + 10 * count(last_analysis_run_id) + sum(length(project_name))"
        " FROM projects) + (SELECT 7 * count(*) FROM project_revisions)"
        " + (SELECT 11 * count(*) FROM analysis_runs) + (SELECT 13 * count(*) FROM export_events)"
        " + (SELECT 17 * count(*) FROM audit_log)"
        " + (SELECT 19 * sum(entries) FROM audit_totals)"
        " + (SELECT sum(23 * projects * projects) FROM project_totals) AS BIGINT)"};

    return bench_integer(bench, &sum);
}

/* The n-th step of each change fails, for every n: then nothing has changed. */
ON_BOTH(a_change_is_whole_or_not_at_all)
{
    const struct analysis_payload *analysis = some_analysis(bench);

    for (enum change change = CREATE; change < CHANGE__MAX; change++) {
        struct project_call call = call_of(bench);
        struct project project = made(bench, "Victim", METRIC_BINARY);
        const char *archived_at;
        enum error error = ERROR_UNAVAILABLE;
        int64_t before;
        int step;

        CHECK_OK(project_add_analysis(&call, project.id, analysis, &project));
        if (change == RESTORE)
            CHECK_OK(project_archive(&call, project.id, NULL, &archived_at));
        before = fingerprint(bench);
        for (step = 1; error && step < 50; step++) {
            db_fail_after(bench->db, step);
            error = do_change(bench, change, &project, analysis);
            db_fail_after(bench->db, 0);
            CHECK(!error == (fingerprint(bench) != before));
            if (error)
                CHECK_TEXT(bench->problem.reason, "database_io");
            bench_check_totals(bench);
        }
        CHECK(step > 4 && step < 50);
    }
}

ON_BOTH(a_damaged_payload_can_still_be_put_away)
{
    struct project_call call = call_of(bench);
    struct project project = made(bench, "Damaged", METRIC_CONTINUOUS);
    const char *archived_at;

    RUN(bench, "UPDATE projects SET payload_json = '{}'");
    CHECK_FAILS(project_read(&call, project.id, &project), ERROR_SYSTEM, "stored_document");
    CHECK_INT(total(bench, STATUS_ACTIVE, METRIC_CONTINUOUS, NULL), 1);
    CHECK_OK(project_archive(&call, project.id, NULL, &archived_at));
    CHECK_INT(total(bench, STATUS_ARCHIVED, METRIC_CONTINUOUS, NULL), 1);
    CHECK_OK(project_delete(&call, project.id, NULL));
    bench_check_totals(bench);
}

ON_BOTH(missing_folds_are_made)
{
    struct project_call call = call_of(bench);
    struct project project = {0};

    for (int i = 0; i < 120; i++)
        project = made(bench, arena_print(bench->arena, "\xd0\x81\xd0\x9b\xd0\x9a\xd0\x90 %03d", i),
                       METRIC_BINARY);
    (void)made(bench, "", METRIC_BINARY);
    RUN(bench, "UPDATE projects SET name_folded = '', search_folded = ''");
    RUN(bench, "UPDATE projects SET payload_json = '{}' WHERE project_name LIKE '%007'");
    CHECK_INT(total(bench, STATUS_ACTIVE, -1, "\xd1\x91\xd0\xbb\xd0\xba\xd0\xb0"), 0);
    CHECK_OK(project_fold_missing(bench->db, &bench->problem));
    CHECK_INT(total(bench, STATUS_ACTIVE, -1, "\xd1\x91\xd0\xbb\xd0\xba\xd0\xb0"), 119);
    CHECK_INT(COUNT_OF_ROWS(bench, "projects WHERE search_folded = ''"), 0);
    CHECK_INT(COUNT_OF_ROWS(bench, "projects WHERE name_folded = ''"), 1);
    CHECK_OK(project_update(&call, project.id, NULL,
                            project_payload(project.document, bench->arena), &project));
    CHECK_OK(project_fold_missing(bench->db, &bench->problem));
}

ON_BOTH(folding_leaves_newer_texts_alone)
{
    (void)made(bench, "Kept", METRIC_BINARY);
    RUN(bench, "UPDATE projects SET name_folded = '', search_folded = 'already folded'");
    CHECK_OK(project_fold_missing(bench->db, &bench->problem));
    CHECK_INT(COUNT_OF_ROWS(bench, "projects WHERE search_folded = 'already folded'"), 1);
}

/* Two processes whose numbers fall on the same shard of the counting tables, one moving a project
 * one way and one the other, over and over: neither may be chosen as the victim of a deadlock. */
enum { MOVES = 60 };

static int move_to_and_fro(struct bench *bench, const char *id, bool first_way)
{
    struct project_call call = {.arena = bench->arena, .actor = &bench->actor};
    struct problem problem = {0};
    struct store *store = bench_open(bench, &call.db);
    struct project project;
    const char *archived_at;
    enum error error = ERROR_NONE;

    call.problem = &problem;
    for (int i = 0; !error && i < MOVES; i++) {
        if (first_way == (i % 2 == 0))
            error = project_update(
                &call, id, NULL,
                bench_payload(bench->arena, "x", i % 4 < 2 ? METRIC_COUNT : METRIC_BINARY),
                &project);
        else if (i % 4 < 2)
            error = project_archive(&call, id, NULL, &archived_at);
        if (!error)
            error = project_restore(&call, id, NULL, &project);
    }
    if (error)
        printf("process %d: %s: %s\n", (int)getpid(), problem.reason, problem.text);
    store_close(store);
    return error != ERROR_NONE;
}

/* A child whose process number falls on this shard. */
static pid_t fork_on_shard(struct bench *bench, int64_t shard, const char *id, bool first_way)
{
    for (;;) {
        int ready[2];
        pid_t child;
        char go = 0;

        if (pipe(ready) != 0)
            abort();
        fflush(stdout);
        child = fork();
        if (child == 0) {
            int result = 0;

            close(ready[1]);
            if (read(ready[0], &go, 1) == 1)
                result = move_to_and_fro(bench, id, first_way);
            fflush(stdout);
            _exit(result);
        }
        close(ready[0]);
        if (child % STORE_SHARDS == shard && write(ready[1], "g", 1) != 1)
            abort();
        close(ready[1]);
        if (child % STORE_SHARDS == shard)
            return child;
        waitpid(child, NULL, 0);
    }
}

ON_BOTH(writers_of_one_shard_never_deadlock)
{
    struct project one = made(bench, "One", METRIC_BINARY), two = made(bench, "Two", METRIC_COUNT);
    pid_t children[2];
    int status;

    db_disconnect(bench->db);
    children[0] = fork_on_shard(bench, 5, one.id, true);
    children[1] = fork_on_shard(bench, 5, two.id, false);
    for (int i = 0; i < 2; i++) {
        waitpid(children[i], &status, 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    bench_check_totals(bench);
}

#define NUMBERS_JSON                                                                               \
    "\"sample_size_per_variant\":100,\"total_sample_size\":200,\"estimated_duration_days\":7"

static const char analysis_text[] =
    "{\"calculations\":{\"calculation_summary\":{\"metric_type\":\"binary\",\"baseline_value\":0.1,"
    "\"mde_pct\":5,\"mde_absolute\":0.005,\"alpha\":0.05,\"power\":0.8,\"planned_test\":\"z_test\","
    "\"equivalence_margin_pct\":null,\"equivalence_margin_absolute\":null},\"results\":"
    "{" NUMBERS_JSON ",\"effective_daily_traffic\":100},\"assumptions\":[],\"warnings\":[]},"
    "\"report\":{\"executive_summary\":\"\",\"calculations\":{" NUMBERS_JSON ",\"assumptions\":[]},"
    "\"experiment_design\":{\"variants\":[],\"randomization_unit\":\"\",\"traffic_split\":[50,50],"
    "\"target_audience\":\"\",\"inclusion_criteria\":\"\",\"exclusion_criteria\":\"\","
    "\"recommended_duration_days\":7,\"stopping_conditions\":[]},\"metrics_plan\":{\"primary\":[],"
    "\"secondary\":[],\"guardrail\":[],\"diagnostic\":[]},\"risks\":{\"statistical\":[],"
    "\"product\":[],\"technical\":[],\"operational\":[]},\"recommendations\":{\"before_launch\":[],"
    "\"during_test\":[],\"after_test\":[]},\"open_questions\":[]},"
    "\"advice\":{\"available\":false,\"provider\":\"none\",\"model\":\"none\"}}";

static const struct analysis_payload *some_analysis(struct bench *bench)
{
    struct analysis_payload *analysis = ARENA_NEW(bench->arena, struct analysis_payload);
    struct schema_errors errors = {0};
    struct json_fault fault;
    json_t *json;

    if (json_read(bench->arena, analysis_text, strlen(analysis_text), JSON_DEPTH_LIMIT, &json,
                  &fault) ||
        schema_decode(&analysis_payload_schema, json, "body", analysis, &errors, bench->arena)) {
        for (size_t i = 0; i < errors.count; i++)
            printf("analysis: fault %d at %s\n", (int)errors.items[i].fault,
                   errors.items[i].path->key ? errors.items[i].path->key : "?");
        abort();
    }
    return analysis;
}

ON_BOTH(the_newest_run_is_the_one_noted)
{
    struct project_call call = call_of(bench);
    struct project project = made(bench, "One", METRIC_BINARY);
    struct project_page page = {.limit = 10, .memory_max = 1 << 27};
    const struct analysis_run *runs;

    CHECK_OK(project_add_analysis(&call, project.id, some_analysis(bench), &project));
    RUN(bench, "UPDATE analysis_runs SET created_at = '2099-01-01T00:00:00.000000+00:00'");
    RUN(bench, "UPDATE projects SET last_analysis_at = '2099-01-01T00:00:00.000000+00:00'");
    CHECK_OK(project_add_analysis(&call, project.id, some_analysis(bench), &project));
    CHECK_OK(project_analysis_runs(&call, project.id, &page));
    runs = page.items.items;
    CHECK_INT(page.total, 2);
    CHECK_TEXT(runs[0].id, project.last_analysis_run_id);
    CHECK_TEXT(runs[0].created_at, "2099-01-01T00:00:00.000001+00:00");
    CHECK_FAILS(project_add_export(&call, project.id, EXPORT_PDF, "x", &project), ERROR_INVALID,
                "analysis_run_not_found");
    CHECK_OK(project_add_export(&call, project.id, EXPORT_PDF, runs[1].id, &project));
}

/* Forty revisions of a megabyte come in two pages, each of which fits an answer. */
ON_BOTH(pages_of_large_documents_end_early)
{
    enum { REVISIONS = 40, BYTES = 1024 * 1024 };
    struct project_call call = call_of(bench);
    struct project project = made(bench, "Large", METRIC_BINARY);
    struct experiment_payload *payload = bench_payload(bench->arena, "Large", METRIC_BINARY);
    struct payload_project *described = ARENA_NEW(bench->arena, struct payload_project);
    struct project_page page = {.limit = 100, .memory_max = 1 << 27};
    char *words = arena_alloc(bench->arena, BYTES);
    int64_t found = 0, pages = 0;

    memset(words, 'x', BYTES - 1);
    *described = *payload->project;
    described->project_description = words;
    payload->project = described;
    for (int i = 1; i < REVISIONS; i++) {
        struct arena *turn = arena_create((size_t)1 << 28);
        struct project_call one = {bench->db, turn, &bench->actor, &bench->problem};
        struct project updated;

        CHECK_OK(project_update(&one, project.id, NULL, payload, &updated));
        arena_destroy(turn);
    }
    do {
        CHECK_OK(project_revisions(&call, project.id, &page));
        found += (int64_t)page.items.count;
        page.offset += (int64_t)page.items.count;
        pages++;
    } while (page.items.count && found < page.total);
    CHECK_INT(found, REVISIONS);
    CHECK_INT(pages, 2);
    page = (struct project_page){.limit = 100, .memory_max = 1};
    CHECK_OK(project_revisions(&call, project.id, &page));
    CHECK_INT(page.items.count, 1); /* however little it may take, the next page begins later */
}

TEST_MAIN(CASE(what_is_saved_can_be_read), CASE(ids_that_are_none_are_not_found),
          CASE(versions_are_compared), CASE(moments_never_go_back), CASE(a_later_moment),
          CASE(lists_count_what_they_list), CASE(names_longer_than_an_index_entry),
          CASE(a_change_is_whole_or_not_at_all), CASE(a_damaged_payload_can_still_be_put_away),
          CASE(missing_folds_are_made), CASE(folding_leaves_newer_texts_alone),
          CASE(writers_of_one_shard_never_deadlock), CASE(the_newest_run_is_the_one_noted),
          CASE(pages_of_large_documents_end_early))
