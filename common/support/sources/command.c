/* Importing files and folders, with progress and a report; following a folder by inotify. */
#include "support/sources/command.h"
#include "accounts/people.h"
#include "base/clock.h"
#include "base/help.h"
#include "base/list.h"
#include "base/log.h"
#include "base/text.h"
#include "jobs/main_loop.h"
#include "support/sources/folder.h"
#include "support/sources/program.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SCAN_MEMORY_MAX = 256 * 1024 * 1024, /* the names of FOLDER_FILES_MAX files */
    EVENTS_BYTES = 65536,
    QUIET_SECONDS = 2,    /* a file is taken when it has not changed for so long */
    RESCAN_SECONDS = 600, /* for file systems that report nothing, such as NFS */
    FAILURE_MAX = 512,
    POLL_SECONDS = 10 /* when the kernel has no watches left */
};

struct sources {
    struct source_program program;
    bool watch, group_by_folder;
    char **paths;
    int count;
    struct arena *scan;
    struct folder_plan plan;
    struct folder_result sum; /* of an import */
    int64_t done;             /* files of an import, for its progress */
    int events;               /* inotify; -1 = none */
    bool no_watches;          /* the kernel has no more */
    bool again;               /* a file was not ready, or failed */
    int64_t scan_at;          /* monotonic seconds of the next scan without an event */
    struct text unread;       /* what a scan could not read */
    int64_t unread_count;
    char failure[FAILURE_MAX]; /* the last failure of a scan */
};

bool sources_are_meant(int argc, char **argv)
{
    return argc > 1 && strcmp(argv[1], "--every") != 0 && strcmp(argv[1], "--reindex") != 0 &&
           strcmp(argv[1], "--help") != 0 && strcmp(argv[1], "--version") != 0;
}

static bool take_option(struct sources *sources, char **argv, int argc, int *at)
{
    const char *word = argv[*at];

    if (strcmp(word, "--watch") == 0)
        sources->watch = true;
    else if (strcmp(word, "--group-by-folder") == 0)
        sources->group_by_folder = true;
    else if (strcmp(word, "--tenant") == 0 && *at + 1 < argc)
        sources->program.tenant = argv[++*at];
    else if (strcmp(word, "--groups") == 0 && *at + 1 < argc)
        sources->program.groups = argv[++*at];
    else
        return false;
    return true;
}

static bool read_arguments(struct sources *sources, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-')
            sources->paths[sources->count++] = argv[i];
        else if (!take_option(sources, argv, argc, &i))
            return false;
    }
    return sources->count && (!sources->watch || sources->count == 1) &&
           person_is_tenant(sources->program.tenant);
}

/* -- following --------------------------------------------------------------------------------- */

static void watch_folder(void *context, const char *path)
{
    struct sources *sources = context;
    const uint32_t mask = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE |
                          IN_ATTRIB | IN_ONLYDIR | IN_DONT_FOLLOW;

    if (sources->events >= 0 && inotify_add_watch(sources->events, path, mask) < 0 &&
        errno == ENOSPC && !sources->no_watches) {
        sources->no_watches = true;
        log_event(LOG_WARNING, "folder_polled",
                  "the kernel has no more watches (fs.inotify.max_user_watches)");
    }
}

static void log_file(void *context, enum folder_outcome outcome, const char *path, const char *why)
{
    static const char *const events[] = {[FOLDER_TAKEN] = "file_taken",
                                         [FOLDER_SAME] = "file_same",
                                         [FOLDER_REFUSED] = "file_refused",
                                         [FOLDER_FAILED] = "file_failed",
                                         [FOLDER_REMOVED] = "file_removed"};
    struct sources *sources = context;
    bool is_bad = outcome == FOLDER_REFUSED || outcome == FOLDER_FAILED;

    log_event(is_bad ? LOG_WARNING : LOG_INFO, events[outcome],
              why ? arena_print(sources->scan, "%s: %s", path, why) : path);
}

static void note_unread(void *context, const char *path, const char *why)
{
    struct sources *sources = context;

    sources->unread_count++;
    text_append_format(&sources->unread, "%s%s: %s", sources->unread_count > 1 ? "; " : "", path,
                       why);
}

/* Whether something happened; what it was, the scan finds out. */
static bool drain_events(const struct sources *sources)
{
    char bytes[EVENTS_BYTES] __attribute__((aligned(__alignof__(struct inotify_event))));
    bool any = false;

    while (sources->events >= 0 && read(sources->events, bytes, sizeof bytes) > 0)
        any = true;
    return any;
}

static enum error scan(struct sources *sources, struct folder_result *result)
{
    struct document_call call = {.arena = sources->scan,
                                 .tenant = sources->program.tenant,
                                 .problem = &sources->program.problem};
    enum error error = store_prepare(sources->program.store, &call.db, &sources->program.problem);

    if (!error)
        error = folder_scan(&call, &sources->plan, result);
    db_end_of_request(store_handle(sources->program.store));
    return error;
}

static int64_t seconds_now(void)
{
    return clock_monotonic_microseconds() / 1000000;
}

/* Once for scans that end alike. */
static void log_change(struct sources *sources, enum error error)
{
    const char *text = error ? sources->program.problem.text : sources->unread.bytes;

    if (*text && strncmp(text, sources->failure, FAILURE_MAX - 1) != 0)
        log_event(error ? LOG_ERROR : LOG_WARNING, error ? "folder_not_read" : "folder_partly_read",
                  text);
    (void)!snprintf(sources->failure, sizeof sources->failure, "%s", text);
}

static bool follow(void *context)
{
    struct sources *sources = context;
    struct folder_result result = {0};
    bool is_due = drain_events(sources) || sources->again || seconds_now() >= sources->scan_at;
    enum error error;

    if (!is_due)
        return false;
    text_start(&sources->unread, sources->scan, FAILURE_MAX - 1);
    sources->unread_count = 0;
    error = scan(sources, &result);
    log_change(sources, error);
    sources->again = result.waiting > 0;
    sources->scan_at = seconds_now() + (error || result.counts[FOLDER_FAILED] || sources->no_watches
                                            ? POLL_SECONDS
                                            : RESCAN_SECONDS);
    arena_reset(sources->scan);
    return false;
}

static int run_watch(struct sources *sources, const char *root)
{
    sources->plan.root = root;
    sources->plan.removes = true;
    sources->plan.quiet_seconds = QUIET_SECONDS;
    sources->plan.must_stop = main_loop_must_stop;
    sources->plan.folder = watch_folder;
    sources->plan.report = log_file;
    sources->plan.unread = note_unread;
    sources->events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    sources->no_watches = sources->events < 0;
    main_loop_run(1, follow, sources);
    if (sources->events >= 0)
        close(sources->events);
    return SOURCES_DONE;
}

/* -- importing --------------------------------------------------------------------------------- */

static void print_file(void *context, enum folder_outcome outcome, const char *path,
                       const char *why)
{
    struct sources *sources = context;

    sources->done++;
    if (outcome == FOLDER_REFUSED || outcome == FOLDER_FAILED)
        printf("%s: %s\n", path, why);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%lld files", (long long)sources->done);
}

static void print_unread(void *context, const char *path, const char *why)
{
    struct sources *sources = context;

    sources->unread_count++;
    printf("%s: %s\n", path, why);
}

static enum error import(struct sources *sources, const char *path, struct folder_result *result)
{
    struct document_call call = {.arena = sources->scan,
                                 .tenant = sources->program.tenant,
                                 .problem = &sources->program.problem};
    char *slash = strrchr(path, '/');
    struct stat status;
    enum error error = store_prepare(sources->program.store, &call.db, &sources->program.problem);

    if (error)
        return error;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        sources->plan.root = path;
        error = folder_scan(&call, &sources->plan, result);
    } else {
        sources->plan.root = arena_copy(sources->scan, path, (size_t)(slash - path));
        error = folder_take(&call, &sources->plan, path, result);
    }
    db_end_of_request(store_handle(sources->program.store));
    return error;
}

static void add(struct folder_result *sum, const struct folder_result *result)
{
    sum->found += result->found;
    sum->waiting += result->waiting;
    for (int i = 0; i < FOLDER_OUTCOME__MAX; i++)
        sum->counts[i] += result->counts[i];
}

static int print_report(const struct sources *sources)
{
    const struct folder_result *sum = &sources->sum;
    int64_t bad = sum->counts[FOLDER_REFUSED] + sum->counts[FOLDER_FAILED] + sum->waiting;
    int64_t ended = sum->counts[FOLDER_TAKEN] + sum->counts[FOLDER_SAME] + bad;

    if (isatty(STDERR_FILENO))
        fputc('\n', stderr);
    printf("%lld files: %lld taken, %lld unchanged, %lld refused, %lld failed, %lld still "
           "written\n",
           (long long)sum->found, (long long)sum->counts[FOLDER_TAKEN],
           (long long)(sum->counts[FOLDER_SAME] + sum->found - ended),
           (long long)sum->counts[FOLDER_REFUSED], (long long)sum->counts[FOLDER_FAILED],
           (long long)sum->waiting);
    return bad || sources->unread_count ? SOURCES_REFUSED : SOURCES_DONE;
}

static int run_import(struct sources *sources)
{
    sources->plan.report = print_file;
    sources->plan.unread = print_unread;
    for (int i = 0; i < sources->count; i++) {
        struct folder_result result = {0};

        if (import(sources, sources->paths[i], &result))
            return source_program_fail(&sources->program);
        add(&sources->sum, &result);
        arena_reset(sources->scan);
    }
    return print_report(sources);
}

/* -- both -------------------------------------------------------------------------------------- */

/* Names are kept as absolute paths without links. */
static bool resolve(struct sources *sources)
{
    struct stat status;

    for (int i = 0; i < sources->count; i++) {
        char resolved[PATH_MAX];
        bool is_there = realpath(sources->paths[i], resolved) && stat(resolved, &status) == 0;

        if (is_there && sources->watch && !S_ISDIR(status.st_mode)) {
            is_there = false;
            errno = ENOTDIR;
        }
        if (!is_there) {
            fprintf(stderr, "ingest: %s: %s\n", sources->paths[i], strerror(errno));
            return false;
        }
        sources->paths[i] = arena_copy_string(sources->program.arena, resolved);
    }
    return true;
}

static int run(struct sources *sources)
{
    struct source_program *program = &sources->program;

    if (!resolve(sources) || !source_program_open(program))
        return SOURCES_FAILED;
    sources->plan.settings = &program->settings;
    sources->plan.groups = program->new_groups;
    sources->plan.group_by_folder = sources->group_by_folder;
    sources->plan.models = program->models;
    sources->plan.work = program->work;
    sources->plan.context = sources;
    return sources->watch ? run_watch(sources, sources->paths[0]) : run_import(sources);
}

int sources_main(int argc, char **argv, const char *help)
{
    struct sources sources = {.events = -1};
    int status = SOURCES_FAILED;

    if (!source_program_start(&sources.program))
        return SOURCES_FAILED;
    sources.scan = arena_create(SCAN_MEMORY_MAX);
    sources.paths = ARENA_ARRAY(sources.program.arena, char *, (size_t)argc);
    if (!read_arguments(&sources, argc, argv)) {
        help_print_usage(help);
        status = SOURCES_USAGE;
    } else if (sources.scan) {
        status = run(&sources);
    }
    if (sources.scan)
        arena_destroy(sources.scan);
    return source_program_end(&sources.program, status);
}
