/* Crawling a site from the command line. */
#include "support/sources/site_command.h"
#include "accounts/groups.h"
#include "accounts/people.h"
#include "base/help.h"
#include "base/log.h"
#include "base/number.h"
#include "support/documents/contexts.h"
#include "support/models/models.h"
#include "support/programs/open.h"
#include "support/sources/site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, EXIT_REFUSED };
enum { MEMORY_MAX = 256 * 1024 * 1024 };

struct site_run {
    const char *tenant, *groups;
    struct support_settings settings;
    struct arena *arena;
    struct store *store;
    struct metrics *metrics;
    struct problem problem;
    struct site_plan plan;
    int64_t done;
};

bool site_is_meant(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--site") == 0)
            return true;
    }
    return false;
}

static bool read_limit(const char *word, const char *value, struct site_limits *limits)
{
    const struct {
        const char *name;
        int64_t *limit;
        int64_t least, most;
    } numbers[] = {{"--pages", &limits->pages, 1, 50000},
                   {"--depth", &limits->depth, 0, 1000},
                   {"--page-bytes", &limits->page_bytes, 1000, 50000000}};
    const struct {
        const char *name;
        double *limit;
        double most;
    } times[] = {{"--page-seconds", &limits->page_seconds, 600},
                 {"--minutes", &limits->minutes, 10000}};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(word, numbers[i].name) == 0)
            return integer_parse(value, numbers[i].limit) &&
                   *numbers[i].limit >= numbers[i].least && *numbers[i].limit <= numbers[i].most;
    }
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        if (strcmp(word, times[i].name) == 0)
            return number_parse(value, times[i].limit) && *times[i].limit > 0 &&
                   *times[i].limit <= times[i].most;
    }
    return false;
}

static bool read_option(struct site_run *run, const char *word, const char *value)
{
    if (strcmp(word, "--site") == 0)
        run->plan.start = value;
    else if (strcmp(word, "--tenant") == 0)
        run->tenant = value;
    else if (strcmp(word, "--groups") == 0)
        run->groups = value;
    else
        return read_limit(word, value, &run->plan.limits);
    return true;
}

static bool read_arguments(struct site_run *run, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--private") == 0)
            run->plan.private_too = true;
        else if (i + 1 >= argc || !read_option(run, argv[i], argv[i + 1]))
            return false;
        else
            i++;
    }
    return run->plan.start && person_is_tenant(run->tenant);
}

static void print_page(void *context, enum site_outcome outcome, const char *url, const char *why)
{
    struct site_run *run = context;

    run->done++;
    if (outcome == SITE_REMOVED)
        printf("%s: removed, %s\n", url, why);
    else if (why)
        printf("%s: %s\n", url, why);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%lld pages", (long long)run->done);
}

static int print_report(const struct site_run *run, const struct site_result *result)
{
    const int64_t *counts = result->counts;

    if (isatty(STDERR_FILENO))
        fputc('\n', stderr);
    if (result->ended_by)
        printf("The crawl was ended by %s.\n", result->ended_by);
    printf("%lld pages: %lld taken, %lld unchanged, %lld passed over, %lld refused, %lld failed, "
           "%lld removed\n",
           (long long)run->done, (long long)counts[SITE_TAKEN], (long long)counts[SITE_SAME],
           (long long)counts[SITE_PASSED], (long long)counts[SITE_REFUSED],
           (long long)counts[SITE_FAILED], (long long)counts[SITE_REMOVED]);
    return counts[SITE_REFUSED] || counts[SITE_FAILED] || result->ended_by ? EXIT_REFUSED
                                                                           : EXIT_DONE;
}

static int fail(const struct site_run *run)
{
    fprintf(stderr, "ingest: %s\n", run->problem.text);
    return EXIT_FAILED;
}

static enum error open_all(struct site_run *run)
{
    enum error error = program_open("ingest", getenv("ASSAY_RUN_DIR"), run->arena, &run->settings,
                                    &run->store, &run->metrics, &run->problem);

    if (!error)
        error = groups_of_text(run->arena, run->groups, &run->plan.groups, &run->problem);
    if (error)
        return error;
    if (contexts_are_wanted(&run->settings) &&
        models_open(&run->settings, &run->plan.models, &run->problem))
        log_event(LOG_ERROR, "registry_not_read", run->problem.text);
    run->plan.settings = &run->settings;
    run->plan.report = print_page;
    run->plan.context = run;
    run->plan.work = arena_create((size_t)run->settings.index_memory_bytes);
    return run->plan.work ? ERROR_NONE
                          : problem_set(&run->problem, ERROR_SYSTEM, "out_of_memory", "no memory");
}

static int crawl(struct site_run *run)
{
    struct document_call call = {
        .arena = run->arena, .tenant = run->tenant, .problem = &run->problem};
    struct site_result result = {0};
    enum error error = store_prepare(run->store, &call.db, &run->problem);

    if (!error)
        error = site_crawl(&call, &run->plan, &result);
    db_end_of_request(store_handle(run->store));
    return error ? fail(run) : print_report(run, &result);
}

static int open_and_crawl(struct site_run *run)
{
    int status = open_all(run) ? fail(run) : crawl(run);

    models_close(run->plan.models);
    if (run->plan.work)
        arena_destroy(run->plan.work);
    if (run->store)
        store_close(run->store);
    metrics_close(run->metrics);
    return status;
}

int site_main(int argc, char **argv, const char *help)
{
    struct site_run run = {
        .tenant = "default", .groups = "none", .plan = {.limits = site_limits_default}};
    int status = EXIT_USAGE;

    run.arena = arena_create(MEMORY_MAX);
    if (!run.arena)
        return EXIT_FAILED;
    if (read_arguments(&run, argc, argv))
        status = open_and_crawl(&run);
    else
        help_print_usage(help);
    arena_destroy(run.arena);
    return fflush(stdout) == 0 ? status : EXIT_FAILED;
}
