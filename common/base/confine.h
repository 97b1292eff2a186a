/*
 * Confinement of a process by the kernel, against exploited bugs. After this call the process
 * cannot run programs, start processes, trace others or change the machine (seccomp), and can
 * change files only below the given directories (Landlock). Reading, sockets, threads and files
 * that are open already are not restricted. Confinement cannot be undone.
 */
#ifndef ASSAY_BASE_CONFINE_H
#define ASSAY_BASE_CONFINE_H

#include "base/error.h"

#include <stdbool.h>

/* AUTO uses what the kernel supports, ON requires both parts, OFF does nothing. A build with
 * sanitizers is never confined: sanitizers trace, fork and write files. */
enum confine_mode { CONFINE_AUTO, CONFINE_ON, CONFINE_OFF, CONFINE__MAX };

extern const char *const confine_mode_names[CONFINE__MAX + 1]; /* NULL-terminated */

struct confinement {
    bool files;       /* changes only below the directories */
    bool calls;       /* no programs, no processes, no changes to the machine */
    char missing[96]; /* why one of them is false; "" when none is or none was requested */
};

/* Confines the calling process, which must have one thread so far. `directories` ends with NULL;
 * missing ones are created in every mode. Temporary files go to the first one (TMPDIR).
 * ERROR_SYSTEM `not_confined` in mode ON when the kernel, or a directory, does not allow it. */
MUST_CHECK enum error confine_process(enum confine_mode mode, const char *const *directories,
                                      struct problem *problem);

/* What is in force in this process. */
const struct confinement *confine_state(void);

#endif
