/*
 * For the tests of shared memory: child processes that start together, and children that are
 * killed at the n-th checkpoint inside the kit's critical sections.
 */
#ifndef ASSAY_SHM_CHILDREN_H
#define ASSAY_SHM_CHILDREN_H

#include "shm/layout.h"
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN_MAX = 16 };

/* Runs `work` in `count` processes that are let go at the same moment; returns how many did not
 * return 0. */
static inline int run_children(int count, int (*work)(int child, void *context), void *context)
{
    pid_t children[CHILDREN_MAX];
    int gate[2], failures = 0;

    CHECK_INT(pipe(gate), 0);
    fflush(stdout);
    for (int i = 0; i < count; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            char byte;

            close(gate[1]);
            shm_lock_timeout_ms = 30000;
            _exit(read(gate[0], &byte, 1) == 0 ? work(i, context) : 99);
        }
    }
    close(gate[0]);
    close(gate[1]); /* end of file opens the gate */
    for (int i = 0; i < count; i++) {
        int status;

        waitpid(children[i], &status, 0);
        failures += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    return failures;
}

static int checkpoints_left;

static inline void kill_at_checkpoint(const char *place)
{
    (void)place;
    if (--checkpoints_left == 0)
        kill(getpid(), SIGKILL);
}

/* Runs `work` in a child that is killed at its n-th checkpoint; false when it had fewer and came to
 * its end. */
static inline bool child_killed_at(int n, void (*work)(void *context), void *context)
{
    pid_t child;
    int status;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        checkpoints_left = n;
        shm_test_hook = kill_at_checkpoint;
        work(context);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

static inline void stop_at_checkpoint(const char *place)
{
    (void)place;
    if (--checkpoints_left == 0)
        raise(SIGSTOP);
}

/* As above, but the child is stopped, not killed; the caller ends it with SIGKILL and waits. */
static inline pid_t child_stopped_at(int n, void (*work)(void *context), void *context)
{
    pid_t child;
    int status;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        checkpoints_left = n;
        shm_test_hook = stop_at_checkpoint;
        work(context);
        _exit(0);
    }
    waitpid(child, &status, WUNTRACED);
    CHECK(WIFSTOPPED(status));
    return child;
}

static inline void end_child(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static inline struct shm_region *open_anonymous(void)
{
    struct shm_region *region = NULL;

    if (shm_region_open_anonymous(&region, NULL) != ERROR_NONE)
        abort();
    return region;
}

#endif
