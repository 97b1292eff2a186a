/* Preloaded into a program, kills it at the step that KILL_AT_STEP says; the test compiles it. */
#include "kill_at_step.h"

#include <signal.h>

void kill_step(void)
{
    static long left = -1;

    if (left < 0) {
        const char *at = getenv("KILL_AT_STEP");

        left = at ? strtol(at, NULL, 10) : 0;
    }
    if (left && --left == 0)
        kill(getpid(), SIGKILL);
}
