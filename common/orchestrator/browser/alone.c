/* A driver without a job server. */
#include "orchestrator/browser/alone.h"

#include "base/clock.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

enum { POLL_INTERVAL_MICROSECONDS = 200000 };

enum error driver_start_alone(struct driver *driver, const struct orchestrator_settings *settings,
                              struct problem *problem)
{
    static struct browser_command command; /* of the process: the launcher keeps it */
    struct launcher *launcher = NULL;
    enum error error;

    command = (struct browser_command){.program = settings->browser_channel,
                                       .profile = settings->browser_profile_dir,
                                       .display = settings->browser_display,
                                       .headless = settings->browser_headless,
                                       .more = settings->browser_arguments};
    signal(SIGPIPE, SIG_IGN);
    error = launcher_start(&command, &launcher, problem);
    if (!error && !driver_open(driver, settings, launcher)) {
        launcher_stop(launcher);
        error = problem_set(problem, ERROR_SYSTEM, "memory", "no memory");
    }
    return error;
}

void driver_stop_alone(struct driver *driver)
{
    struct launcher *launcher = driver->launcher;

    driver_close(driver);
    launcher_stop(launcher);
}

enum driver_error driver_wait_for_line(struct driver *driver)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    enum cdp_outcome outcome = CDP_OK;
    char byte = 0;

    while (outcome == CDP_OK && byte != '\n') {
        if (poll(&input, 1, 0) == 0)
            outcome = page_wait(driver->page,
                                clock_monotonic_microseconds() + POLL_INTERVAL_MICROSECONDS);
        else if (read(STDIN_FILENO, &byte, 1) <= 0)
            break;
    }
    return driver_outcome(driver, outcome);
}
