/* Preloaded into a program, kills it at the step that DYING_AT says; the test compiles it. */
#include "../unit/dying.h"

#include <signal.h>

void dying_step(void)
{
    static long left = -1;

    if (left < 0) {
        const char *at = getenv("DYING_AT");

        left = at ? strtol(at, NULL, 10) : 0;
    }
    if (left && --left == 0)
        kill(getpid(), SIGKILL);
}
