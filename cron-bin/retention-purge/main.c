/* Deletes rows older than the retention settings of the experiments service and prints the counts.
 * `--help` lists the options and exit codes. */
#include "base/help.h"
#include "base/log.h"
#include "crypto/crypto.h"
#include "experiments/storage/retention.h"
#include "experiments/storage/store.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: retention-purge [--dry-run]\n"
    "\n"
    "Deletes what is older than the retention settings of the experiments service and\n"
    "prints the counts.\n"
    "\n"
    "  --dry-run  Count, and delete nothing.\n"
    "\n"
    "Exit codes: 0 done; 1 the settings are wrong; 2 the command line is wrong; 3 the\n"
    "database failed, or the clock was set and is not trusted yet.\n";

enum { EXIT_DONE, EXIT_SETTINGS, EXIT_USAGE, EXIT_DATABASE, MEMORY_MAX = 16 * 1024 * 1024 };

static enum error purge(struct arena *arena, const struct experiments_settings *settings,
                        bool dry_run, struct retention_counts *counts, struct problem *problem)
{
    static const struct actor program = {.name = "system:retention-purge"};
    const struct retention_windows windows = {
        settings->retention_exposures_days, settings->retention_conversions_days,
        settings->retention_audit_days, settings->retention_webhook_deliveries_days};
    struct retention_call call = {.arena = arena, .actor = &program, .problem = problem};
    struct store *store;
    enum error error = experiments_store_open(arena, settings, NULL, &store, problem);

    if (error)
        return error;
    error = store_prepare(store, &call.db, problem);
    if (!error && !dry_run)
        error = clock_check(settings->state_directory, "experiments", &settings->clock, problem);
    if (!error)
        error = retention_purge(&call, &windows, dry_run, counts);
    store_close(store);
    return error;
}

static int run(struct arena *arena, bool dry_run)
{
    struct experiments_settings settings = {0};
    struct retention_counts counts = {0};
    struct problem problem = {0};

    if (crypto_start(&problem) || experiments_settings_load(&settings, arena, NULL, &problem)) {
        fprintf(stderr, "retention-purge: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    log_open("assay.retention-purge", (enum log_level)settings.log_level,
             (enum log_format)settings.log_format);
    if (purge(arena, &settings, dry_run, &counts, &problem)) {
        fprintf(stderr, "retention-purge: %s\n", problem.text);
        return EXIT_DATABASE;
    }
    printf("%s exposures=%lld conversions=%lld audit_log=%lld webhook_deliveries=%lld\n",
           dry_run ? "would purge" : "purged", (long long)counts.exposures,
           (long long)counts.conversions, (long long)counts.audit_log,
           (long long)counts.webhook_deliveries);
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    bool dry_run = argc == 2 && strcmp(argv[1], "--dry-run") == 0;
    struct arena *arena;
    int status;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (argc > 1 && !dry_run) {
        help_print_usage(help);
        return EXIT_USAGE;
    }
    arena = arena_create(MEMORY_MAX);
    if (!arena)
        return EXIT_DATABASE;
    status = run(arena, dry_run);
    arena_destroy(arena);
    return status;
}
