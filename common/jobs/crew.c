/* A parent that does nothing but replace its children. */
#include "jobs/crew.h"
#include "jobs/program.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const double look_every = 0.2;

struct crew {
    crew_place *const *places;
    size_t count;
    void *context;
    pid_t processes[CREW_PLACES_MAX];
};

/* A process for as long as this one lives. */
static void man(struct crew *crew, size_t place)
{
    pid_t parent = getpid();

    crew->processes[place] = fork();
    if (crew->processes[place] != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(EXIT_SUCCESS);
    _exit(crew->places[place](crew->context, place));
}

/* In rounds, each of which replaces those that have died. */
static bool look(void *context)
{
    struct crew *crew = context;

    for (size_t i = 0; i < crew->count; i++)
        if (crew->processes[i] <= 0 ||
            waitpid(crew->processes[i], NULL, WNOHANG) == crew->processes[i])
            man(crew, i);
    return false;
}

void crew_keep(crew_place *const *places, size_t count, void *context)
{
    struct crew crew = {.places = places, .count = count, .context = context};

    program_rounds(look_every, look, &crew);
    for (size_t i = 0; i < count; i++)
        if (crew.processes[i] > 0)
            kill(crew.processes[i], SIGTERM);
    while (wait(NULL) > 0 || errno == EINTR)
        continue;
}
