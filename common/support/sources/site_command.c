/* Crawling a site from the command line. */
#include "support/sources/site_command.h"
#include "accounts/people.h"
#include "base/help.h"
#include "base/number.h"
#include "support/sources/program.h"
#include "support/sources/site.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct site_run {
    struct source_program program;
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
        run->program.tenant = value;
    else if (strcmp(word, "--groups") == 0)
        run->program.groups = value;
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
    return run->plan.start && person_is_tenant(run->program.tenant);
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
    return counts[SITE_REFUSED] || counts[SITE_FAILED] || result->ended_by ? SOURCES_REFUSED
                                                                           : SOURCES_DONE;
}

static int crawl(struct site_run *run)
{
    struct source_program *program = &run->program;
    struct document_call call = {
        .arena = program->arena, .tenant = program->tenant, .problem = &program->problem};
    struct site_result result = {0};
    enum error error = store_prepare(program->store, &call.db, &program->problem);

    run->plan.settings = &program->settings;
    run->plan.groups = program->new_groups;
    run->plan.models = program->models;
    run->plan.work = program->work;
    run->plan.report = print_page;
    run->plan.context = run;
    if (!error)
        error = site_crawl(&call, &run->plan, &result);
    db_end_of_request(store_handle(program->store));
    return error ? source_program_fail(program) : print_report(run, &result);
}

int site_main(int argc, char **argv, const char *help)
{
    struct site_run run = {.plan = {.limits = site_limits_default}};
    int status = SOURCES_FAILED;

    if (!source_program_start(&run.program))
        return SOURCES_FAILED;
    if (!read_arguments(&run, argc, argv)) {
        help_print_usage(help);
        status = SOURCES_USAGE;
    } else if (source_program_open(&run.program)) {
        status = crawl(&run);
    }
    return source_program_end(&run.program, status);
}
