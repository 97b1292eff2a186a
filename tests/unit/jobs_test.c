/* Durable jobs on both engines: plans, dead letters, lanes, lost leases, and runners that are
 * killed. */
#include "../db/fixture.h"

#include "base/cause.h"
#include "base/clock.h"
#include "crypto/crypto.h"
#include "jobs/inbox.h"
#include "jobs/job.h"
#include "jobs/runner.h"

#include <dirent.h>
#include <fcntl.h>

static const double pauses[] = {0, 0, 3600};

static enum job_outcome next_outcome;
static enum error record_answer;
static int performed;
static int done_file; /* where runners say what they have in hand, or have done */

static void perform_as_told(struct job *job, struct job_verdict *verdict)
{
    (void)job;
    performed++;
    verdict->outcome = next_outcome;
    if (next_outcome != JOB_DONE)
        snprintf(verdict->error, sizeof verdict->error, "told to");
}

static enum error write_effect(struct job *job, const struct job_verdict *verdict,
                               struct problem *problem)
{
    static const struct statement insert = {"effect", "INSERT INTO effects (job_key) VALUES (?)"};
    struct query *query;

    if (verdict->outcome != JOB_DONE)
        return ERROR_NONE;
    query = db_query(job->db, &insert);
    query_bind_text(query, job->key);
    if (query_end(query, problem))
        return problem->error;
    return record_answer ? problem_set(problem, record_answer, "told_to", "refused by the record")
                         : ERROR_NONE;
}

static const struct job_kind plain = {.name = "test.plain",
                                      .lease_seconds = 60,
                                      .attempts = 3,
                                      .pauses = pauses,
                                      .pause_count = 3,
                                      .interruptions_max = 2,
                                      .perform = perform_as_told,
                                      .record = write_effect};

static const struct statement count_effects = {"effects", "SELECT count(*) FROM effects"};

static void make_tables(struct store *store)
{
    CHECK_OK(crypto_start(&store->problem));
    store_kit(store, "jobs_1");
    store_kit(store, "jobs_2");
    store_kit(store, "jobs_3");
    CHECK_OK(store_script(store, store->db, "CREATE TABLE effects (job_key {text} NOT NULL)"));
    next_outcome = JOB_DONE;
    record_answer = ERROR_NONE;
    performed = 0;
}

static bool add(struct store *store, const struct job_kind *kind, const char *key, const char *lane)
{
    const struct job_spec order = {.key = key, .lane = lane, .payload = "{\"a\":1}"};
    bool added = false;

    CHECK_OK(job_add(store->db, kind, &order, &added, &store->problem));
    return added;
}

static struct job_counts run(struct store *store, const struct job_kind *kind, int64_t most)
{
    struct arena *arena = arena_create((size_t)1 << 24);
    struct job_counts tally = {0};

    CHECK_OK(job_run_due(store->db, arena, kind, NULL, most, &tally, &store->problem));
    arena_destroy(arena);
    return tally;
}

static struct job_row found(struct store *store, const char *key)
{
    struct job_row row = {0};

    CHECK_OK(job_find(store->db, store->arena, &plain, key, &row, &store->problem));
    return row;
}

ON_BOTH(a_job_goes_with_the_transaction_that_added_it)
{
    const struct job_spec order = {.key = "one", .payload = ""};

    make_tables(store);
    CHECK_OK(db_begin(store->db, DB_WRITE, &store->problem));
    CHECK_OK(job_add(store->db, &plain, &order, NULL, &store->problem));
    db_rollback(store->db);
    CHECK_INT(run(store, &plain, 10).claimed, 0);
    CHECK(add(store, &plain, "one", NULL));
    CHECK(!add(store, &plain, "one", NULL));
    CHECK_INT(run(store, &plain, 10).done, 1);
    CHECK(!add(store, &plain, "one", NULL));
    CHECK_INT(run(store, &plain, 10).claimed, 0);
    CHECK_INT(store_integer(store, &count_effects), 1);
}

static const char traceparent[] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
static const char *performed_for, *performed_in;

static void note_cause(struct job *job, struct job_verdict *verdict)
{
    (void)verdict;
    performed_for = cause_request_id();
    performed_in = cause_trace();
    CHECK(performed_for == job->request_id);
    performed_for = performed_for ? "r-1" : NULL;
    if (job->trace)
        CHECK_TEXT(job->trace, traceparent);
    performed_in = performed_in ? traceparent : NULL;
}

ON_BOTH(a_job_names_the_request_that_has_caused_it)
{
    struct job_kind kind = plain;
    struct cause request = {.request_id = "r-1"};

    make_tables(store);
    kind.perform = note_cause;
    (void)snprintf(request.trace, sizeof request.trace, "%s", traceparent);
    cause_set(&request);
    (void)add(store, &kind, "caused", NULL);
    cause_set(NULL);
    CHECK_INT(run(store, &kind, 1).done, 1);
    CHECK(!cause_current());
    CHECK_TEXT(performed_for, "r-1");
    CHECK_TEXT(performed_in, traceparent);
    (void)add(store, &kind, "without", NULL);
    CHECK_INT(run(store, &kind, 1).done, 1);
    CHECK(!performed_for && !performed_in);
}

ON_BOTH(failures_follow_the_plan_and_end_as_dead_letters)
{
    struct job_figures figures;
    struct job_rows rows;
    struct job_counts tally;

    make_tables(store);
    next_outcome = JOB_FAILED;
    (void)add(store, &plain, "poor", NULL);
    tally = run(store, &plain, 10);
    CHECK_INT(tally.failed, 2);
    CHECK_INT(tally.dead, 1);
    CHECK_INT(performed, 3);
    CHECK_INT(found(store, "poor").state, JOB_IS_DEAD);
    CHECK_TEXT(found(store, "poor").last_error, "told to");
    CHECK_OK(job_list(store->db, store->arena, &plain, JOB_IS_DEAD, NULL, 0, 10, &rows,
                      &store->problem));
    CHECK_INT(rows.count, 1);
    next_outcome = JOB_DONE;
    CHECK_OK(job_send_again(store->db, &plain, "poor", &store->problem));
    CHECK_FAILS(job_send_again(store->db, &plain, "poor", &store->problem), ERROR_CONFLICT,
                "job_not_dead");
    CHECK_FAILS(job_send_again(store->db, &plain, "none", &store->problem), ERROR_NOT_FOUND,
                "job_not_found");
    CHECK_INT(run(store, &plain, 10).done, 1);
    CHECK_INT(store_integer(store, &count_effects), 1);
    CHECK_OK(job_figures(store->db, &plain, &figures, &store->problem));
    CHECK_INT(figures.waiting + figures.held + figures.dead, 0);
}

ON_BOTH(what_will_never_work_is_dead_at_once)
{
    make_tables(store);
    next_outcome = JOB_REFUSED;
    (void)add(store, &plain, "hopeless", NULL);
    CHECK_INT(run(store, &plain, 10).dead, 1);
    CHECK_INT(performed, 1);
}

ON_BOTH(pauses_are_kept)
{
    static const double hour[] = {3600};
    struct job_kind patient = plain;
    struct job_row row;

    make_tables(store);
    patient.pauses = hour;
    patient.pause_count = 1;
    next_outcome = JOB_FAILED;
    (void)add(store, &patient, "late", NULL);
    CHECK_INT(run(store, &patient, 10).failed, 1);
    CHECK_INT(run(store, &patient, 10).claimed, 0);
    row = found(store, "late");
    CHECK_NEAR((double)(row.due_at - clock_unix_microseconds()) / 1e6, 3600, 60);
    next_outcome = JOB_POSTPONED;
    (void)add(store, &plain, "postponed", NULL);
    CHECK_INT(run(store, &plain, 1).postponed, 1);
    CHECK_INT(found(store, "postponed").failures, 0);
}

/* What the record wrote goes with the run that it refused. */
ON_BOTH(jobs_of_a_clock_that_was_set_back_are_due_now)
{
    static const struct statement set_ahead = {
        "set_ahead", "UPDATE jobs SET due_at = due_at + 17280000000000, holder = ?"};
    struct query *query;

    make_tables(store);
    for (int held = 0; held < 2; held++) {
        (void)add(store, &plain, held ? "held" : "waiting", NULL);
        query = db_query(store->db, &set_ahead);
        query_bind_text(query, held ? "somebody" : NULL);
        CHECK_OK(query_end(query, &store->problem));
        CHECK_INT(run(store, &plain, 10).done, 1);
    }
    next_outcome = JOB_FAILED; /* a pause of the plan stays as it is */
    (void)add(store, &plain, "paused", NULL);
    CHECK_INT(run(store, &plain, 10).claimed, 3);
    CHECK_INT(run(store, &plain, 10).claimed, 0);
}

ON_BOTH(a_record_that_refuses_makes_the_run_a_failure)
{
    make_tables(store);
    record_answer = ERROR_INVALID;
    (void)add(store, &plain, "refused", NULL);
    CHECK_INT(run(store, &plain, 10).dead, 1);
    CHECK_INT(store_integer(store, &count_effects), 0);
    CHECK_TEXT(found(store, "refused").last_error, "refused by the record");
}

static void lose_the_lease(struct job *job, struct job_verdict *verdict)
{
    static const struct statement steal = {"steal", "UPDATE jobs SET holder = 'somebody else'"};
    struct problem problem;

    if (query_end(db_query(job->db, &steal), &problem))
        verdict->outcome = JOB_FAILED;
    if (job_extend(job, 60, &problem) != ERROR_CONFLICT)
        verdict->outcome = JOB_FAILED;
}

ON_BOTH(who_lost_the_lease_writes_nothing)
{
    struct job_kind robbed = plain;
    struct job_counts tally;

    make_tables(store);
    robbed.perform = lose_the_lease;
    (void)add(store, &robbed, "robbed", NULL);
    tally = run(store, &robbed, 1);
    CHECK_INT(tally.lost, 1);
    CHECK_INT(tally.done, 0);
    CHECK_INT(store_integer(store, &count_effects), 0);
}

ON_BOTH(a_job_that_kills_its_runners_is_given_up)
{
    static const struct statement leave = {
        "leave", "UPDATE jobs SET holder = 'gone', due_at = 0, interruptions = 2"};

    make_tables(store);
    (void)add(store, &plain, "deadly", NULL);
    CHECK_OK(store_run(store, &leave));
    CHECK_INT(run(store, &plain, 10).dead, 1);
    CHECK_INT(performed, 0);
    CHECK_INT(found(store, "deadly").interruptions, 3);
}

/* Each lane has its turn, though all jobs of the first are due for longer. */
ON_BOTH(lanes_take_turns)
{
    struct job_kind turns = plain;
    int64_t count = 0;
    bool moved = false;

    make_tables(store);
    turns.lanes_take_turns = true;
    turns.lane_most = 2;
    for (int i = 0; i < 5; i++)
        (void)add(store, &turns, arena_print(store->arena, "a %d", i), "a");
    for (int i = 0; i < 2; i++)
        (void)add(store, &turns, arena_print(store->arena, "c %d", i), "c");
    (void)add(store, &turns, "b 0", "b");
    CHECK_INT(run(store, &turns, 3).done, 3);
    CHECK_INT(found(store, "a 0").state, JOB_IS_DONE);
    CHECK_INT(found(store, "b 0").state, JOB_IS_DONE);
    CHECK_INT(found(store, "c 0").state, JOB_IS_DONE);
    CHECK_INT(found(store, "a 1").state, JOB_WAITING);
    CHECK_OK(job_stop(store->db, &turns, "a 1", "gone", &count, &store->problem));
    CHECK_INT(count, 1);
    CHECK_INT(found(store, "a 1").state, JOB_IS_DEAD);
    CHECK_INT(run(store, &turns, 2).done, 2);
    CHECK_INT(found(store, "a 2").state, JOB_IS_DONE);
    CHECK_INT(found(store, "c 1").state, JOB_IS_DONE);
    turns.name = "test.other";
    CHECK_OK(job_move(store->db, &plain, "a 3", &turns, &moved, &store->problem));
    CHECK(moved);
    CHECK_INT(run(store, &turns, 10).done, 1);
    CHECK_OK(job_move(store->db, &plain, "a 3", &turns, &moved, &store->problem));
    CHECK(!moved);
}

/* One lane has as many in hand as it may; the others go on. */
ON_BOTH(a_full_lane_does_not_hold_up_the_others)
{
    static const struct statement hold = {
        "hold", "UPDATE jobs SET holder = 'busy', due_at = due_at + 60000000"
                " WHERE job_key IN ('slow 0', 'slow 1')"};
    struct job_kind laned = plain;
    int64_t stopped;

    make_tables(store);
    laned.lane_most = 2;
    for (int i = 0; i < 50; i++)
        (void)add(store, &laned, arena_print(store->arena, "slow %d", i), "slow");
    (void)add(store, &laned, "quick", "quick");
    CHECK_OK(store_run(store, &hold));
    CHECK_INT(run(store, &laned, 10).done, 1);
    CHECK_INT(found(store, "quick").state, JOB_IS_DONE);
    CHECK_OK(job_stop_lane(store->db, &laned, "slow", "gone", &stopped, &store->problem));
    CHECK_INT(stopped, 50);
    CHECK_INT(run(store, &laned, 10).claimed, 0);
}

static void exhaust(struct job *job, struct job_verdict *verdict)
{
    (void)verdict;
    if (db_begin(job->db, DB_WRITE, NULL))
        return;
    for (;;)
        (void)arena_alloc(job->arena, (size_t)1 << 20);
}

ON_BOTH(memory_that_runs_out_is_a_failure_of_its_job)
{
    struct job_kind greedy = plain;

    make_tables(store);
    greedy.perform = exhaust;
    (void)add(store, &greedy, "greedy", NULL);
    CHECK_INT(run(store, &greedy, 10).dead, 1);
    CHECK_TEXT(found(store, "greedy").last_error, "out of memory");
}

ON_BOTH(what_is_finished_is_forgotten)
{
    int64_t count;

    make_tables(store);
    for (int i = 0; i < 5; i++)
        (void)add(store, &plain, arena_print(store->arena, "job %d", i), NULL);
    CHECK_INT(run(store, &plain, 3).done, 3);
    CHECK_OK(job_forget(store->db, &plain, JOB_IS_DONE, 3600, 10, &count, &store->problem));
    CHECK_INT(count, 0);
    CHECK_OK(job_forget(store->db, &plain, JOB_IS_DONE, -1, 2, &count, &store->problem));
    CHECK_INT(count, 2);
    CHECK_OK(job_forget(store->db, &plain, JOB_IS_DONE, -1, 10, &count, &store->problem));
    CHECK_INT(count, 1);
    CHECK_INT(run(store, &plain, 10).done, 2);
}

static void hang(struct job *job, struct job_verdict *verdict)
{
    (void)verdict;
    if (write(done_file, job->key, 1) == 1)
        pause();
}

static const struct job_kind hanging = {.name = "test.plain",
                                        .lease_seconds = 3600,
                                        .attempts = 1,
                                        .interruptions_max = 1,
                                        .lane_most = 1,
                                        .perform = hang};

static int hang_as_named(struct store *store, int number)
{
    const struct db_options options = DB_OPTIONS_DEFAULT;
    struct arena *arena = arena_create((size_t)1 << 24);
    struct db *db = store_connect(store, &options);
    struct job_counts tally = {0};

    job_set_worker_id(number ? "second" : "first");
    return job_run_due(db, arena, &hanging, NULL, 1, &tally, &store->problem) ? 1 : 0;
}

/* Two runners die with a job each; who knows of the death of one lets go what that one had. */
ON_BOTH(who_knows_of_a_death_need_not_wait_for_the_lease)
{
    struct job_kind healed = hanging;
    pid_t runners[2];
    int64_t released;
    char byte;
    int ends[2];

    make_tables(store);
    healed.perform = perform_as_told;
    CHECK(pipe(ends) == 0);
    done_file = ends[1];
    for (int i = 0; i < 2; i++) {
        (void)add(store, &hanging, i ? "b" : "a", i ? "lane b" : "lane a");
        db_disconnect(store->db);
        runners[i] = fixture_fork(hang_as_named, store, i);
        CHECK(read(ends[0], &byte, 1) == 1 && byte == "ab"[i]);
    }
    for (int i = 0; i < 2; i++) {
        kill(runners[i], SIGKILL);
        (void)fixture_wait(runners[i]);
    }
    (void)add(store, &hanging, "c", "lane b");
    CHECK_INT(run(store, &healed, 10).claimed, 0);
    CHECK_OK(job_release(store->db, "sec", &released, &store->problem));
    CHECK_INT(released, 0);
    CHECK_OK(job_release(store->db, "second", &released, &store->problem));
    CHECK_INT(released, 1);
    CHECK_INT(run(store, &healed, 10).done, 2);
    CHECK_INT(found(store, "b").interruptions, 1);
    CHECK_INT(found(store, "a").held, true);
    CHECK_OK(job_release(store->db, "second", &released, &store->problem));
    CHECK_INT(released, 0);
    close(ends[0]);
    close(ends[1]);
}

static int hang_as_runner(struct store *store, int number)
{
    const struct db_options options = DB_OPTIONS_DEFAULT;
    struct arena *arena = arena_create((size_t)1 << 24);
    struct db *db = store_connect(store, &options);
    struct job_counts tally = {0};

    runner_start(store->directory, number < 2 ? "program" : "program.two");
    return job_run_due(db, arena, &hanging, NULL, 1, &tally, &store->problem) ? 1 : 0;
}

/* What the next start of "program" finds to do: before it has looked for the dead, and then. */
static int come_after(struct store *store, int number)
{
    const struct db_options options = DB_OPTIONS_DEFAULT;
    struct arena *arena = arena_create((size_t)1 << 24);
    struct db *db = store_connect(store, &options);
    struct job_kind healed = hanging;
    struct job_counts before = {0}, after = {0};

    healed.perform = perform_as_told;
    runner_start(store->directory, "program");
    runner_start(store->directory, "program");
    if (job_run_due(db, arena, &healed, NULL, 10, &before, &store->problem) ||
        runner_reclaim_leases(db, &store->problem) ||
        job_run_due(db, arena, &healed, NULL, 10, &after, &store->problem))
        return 99;
    return (int)before.claimed == 0 ? (int)after.done : number;
}

static int files_in(const char *folder)
{
    const struct dirent *entry;
    DIR *directory = opendir(folder);
    int count = 0;

    while (directory && (entry = readdir(directory)))
        count += entry->d_name[0] != '.';
    if (directory)
        closedir(directory);
    return count;
}

/* Of three runners two die, one of them of another program. */
ON_BOTH(the_next_start_takes_up_what_a_dead_one_of_its_program_had)
{
    const char *folder = arena_print(store->arena, "%s/runners", store->directory);
    pid_t runners[3];
    char byte;
    int ends[2];

    make_tables(store);
    CHECK(pipe(ends) == 0);
    done_file = ends[1];
    for (int i = 0; i < 3; i++) {
        (void)add(store, &hanging, i ? (i > 1 ? "c" : "b") : "a", i ? (i > 1 ? "3" : "2") : "1");
        db_disconnect(store->db);
        runners[i] = fixture_fork(hang_as_runner, store, i);
        CHECK(read(ends[0], &byte, 1) == 1 && byte == "abc"[i]);
    }
    CHECK_INT(files_in(folder), 3);
    CHECK_INT(fixture_wait(fixture_fork(come_after, store, 50)), 0); /* they all live */
    for (int i = 1; i < 3; i++) {
        kill(runners[i], SIGKILL);
        (void)fixture_wait(runners[i]);
    }
    CHECK_INT(fixture_wait(fixture_fork(come_after, store, 50)), 1);
    CHECK_INT(found(store, "b").interruptions, 1);
    CHECK(found(store, "a").held && found(store, "c").held);
    CHECK_INT(files_in(folder), 3); /* of who lives, of the other program, of the last one */
    kill(runners[0], SIGKILL);
    (void)fixture_wait(runners[0]);
    CHECK_INT(fixture_wait(fixture_fork(come_after, store, 50)), 1);
    close(ends[0]);
    close(ends[1]);
}

/* The n-th statement of a run fails, for every n: the effect and the end go together. */
ON_BOTH(the_end_and_the_effect_are_one)
{
    struct job_kind quick = plain;
    static const struct statement ripe = {"ripe", "UPDATE jobs SET due_at = 0"};
    static const struct statement done = {"done", "SELECT count(*) FROM jobs WHERE state = 'done'"};

    make_tables(store);
    quick.interruptions_max = 100;
    (void)add(store, &quick, "steps", NULL);
    for (int n = 1; n < 20 && store_integer(store, &done) == 0; n++) {
        struct arena *arena = arena_create((size_t)1 << 24);
        struct job_counts tally = {0};
        enum error error;

        db_fail_after(store->db, n);
        error = job_run_due(store->db, arena, &quick, NULL, 1, &tally, &store->problem);
        db_fail_after(store->db, 0);
        CHECK_INT(store_integer(store, &done), store_integer(store, &count_effects));
        CHECK(error || n > 4);
        CHECK_OK(store_run(store, &ripe));
        arena_destroy(arena);
    }
    CHECK_INT(store_integer(store, &done), 1);
}

/* Runners that are killed at any moment. */
enum { RUNNERS = 4, JOBS_QUICK = 500, JOBS_SOAK = 10000 };

static void note_in_file(struct job *job, struct job_verdict *verdict)
{
    char line[64];
    int length = snprintf(line, sizeof line, "%s\n", job->key);

    if (write(done_file, line, (size_t)length) != length)
        verdict->outcome = JOB_FAILED;
    usleep(200);
}

static const struct job_kind endangered = {.name = "test.plain",
                                           .lease_seconds = 1,
                                           .attempts = 1,
                                           .interruptions_max = 1000,
                                           .batch = 4,
                                           .perform = note_in_file,
                                           .record = write_effect};

static int run_for_ever(struct store *store, int number)
{
    const struct db_options options = DB_OPTIONS_DEFAULT;
    struct arena *arena = arena_create((size_t)1 << 24);
    struct db *db = store_connect(store, &options);

    (void)number;
    for (;;) {
        struct job_counts tally = {0};

        if (job_run_due(db, arena, &endangered, NULL, 100, &tally, &store->problem) ||
            !tally.claimed)
            fixture_pause(20);
    }
    return 0;
}

/* Kills one runner after the other, at moments that are not chosen, until all is done. */
static int kill_until_done(struct store *store, int count)
{
    static const struct statement left = {"left",
                                          "SELECT count(*) FROM jobs WHERE state = 'waiting'"};
    int64_t deadline = clock_monotonic_microseconds() + (int64_t)count * 20000 + 20000000;
    pid_t runners[RUNNERS];
    int kills = 0;

    for (int i = 0; i < RUNNERS; i++)
        runners[i] = fixture_fork(run_for_ever, store, i);
    while (store_integer(store, &left) > 0 && clock_monotonic_microseconds() < deadline) {
        int victim = kills % RUNNERS;

        fixture_pause(5 + (kills * 37) % 60);
        kill(runners[victim], SIGKILL);
        (void)fixture_wait(runners[victim]);
        runners[victim] = fixture_fork(run_for_ever, store, victim);
        kills++;
    }
    for (int i = 0; i < RUNNERS; i++) {
        kill(runners[i], SIGKILL);
        (void)fixture_wait(runners[i]);
    }
    return kills;
}

static int64_t distinct_lines(const char *path, int count)
{
    bool *seen = calloc((size_t)count, sizeof *seen);
    FILE *file = fopen(path, "r");
    int64_t distinct = 0;
    int number;

    if (!file || !seen)
        fixture_fatal("read what was done", NULL);
    while (fscanf(file, "job %d\n", &number) == 1) {
        distinct += !seen[number];
        seen[number] = true;
    }
    fclose(file);
    free(seen);
    return distinct;
}

ON_BOTH(killed_runners_lose_nothing_and_do_nothing_twice)
{
    static const struct statement twice = {
        "twice", "SELECT count(*) FROM (SELECT job_key FROM effects GROUP BY job_key"
                 " HAVING count(*) > 1) AS repeated"};
    static const struct statement done = {"done", "SELECT count(*) FROM jobs WHERE state = 'done'"};
    const int count = getenv("ASSAY_TEST_SOAK") ? JOBS_SOAK : JOBS_QUICK;
    const char *path = arena_print(store->arena, "%s/done", store->directory);

    make_tables(store);
    CHECK_OK(db_begin(store->db, DB_WRITE, &store->problem));
    for (int i = 0; i < count; i++)
        CHECK(add(store, &endangered, arena_print(store->arena, "job %d", i), NULL));
    CHECK_OK(db_commit(store->db, &store->problem));
    done_file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    db_disconnect(store->db);
    CHECK(kill_until_done(store, count) > 3);
    close(done_file);
    CHECK_INT(store_integer(store, &done), count);
    CHECK_INT(store_integer(store, &count_effects), count);
    CHECK_INT(store_integer(store, &twice), 0);
    CHECK_INT(distinct_lines(path, count), count);
}

TEST_MAIN(CASE(a_job_names_the_request_that_has_caused_it),
          CASE(a_job_goes_with_the_transaction_that_added_it),
          CASE(failures_follow_the_plan_and_end_as_dead_letters),
          CASE(what_will_never_work_is_dead_at_once), CASE(pauses_are_kept),
          CASE(jobs_of_a_clock_that_was_set_back_are_due_now),
          CASE(a_record_that_refuses_makes_the_run_a_failure),
          CASE(who_lost_the_lease_writes_nothing), CASE(a_job_that_kills_its_runners_is_given_up),
          CASE(lanes_take_turns), CASE(a_full_lane_does_not_hold_up_the_others),
          CASE(memory_that_runs_out_is_a_failure_of_its_job), CASE(what_is_finished_is_forgotten),
          CASE(who_knows_of_a_death_need_not_wait_for_the_lease),
          CASE(the_next_start_takes_up_what_a_dead_one_of_its_program_had),
          CASE(the_end_and_the_effect_are_one),
          CASE(killed_runners_lose_nothing_and_do_nothing_twice))
