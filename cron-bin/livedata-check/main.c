/* Compares the journal of live data with its tables and changes nothing. May run while the
 * service serves and writes. `--help` lists the options and exit codes. */
#include "base/clock.h"
#include "base/help.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "livedata/maintenance/check.h"
#include "livedata/store.h"

#include <stdio.h>
#include <unistd.h>

static const char help[] =
    "usage: livedata-check\n"
    "\n"
    "Compares the journal of live data with its tables and changes nothing. May run\n"
    "while the service serves and writes.\n"
    "\n"
    "Exit codes: 0 they agree; 1 the settings are wrong; 2 the command line is wrong;\n"
    "3 the database failed; 4 they differ.\n";

enum { EXIT_AGREE, EXIT_SETTINGS, EXIT_USAGE, EXIT_DATABASE, EXIT_DIFFER };
enum { MEMORY_MAX = 64 * 1024 * 1024 };

static void show(int64_t seq, int64_t last, void *context)
{
    (void)context;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\rrow %lld of %lld of the journal ", (long long)seq, (long long)last);
}

static enum error look(struct arena *arena, struct livedata_settings *settings,
                       struct storage_check *check, struct problem *problem)
{
    struct storage_call call = {
        .arena = arena, .problem = problem, .now = clock_unix_microseconds()};
    struct catalog catalog = {0};
    struct store *store = NULL;
    enum error error = catalog_load(arena, settings, &catalog, problem);

    if (!error)
        error = livedata_store_open(arena, settings, NULL, &store, problem);
    if (error)
        return error;
    error = store_prepare(store, &call.db, problem);
    if (!error)
        error = storage_check(&call, &catalog, check);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
    store_close(store);
    return error;
}

int main(int argc, char **argv)
{
    struct arena *arena = arena_create(MEMORY_MAX);
    struct storage_check check = {.progress = show};
    struct livedata_settings settings = {0};
    struct problem problem = {0};

    if (help_given(argc, argv, help))
        return 0;
    if (argc > 1) {
        help_print_usage(help);
        return EXIT_USAGE;
    }
    if (!arena || crypto_start(&problem) ||
        livedata_settings_load(&settings, arena, NULL, &problem)) {
        fprintf(stderr, "livedata-check: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    log_open("assay.livedata-check", (enum log_level)settings.log_level,
             (enum log_format)settings.log_format);
    if (look(arena, &settings, &check, &problem)) {
        fprintf(stderr, "livedata-check: %s\n", problem.text);
        return EXIT_DATABASE;
    }
    printf("entities=%lld differences=%lld%s%s\n", (long long)check.checked,
           (long long)check.differing, check.differing ? " first: " : "", check.first);
    arena_destroy(arena);
    return check.differing ? EXIT_DIFFER : EXIT_AGREE;
}
