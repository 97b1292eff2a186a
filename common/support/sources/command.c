/* Importing files and folders, with progress and a report; following a folder by inotify. */
#include "support/sources/command.h"
#include "accounts/groups.h"
#include "accounts/people.h"
#include "base/clock.h"
#include "base/help.h"
#include "base/list.h"
#include "base/log.h"
#include "base/text.h"
#include "jobs/main_loop.h"
#include "support/documents/contexts.h"
#include "support/models/models.h"
#include "support/programs/open.h"
#include "support/sources/folder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, EXIT_REFUSED };
enum {
    MEMORY_MAX = 256 * 1024 * 1024, /* the names of FOLDER_FILES_MAX files */
    EVENTS_BYTES = 65536,
    QUIET_SECONDS = 2,    /* a file is taken when it has not changed for so long */
    RESCAN_SECONDS = 600, /* for file systems that report nothing, such as NFS */
    FAILURE_MAX = 512,
    POLL_SECONDS = 10 /* when the kernel has no watches left */
};

struct sources {
    const char *tenant;
    const char *groups;
    bool watch, group_by_folder;
    char **paths;
    int count;
    struct support_settings settings;
    struct arena *arena, *scan;
    struct store *store;
    struct metrics *metrics;
    struct problem problem;
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
        sources->tenant = argv[++*at];
    else if (strcmp(word, "--groups") == 0 && *at + 1 < argc)
        sources->groups = argv[++*at];
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
           person_is_tenant(sources->tenant);
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
    struct document_call call = {
        .arena = sources->scan, .tenant = sources->tenant, .problem = &sources->problem};
    enum error error = store_prepare(sources->store, &call.db, &sources->problem);

    if (!error)
        error = folder_scan(&call, &sources->plan, result);
    db_end_of_request(store_handle(sources->store));
    return error;
}

static int64_t seconds_now(void)
{
    return clock_monotonic_microseconds() / 1000000;
}

/* Once for scans that end alike. */
static void log_change(struct sources *sources, enum error error)
{
    const char *text = error ? sources->problem.text : sources->unread.bytes;

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
    return EXIT_DONE;
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
    struct document_call call = {
        .arena = sources->scan, .tenant = sources->tenant, .problem = &sources->problem};
    char *slash = strrchr(path, '/');
    struct stat status;
    enum error error = store_prepare(sources->store, &call.db, &sources->problem);

    if (error)
        return error;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        sources->plan.root = path;
        error = folder_scan(&call, &sources->plan, result);
    } else {
        sources->plan.root = arena_copy(sources->scan, path, (size_t)(slash - path));
        error = folder_take(&call, &sources->plan, path, result);
    }
    db_end_of_request(store_handle(sources->store));
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
    return bad || sources->unread_count ? EXIT_REFUSED : EXIT_DONE;
}

static int run_import(struct sources *sources)
{
    sources->plan.report = print_file;
    sources->plan.unread = print_unread;
    for (int i = 0; i < sources->count; i++) {
        struct folder_result result = {0};

        if (import(sources, sources->paths[i], &result)) {
            fprintf(stderr, "ingest: %s\n", sources->problem.text);
            return EXIT_FAILED;
        }
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
        sources->paths[i] = arena_copy_string(sources->arena, resolved);
    }
    return true;
}

static bool open_all(struct sources *sources)
{
    struct string_list *groups = &sources->plan.groups;

    if (program_open("ingest", getenv("ASSAY_RUN_DIR"), sources->arena, &sources->settings,
                     &sources->store, &sources->metrics, &sources->problem) ||
        groups_of_text(sources->arena, sources->groups, groups, &sources->problem)) {
        fprintf(stderr, "ingest: %s\n", sources->problem.text);
        return false;
    }
    if (contexts_are_wanted(&sources->settings) &&
        models_open(&sources->settings, &sources->plan.models, &sources->problem))
        log_event(LOG_ERROR, "registry_not_read", sources->problem.text);
    sources->plan.settings = &sources->settings;
    sources->plan.group_by_folder = sources->group_by_folder;
    sources->plan.context = sources;
    sources->plan.work = arena_create((size_t)sources->settings.index_memory_bytes);
    return sources->plan.work != NULL;
}

static int run(struct sources *sources)
{
    int status = EXIT_FAILED;

    if (!resolve(sources))
        return EXIT_FAILED;
    if (open_all(sources))
        status = sources->watch ? run_watch(sources, sources->paths[0]) : run_import(sources);
    models_close(sources->plan.models);
    if (sources->plan.work)
        arena_destroy(sources->plan.work);
    if (sources->store)
        store_close(sources->store);
    metrics_close(sources->metrics);
    return status;
}

int sources_main(int argc, char **argv, const char *help)
{
    struct sources sources = {.tenant = "default", .groups = "none", .events = -1};
    int status = EXIT_FAILED;

    sources.arena = arena_create(MEMORY_MAX);
    sources.scan = sources.arena ? arena_create(MEMORY_MAX) : NULL;
    if (!sources.scan) {
        if (sources.arena)
            arena_destroy(sources.arena);
        return EXIT_FAILED;
    }
    sources.paths = ARENA_ARRAY(sources.arena, char *, (size_t)argc);
    if (read_arguments(&sources, argc, argv)) {
        status = run(&sources);
    } else {
        help_print_usage(help);
        status = EXIT_USAGE;
    }
    arena_destroy(sources.scan);
    arena_destroy(sources.arena);
    return fflush(stdout) == 0 ? status : EXIT_FAILED;
}
