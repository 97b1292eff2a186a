/*
 * Starts and ends a browser for a process that may not run programs itself. The launcher is a child
 * that is made before its parent is confined; it knows one command line and does as it is told over
 * a socket pair. When its parent goes, it ends the browser and leaves.
 */
#ifndef ASSAY_BROWSER_LAUNCHER_H
#define ASSAY_BROWSER_LAUNCHER_H

#include "base/error.h"
#include "base/string_list.h"

#include <stdbool.h>

struct browser_command {
    const char *program; /* a name in the path, or a path */
    const char *profile; /* the directory of the profile, also HOME */
    const char *display; /* DISPLAY; NULL = none is set */
    bool headless;
    struct string_list more; /* further arguments */
};

struct launcher;

/* Forks. The caller must have one thread. ERROR_SYSTEM when the system refuses. */
MUST_CHECK enum error launcher_start(const struct browser_command *command,
                                     struct launcher **launcher, struct problem *problem);

/* Starts the browser; an earlier one is ended first. The caller owns both descriptors.
 * ERROR_NOT_FOUND `browser_missing`: there is no such program. ERROR_UNAVAILABLE `launcher_gone`.
 */
MUST_CHECK enum error launcher_launch(struct launcher *launcher, int *reading, int *writing,
                                      struct problem *problem);

/* Ends the browser and all it has started: waits `seconds` for it to go by itself, tells it (TERM),
 * waits as long again, ends it (KILL). Harmless when none runs. */
void launcher_end_browser(struct launcher *launcher, unsigned seconds);

/* Ends the browser at once, and the launcher. */
void launcher_stop(struct launcher *launcher);

#endif
