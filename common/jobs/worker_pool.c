/* The parent process does nothing but replace its children. */
#include "jobs/worker_pool.h"
#include "jobs/main_loop.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const double check_seconds = 0.2;

struct worker_pool {
    worker_function *const *functions;
    size_t count;
    void *context;
    pid_t processes[WORKER_POOL_MAX];
};

/* The kernel ends the worker when this process dies. */
static void start_worker(struct worker_pool *pool, size_t number)
{
    pid_t parent = getpid();

    pool->processes[number] = fork();
    if (pool->processes[number] != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(EXIT_SUCCESS);
    _exit(pool->functions[number](pool->context, number));
}

/* One run of the main loop: starts a worker in place of each one that has ended. */
static bool replace_dead(void *context)
{
    struct worker_pool *pool = context;

    for (size_t i = 0; i < pool->count; i++)
        if (pool->processes[i] <= 0 ||
            waitpid(pool->processes[i], NULL, WNOHANG) == pool->processes[i])
            start_worker(pool, i);
    return false;
}

void worker_pool_run(worker_function *const *functions, size_t count, void *context)
{
    struct worker_pool pool = {.functions = functions, .count = count, .context = context};

    main_loop_run(check_seconds, replace_dead, &pool);
    for (size_t i = 0; i < count; i++)
        if (pool.processes[i] > 0)
            kill(pool.processes[i], SIGTERM);
    while (wait(NULL) > 0 || errno == EINTR)
        continue;
}
