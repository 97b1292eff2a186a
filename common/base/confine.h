/*
 * Confinement of a process by the kernel, for what a mistake of ours must not become: after this
 * call the process cannot run programs, start processes, trace others or change the machine
 * (seccomp), and can change files only below the directories it was given (Landlock). Reading,
 * sockets, threads and files that are open already are as before. There is no way back.
 */
#ifndef ASSAY_BASE_CONFINE_H
#define ASSAY_BASE_CONFINE_H

#include "base/error.h"

#include <stdbool.h>

/* AUTO takes what the kernel has, ON demands both parts, OFF does nothing. A build with sanitizers
 * is never confined: they trace, fork and write files of their own. */
enum confine_mode { CONFINE_AUTO, CONFINE_ON, CONFINE_OFF, CONFINE__MAX };

extern const char *const confine_mode_names[CONFINE__MAX + 1]; /* NULL-terminated */

struct confinement {
    bool files;       /* changes only below the directories */
    bool calls;       /* no programs, no processes, no changes to the machine */
    char missing[96]; /* why one of them is false; "" when none is or nothing was asked for */
};

/* Confines the calling process, which must have one thread so far. `directories` ends with NULL;
 * those that are missing are made, whatever the mode. Temporary files go to the first one (TMPDIR).
 * ERROR_SYSTEM `not_confined` in mode ON when the kernel, or a directory, does not allow it. */
MUST_CHECK enum error confine_process(enum confine_mode mode, const char *const *directories,
                                      struct problem *problem);

/* What has come of it in this process. */
const struct confinement *confine_state(void);

#endif
