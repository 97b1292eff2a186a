/* SQLite when things go wrong: no space, no permission, wrong files, killed writers. Whatever was
 * acknowledged is there afterwards, and the same handle works again once the cause is gone. */
#include "../db/fixture.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

static const char rows_table[] = "CREATE TABLE rows (id {integer} PRIMARY KEY, filling {text})"
                                 " {strict};";

static const struct statement add = {"add", "INSERT INTO rows (id, filling) VALUES (?, ?)"};
static const struct statement count_all = {"count_all", "SELECT count(*) FROM rows"};
static const struct statement largest = {"largest", "SELECT coalesce(max(id), 0) FROM rows"};
static const struct statement check_all = {"check_all", .sqlite = "PRAGMA integrity_check"};

static enum error add_row(struct db *db, int64_t id, const char *filling, struct problem *problem)
{
    struct query *query = db_query(db, &add);

    query_bind_integer(query, id);
    query_bind_text(query, filling);
    return query_end(query, problem);
}

static void check_whole(struct store *store, struct db *db)
{
    struct query *query = db_query(db, &check_all);

    CHECK(query_next(query));
    CHECK_TEXT(query_text(query, 0, store->arena), "ok");
    CHECK_OK(query_end(query, &store->problem));
}

static const char *path_in(struct store *store, const char *name)
{
    return arena_print(store->arena, "%s/%s", store->directory, name);
}

static mode_t mode_of(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 ? status.st_mode & 0777 : 0;
}

ON_ONE(files_are_private_and_directories_are_made, DB_SQLITE)
{
    mode_t mask = umask(0);
    struct db *db;

    store->target = path_in(store, "new/deeper/file.sqlite3");
    db = store_connect(store, NULL);
    CHECK_OK(store_script(store, db, rows_table));
    CHECK_INT(mode_of(store->target), 0600);
    CHECK_INT(mode_of(path_in(store, "new/deeper/file.sqlite3-wal")), 0600);
    CHECK_INT(mode_of(path_in(store, "new/deeper/file.sqlite3-shm")), 0600);
    CHECK_INT(mode_of(path_in(store, "new/deeper")), 0700);
    db_close(db);
    umask(mask);
}

ON_ONE(places_without_a_file_are_told, DB_SQLITE)
{
    const char *targets[] = {"/proc/no/such/file.sqlite3", "/dev/null/file.sqlite3",
                             store->directory};

    for (size_t i = 0; i < 3; i++) {
        struct db_health health;
        struct db *db;

        store->target = targets[i];
        db = store_connect(store, NULL);
        CHECK_FAILS(db_connect(db, &store->problem), ERROR_UNAVAILABLE, "database_unavailable");
        CHECK(strstr(store->problem.text, targets[i]) || i == 2);
        db_health(db, &health);
        CHECK(!health.reachable && !health.writable && health.detail[0]);
        db_close(db);
    }
}

ON_ONE(files_that_are_no_database_are_told, DB_SQLITE)
{
    FILE *file = fopen(store->target, "w");

    for (int i = 0; file && i < 2000; i++)
        fputs("this is not a database\n", file);
    CHECK(file && fclose(file) == 0);
    CHECK_FAILS(db_connect(store->db, &store->problem), ERROR_UNAVAILABLE, "database_corrupt");
    unlink(store->target);
    CHECK_OK(db_connect(store->db, &store->problem));
}

ON_ONE(damaged_pages_are_told, DB_SQLITE)
{
    char *filling = calloc(1, 3001);
    int file;

    memset(filling, 'x', 3000);
    CHECK_OK(store_script(store, store->db, rows_table));
    for (int i = 0; i < 50; i++)
        CHECK_OK(add_row(store->db, i, filling, &store->problem));
    db_disconnect(store->db);
    memset(filling, 0xa5, 3000);
    file = open(store->target, O_WRONLY);
    CHECK(file >= 0 && pwrite(file, filling, 3000, 4096) == 3000);
    close(file);
    CHECK_FAILS(store_run(store, &count_all), ERROR_UNAVAILABLE, "database_corrupt");
    CHECK_FAILS(add_row(store->db, 99, "x", &store->problem), ERROR_UNAVAILABLE,
                "database_corrupt");
    free(filling);
}

ON_ONE(a_replaced_file_is_noticed, DB_SQLITE)
{
    struct db *db = store->db;

    CHECK_OK(store_script(store, db, rows_table));
    CHECK_OK(add_row(db, 1, "x", &store->problem));
    CHECK_OK(db_maintain(db, &store->problem)); /* all of it into the file itself */
    db_end_of_request(db);
    CHECK(rename(store->target, path_in(store, "aside")) == 0);
    unlink(path_in(store, "test.sqlite3-wal"));
    unlink(path_in(store, "test.sqlite3-shm"));
    CHECK_FAILS(add_row(db, 2, "x", &store->problem), ERROR_UNAVAILABLE, "database_unavailable");
    CHECK(strstr(store->problem.text, "is gone") != NULL);
    CHECK(access(store->target, F_OK) != 0);
    db_end_of_request(db);
    CHECK(rename(path_in(store, "aside"), store->target) == 0);
    CHECK_OK(add_row(db, 2, "x", &store->problem));
    CHECK_INT(store_integer(store, &count_all), 2);
}

/* As an ordinary user, whom permissions concern. */
static int write_without_permission(struct store *store, int number)
{
    static const enum db_journal_mode modes[] = {DB_JOURNAL_DELETE, DB_JOURNAL_WAL};
    struct db_options options = DB_OPTIONS_DEFAULT;
    struct db_health health;
    struct db *db;

    if (geteuid() == 0 && seteuid(65534) != 0)
        return 1;
    test_failures_here = 0;
    options.journal_mode = modes[number];
    db = store_connect(store, &options);
    if (number == 0) {
        CHECK_OK(query_end(db_query(db, &count_all), &store->problem));
        CHECK_FAILS(add_row(db, 2, "x", &store->problem), ERROR_UNAVAILABLE, "database_read_only");
        CHECK_FAILS(db_begin(db, DB_WRITE, &store->problem), ERROR_UNAVAILABLE,
                    "database_read_only");
    } else {
        CHECK_INT(add_row(db, 2, "x", &store->problem), ERROR_UNAVAILABLE);
    }
    db_health(db, &health);
    CHECK(!health.writable && health.write_detail[0]);
    db_close(db);
    return test_failures_here ? 1 : 0;
}

ON_ONE(files_without_permission_are_told, DB_SQLITE)
{
    for (int i = 0; i < 2; i++) {
        struct db_options options = DB_OPTIONS_DEFAULT;
        struct db *db;

        store->target = path_in(store, i ? "wal" : "delete");
        options.journal_mode = i ? DB_JOURNAL_WAL : DB_JOURNAL_DELETE;
        db = store_connect(store, &options);
        CHECK_OK(store_script(store, db, rows_table));
        CHECK_OK(add_row(db, 1, "x", &store->problem));
        db_close(db);
        CHECK(chmod(store->target, 0444) == 0 && chmod(store->directory, 0555) == 0);
        CHECK_INT(fixture_wait(fixture_fork(write_without_permission, store, i)), 0);
        CHECK(chmod(store->directory, 0700) == 0);
    }
}

/* Commits row after row and says each number on the pipe once it is acknowledged; every third
 * transaction holds a second row far away. */
static int write_and_tell(struct store *store, int pipe_end)
{
    struct db *db = store_connect(store, NULL);

    for (int64_t id = 1;; id++) {
        enum error error = db_begin(db, DB_WRITE, &store->problem);

        if (!error)
            error = add_row(db, id, "x", &store->problem);
        if (!error && id % 3 == 0)
            error = add_row(db, id + 1000000, "x", &store->problem);
        if (db_finish(db, error, &store->problem))
            return 1;
        if (write(pipe_end, &id, sizeof id) != sizeof id)
            return 2;
    }
}

ON_ONE(a_killed_writer_loses_nothing_it_has_acknowledged, DB_SQLITE)
{
    static const struct statement pairs = {
        "pairs", "SELECT count(*) FROM rows AS low LEFT JOIN rows AS high"
                 " ON high.id = low.id + 1000000 WHERE low.id % 3 = 0 AND low.id < 1000000"
                 " AND high.id IS NULL"};
    static const struct statement low = {"low", "SELECT count(*), coalesce(max(id), 0) FROM rows"
                                                " WHERE id < 1000000"};
    static const struct statement clear = {"clear", "DELETE FROM rows"};

    CHECK_OK(store_script(store, store->db, rows_table));
    for (int round = 0; round < 12; round++) {
        int64_t id, acknowledged = 0;
        struct query *query;
        int ends[2];
        pid_t child;

        db_disconnect(store->db);
        CHECK(pipe(ends) == 0);
        child = fixture_fork(write_and_tell, store, ends[1]);
        close(ends[1]);
        CHECK(read(ends[0], &acknowledged, sizeof acknowledged) == sizeof acknowledged);
        fixture_pause(round * 7);
        kill(child, SIGKILL);
        CHECK_INT(fixture_wait(child), 128 + SIGKILL);
        while (read(ends[0], &id, sizeof id) == sizeof id)
            acknowledged = id;
        close(ends[0]);
        query = db_query(store->db, &low);
        CHECK(query_next(query));
        CHECK(query_integer(query, 1) >= acknowledged); /* the last may not have been told */
        CHECK(query_integer(query, 1) <= acknowledged + 1);
        CHECK_INT(query_integer(query, 0), query_integer(query, 1));
        CHECK_OK(query_end(query, &store->problem));
        CHECK(acknowledged > 0);
        CHECK_INT(store_integer(store, &pairs), 0);
        check_whole(store, store->db);
        CHECK_OK(store_run(store, &clear));
    }
}

static int stop_in_transaction(struct store *store, int number)
{
    struct db *db = store_connect(store, NULL);

    if (db_begin(db, DB_WRITE, &store->problem))
        return 1;
    for (int64_t id = 0; id < 500; id++) {
        if (add_row(db, number + id, "x", &store->problem))
            return 2;
    }
    raise(SIGSTOP);
    return 3;
}

ON_ONE(a_writer_killed_in_mid_transaction_leaves_nothing, DB_SQLITE)
{
    pid_t child;
    int status;

    CHECK_OK(store_script(store, store->db, rows_table));
    CHECK_OK(add_row(store->db, 1, "x", &store->problem));
    db_disconnect(store->db);
    child = fixture_fork(stop_in_transaction, store, 100);
    CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
    CHECK_INT(store_integer(store, &count_all), 1);
    kill(child, SIGKILL);
    CHECK_INT(fixture_wait(child), 128 + SIGKILL);
    CHECK_OK(add_row(store->db, 2, "x", &store->problem));
    CHECK_INT(store_integer(store, &count_all), 2);
    check_whole(store, store->db);
}

static bool tell_kernel(const char *path, const char *text)
{
    int file = open(path, O_WRONLY);
    bool told = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);

    if (file >= 0)
        close(file);
    return told;
}

/* A name space in which an ordinary user may mount, and is still the same user. */
static bool enter_name_space(void)
{
    char users[64], groups[64];

    snprintf(users, sizeof users, "%d %d 1", (int)getuid(), (int)getuid());
    snprintf(groups, sizeof groups, "%d %d 1", (int)getgid(), (int)getgid());
    return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
           tell_kernel("/proc/self/setgroups", "deny") &&
           tell_kernel("/proc/self/uid_map", users) && tell_kernel("/proc/self/gid_map", groups);
}

/* A file system of one megabyte; why not, or NULL. */
static const char *mount_small(const char *directory)
{
    if (mount("tmpfs", directory, "tmpfs", 0, "size=1m") == 0 ||
        (enter_name_space() && mount("tmpfs", directory, "tmpfs", 0, "size=1m") == 0))
        return NULL;
    return strerror(errno);
}

/* Writes until nothing fits any more; how many rows were acknowledged. */
static int64_t fill_up(struct store *store, struct db *db, bool together)
{
    char filling[2001];
    int64_t id = store_integer(store, &largest), acknowledged = id;
    enum error error = ERROR_NONE;

    memset(filling, 'x', 2000);
    filling[2000] = '\0';
    while (!error && id < 100000) {
        if (together)
            error = db_begin(db, DB_WRITE, &store->problem);
        for (int i = 0; !error && i < (together ? 7 : 1); i++)
            error = add_row(db, ++id, filling, &store->problem);
        if (together)
            error = db_finish(db, error, &store->problem);
        if (!error)
            acknowledged = id;
    }
    CHECK_FAILS(error, ERROR_UNAVAILABLE, "disk_full");
    CHECK(!fixture_in_transaction(db));
    return acknowledged;
}

static int fill_small_disk(struct store *store, int number)
{
    struct db_options options = DB_OPTIONS_DEFAULT;
    const char *ballast = path_in(store, "small/ballast");
    const char *refused = mount_small(path_in(store, "small"));
    char block[65536] = "";
    int file;

    if (refused) {
        printf("skipped: a small file system cannot be mounted: %s\n", refused);
        return 0;
    }
    test_failures_here = 0;
    file = open(ballast, O_WRONLY | O_CREAT, 0600);
    for (int i = 0; i < 4; i++)
        CHECK(write(file, block, sizeof block) == sizeof block);
    close(file);
    store->target = path_in(store, "small/test.sqlite3");
    options.journal_mode = number & 1 ? DB_JOURNAL_WAL : DB_JOURNAL_DELETE;
    store->db = store_connect(store, &options);
    CHECK_OK(store_script(store, store->db, rows_table));
    for (int round = 0; round < 2; round++) {
        int64_t acknowledged = fill_up(store, store->db, number & 2);

        CHECK(acknowledged > 0);
        CHECK_INT(store_integer(store, &count_all), acknowledged);
        CHECK_INT(store_integer(store, &largest), acknowledged);
        CHECK(db_end_of_request(store->db));
        if (round == 0) /* room again: the same handle goes on */
            unlink(ballast);
    }
    check_whole(store, store->db);
    db_close(store->db);
    umount(path_in(store, "small"));
    return test_failures_here ? 1 : 0;
}

ON_ONE(a_full_disk_loses_nothing_it_has_acknowledged, DB_SQLITE)
{
    for (int number = 0; number < 4; number++) {
        CHECK(mkdir(path_in(store, "small"), 0700) == 0);
        CHECK_INT(fixture_wait(fixture_fork(fill_small_disk, store, number)), 0);
        rmdir(path_in(store, "small"));
    }
}

ON_ONE(every_journal_mode_and_synchronous_can_be_set, DB_SQLITE)
{
    for (int mode = 0; mode < DB_JOURNAL__MAX; mode++) {
        struct db_options options = DB_OPTIONS_DEFAULT;
        struct db_health health;
        struct db *db;

        options.journal_mode = (enum db_journal_mode)mode;
        options.synchronous = (enum db_synchronous)(mode % DB_SYNCHRONOUS__MAX);
        store->target = path_in(store, db_journal_mode_names[mode]);
        db = store_connect(store, &options);
        CHECK_OK(store_script(store, db, rows_table));
        CHECK_OK(add_row(db, 1, "x", &store->problem));
        db_health(db, &health);
        CHECK_TEXT(health.journal_mode, db_journal_mode_names[mode]);
        CHECK_TEXT(health.synchronous, db_synchronous_names[mode % DB_SYNCHRONOUS__MAX]);
        CHECK(health.journal_mode_as_configured && health.writable);
        db_close(db);
    }
}

ON_ONE(the_size_of_the_page_cache_can_be_set, DB_SQLITE)
{
    static const struct statement size = {.name = "cache_size", .sql = "PRAGMA cache_size"};
    static const struct {
        int kib, expected;
    } cases[] = {{0, -2000}, {3000, -3000}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct db_options options = DB_OPTIONS_DEFAULT;
        struct query *query;
        struct db *db;

        options.cache_kib = cases[i].kib;
        db = store_connect(store, &options);
        query = db_query(db, &size);
        CHECK(query_next(query));
        CHECK_INT(query_integer(query, 0), cases[i].expected);
        CHECK_OK(query_end(query, &store->problem));
        db_close(db);
    }
}

ON_ONE(a_file_keeps_the_pages_that_it_was_made_with, DB_SQLITE)
{
    static const struct statement size = {.name = "page_size", .sql = "PRAGMA page_size"};
    static const int asked[] = {1024, 8192, 0};

    store->target = path_in(store, "small_pages");
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        struct db_options options = DB_OPTIONS_DEFAULT;
        struct query *query;
        struct db *db;

        options.page_bytes = asked[i];
        db = store_connect(store, &options);
        if (i == 0)
            CHECK_OK(store_script(store, db, rows_table));
        query = db_query(db, &size);
        CHECK(query_next(query));
        CHECK_INT(query_integer(query, 0), asked[0]);
        CHECK_OK(query_end(query, &store->problem));
        db_close(db);
    }
}

ON_ONE(housekeeping_empties_the_log, DB_SQLITE)
{
    const char *log = path_in(store, "test.sqlite3-wal");
    struct stat status;

    CHECK_OK(store_script(store, store->db, rows_table));
    for (int i = 0; i < 100; i++)
        CHECK_OK(add_row(store->db, i, "x", &store->problem));
    CHECK(stat(log, &status) == 0 && status.st_size > 0);
    CHECK_OK(db_maintain(store->db, &store->problem));
    CHECK(stat(log, &status) == 0 && status.st_size == 0);
}

ON_ONE(housekeeping_gives_the_planner_its_statistics, DB_SQLITE)
{
    static const struct statement indexed = {"indexed",
                                             "CREATE INDEX by_filling ON rows (filling)"};
    static const struct statement known = {"known", "SELECT count(*) FROM sqlite_stat1"};
    struct query *query;

    CHECK_OK(store_script(store, store->db, rows_table));
    CHECK_OK(store_run(store, &indexed));
    for (int i = 0; i < 10; i++)
        CHECK_OK(add_row(store->db, i, "x", &store->problem));
    db_disconnect(store->db); /* as of a program that has asked nothing */
    CHECK_OK(db_maintain(store->db, &store->problem));
    query = db_query(store->db, &known);
    CHECK(query_next(query) && query_integer(query, 0) == 1);
    CHECK_OK(query_end(query, &store->problem));
}

TEST_MAIN(CASE(files_are_private_and_directories_are_made), CASE(places_without_a_file_are_told),
          CASE(files_that_are_no_database_are_told), CASE(damaged_pages_are_told),
          CASE(a_replaced_file_is_noticed), CASE(files_without_permission_are_told),
          CASE(a_killed_writer_loses_nothing_it_has_acknowledged),
          CASE(a_writer_killed_in_mid_transaction_leaves_nothing),
          CASE(a_full_disk_loses_nothing_it_has_acknowledged),
          CASE(every_journal_mode_and_synchronous_can_be_set),
          CASE(the_size_of_the_page_cache_can_be_set),
          CASE(a_file_keeps_the_pages_that_it_was_made_with), CASE(housekeeping_empties_the_log),
          CASE(housekeeping_gives_the_planner_its_statistics))
