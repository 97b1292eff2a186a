/*
 * Starts and ends a browser for a confined process that may not execute programs. The launcher is a
 * child process, forked before its parent is confined. It knows one command line and takes commands
 * over a socket pair. When its parent ends, it ends the browser and exits.
 */
#ifndef ASSAY_BROWSER_LAUNCHER_H
#define ASSAY_BROWSER_LAUNCHER_H

#include "base/error.h"
#include "base/string_list.h"

#include <stdbool.h>

struct browser_command {
    const char *program; /* a name to find in PATH, or a path */
    const char *profile; /* the directory of the profile, also HOME */
    const char *display; /* DISPLAY; NULL = unset */
    bool headless;
    struct string_list more; /* further arguments */
};

struct launcher;

/* Forks. The caller must have one thread. ERROR_SYSTEM when the system refuses. */
MUST_CHECK enum error launcher_start(const struct browser_command *command,
                                     struct launcher **launcher, struct problem *problem);

/* Starts the browser; an earlier one is ended first. The caller owns both descriptors.
 * ERROR_NOT_FOUND `browser_missing`: the program does not exist. ERROR_UNAVAILABLE
 * `launcher_gone`. */
MUST_CHECK enum error launcher_launch(struct launcher *launcher, int *reading, int *writing,
                                      struct problem *problem);

/* Ends the browser and its child processes: waits `seconds` for them to exit, sends SIGTERM, waits
 * as long again, sends SIGKILL. Does nothing when no browser runs. */
void launcher_end_browser(struct launcher *launcher, unsigned seconds);

/* Kills the browser, and ends the launcher. */
void launcher_stop(struct launcher *launcher);

#endif
