/* Runs the browser of the orchestrator: takes the jobs of all workers, one at a time, and keeps
 * one Chromium with one profile for them. Runs until it gets a signal; without a browser in the
 * settings it only waits. `--help` lists the options and exit codes. */
#include "base/clock.h"
#include "base/confine.h"
#include "base/help.h"
#include "base/log.h"
#include "browser/profile.h"
#include "jobs/main_loop.h"
#include "orchestrator/browser/ask.h"
#include "orchestrator/browser/job_server.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
    "usage: orch-browserd\n"
    "\n"
    "Runs the browser of the orchestrator: takes the jobs of all workers, one at a\n"
    "time, and keeps one Chromium with one profile for them. Runs until it gets a\n"
    "signal; without a browser in the settings it only waits.\n"
    "\n"
    "Exit codes: 0 stopped by a signal; 1 the settings are wrong, or another copy\n"
    "runs; 2 the command line is wrong.\n";

enum { EXIT_DONE, EXIT_SETTINGS, EXIT_USAGE };
enum { MEMORY_MAX = 16 << 20, WAIT_MS = 1000, DRAIN_MICROSECONDS = 6000000, IDLE_SECONDS = 3600 };

struct program {
    struct arena *arena;
    struct orchestrator_settings settings;
    struct driver driver;
    struct job_server *server;
    struct job_client *client; /* the client of the running job */
    int64_t sent_at;           /* time to exit; 0 = not set */
};

static const struct browser_health *health(struct arena *arena, void *context)
{
    const struct program *program = context;

    return job_health(arena, &program->driver);
}

static void serve_clients(void *context)
{
    const struct program *program = context;

    job_server_serve(program->server);
}

/* A running job may continue for some time after a signal to stop. */
static bool must_stop(void *context)
{
    struct program *program = context;
    int64_t now = clock_monotonic_microseconds();

    if (main_loop_must_stop() && !program->sent_at)
        program->sent_at = now;
    return (program->sent_at && now - program->sent_at > DRAIN_MICROSECONDS) ||
           (program->client && job_server_client_is_gone(program->server, program->client));
}

static bool serve_next(void *context)
{
    struct program *program = context;
    struct browser_job job;
    struct browser_end end;

    program->client = job_server_take(program->server, &job);
    if (!program->client) {
        job_server_wait(program->server, WAIT_MS);
        return true;
    }
    job_run(&program->driver, &job, &end);
    job_server_answer(program->server, program->client, &end);
    program->client = NULL;
    if (end.ends_session)
        driver_end_session(&program->driver);
    return true;
}

static bool idle(void *context)
{
    (void)context;
    return false;
}

static enum error start_launcher(const struct orchestrator_settings *settings,
                                 struct launcher **launcher, struct problem *problem)
{
    static struct browser_command command;

    command = (struct browser_command){.program = settings->browser_channel,
                                       .profile = settings->browser_profile_dir,
                                       .display = settings->browser_display,
                                       .headless = settings->browser_headless,
                                       .more = settings->browser_arguments};
    return launcher_start(&command, launcher, problem);
}

/* From here on the process cannot execute programs, and can write only to the run directory, the
 * profile and the folder of screenshots. */
static enum error confine(const struct orchestrator_settings *settings, const char *run_directory,
                          struct problem *problem)
{
    const char *const directories[] = {run_directory, settings->browser_profile_dir,
                                       settings->browser_screenshots_dir, NULL};
    enum error error = confine_process((enum confine_mode)settings->confine, directories, problem);

    if (!error && confine_state()->missing[0])
        log_event(LOG_INFO, "not_confined", confine_state()->missing);
    return error;
}

static enum error open_all(struct program *program, struct launcher **launcher,
                           struct problem *problem)
{
    const struct orchestrator_settings *settings = &program->settings;
    const char *run_directory = getenv("ASSAY_RUN_DIR");
    struct problem busy = {0};
    int lock = -1;
    enum error error;

    if (!run_directory)
        return problem_set(problem, ERROR_INVALID, "setting_invalid", "ASSAY_RUN_DIR is not set");
    error = start_launcher(settings, launcher, problem);
    if (!error && profile_lock(settings->browser_profile_dir, &lock, &busy))
        log_event(LOG_ERROR, "profile_unavailable", busy.text); /* each job tries again */
    if (!error && settings->browser_screenshots_dir)
        (void)mkdir(settings->browser_screenshots_dir, 0700);
    if (!error)
        error = confine(settings, run_directory, problem);
    if (!error)
        error = job_server_open(browser_socket(program->arena, run_directory),
                                (size_t)settings->browser_queue_max, health, program,
                                &program->server, problem);
    if (!error && !driver_open(&program->driver, settings, *launcher))
        error = problem_set(problem, ERROR_SYSTEM, "memory", "no memory");
    program->driver.lock = lock;
    program->driver.file_directory = arena_print(program->arena, "%s/browser-files", run_directory);
    return error;
}

static int serve(struct program *program)
{
    struct launcher *launcher = NULL;
    struct problem problem = {0};

    signal(SIGPIPE, SIG_IGN);
    if (open_all(program, &launcher, &problem)) {
        fprintf(stderr, "orch-browserd: %s\n", problem.text);
        launcher_stop(launcher);
        return EXIT_SETTINGS;
    }
    program->driver.watch = (struct cdp_listener){.fd = job_server_fd(program->server),
                                                  .on_ready = serve_clients,
                                                  .must_stop = must_stop,
                                                  .context = program};
    main_loop_run(1, serve_next, program);
    job_server_close(program->server);
    driver_close(&program->driver);
    launcher_stop(launcher);
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct program program = {.arena = arena_create(MEMORY_MAX)};
    struct problem problem = {0};
    int status = EXIT_DONE;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (argc != 1) {
        help_print_usage(help);
        return EXIT_USAGE;
    }
    if (!program.arena ||
        orchestrator_settings_load(&program.settings, program.arena, NULL, &problem)) {
        fprintf(stderr, "orch-browserd: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    log_open("assay.orch-browserd", (enum log_level)program.settings.log_level,
             (enum log_format)program.settings.log_format);
    if (orchestrator_uses_chromium(&program.settings) && program.settings.browser_profile_dir)
        status = serve(&program);
    else
        main_loop_run(IDLE_SECONDS, idle, NULL);
    arena_destroy(program.arena);
    return status;
}
