/* Child processes under limits, and the pipes between them. */
#include "documents/children.h"
#include "base/clock.h"
#include "base/confine.h"
#include "base/sanitized.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIPE_BYTES = 65536 };

static void limit(int resource, rlim_t value)
{
    struct rlimit both = {value, value};

    setrlimit(resource, &both); /* a limit that cannot be lowered is low enough already */
}

static _Noreturn void run_program(const char *const *arguments)
{
    (void)!unshare(CLONE_NEWUSER | CLONE_NEWNET); /* no network, if the kernel allows it */
    clearenv();
    setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
    setenv("OMP_THREAD_LIMIT", "1", 1); /* tesseract would use all processors */
    execvp(arguments[0], (char *const *)arguments);
    _exit(CHILD_NO_PROGRAM);
}

/* From here on the process is the child; `in` is its standard input, `out` its output. */
static _Noreturn void run_child(const struct child_plan *plan, int in, int out,
                                const struct reader_limits *limits, const char *work_folder)
{
    const char *const folders[] = {work_folder, NULL};
    struct problem problem;
    FILE *stream;
    int nothing = open("/dev/null", O_RDWR);

    if (plan->arguments || !SANITIZED)
        limit(RLIMIT_AS, (rlim_t)limits->memory_bytes);
    limit(RLIMIT_CPU, (rlim_t)limits->seconds);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    dup2(in, 0);
    dup2(nothing, 2);
    dup2(out, 1);
    closefrom(3);
    if (plan->arguments)
        run_program(plan->arguments);
    stream = fdopen(1, "w");
    if (!stream || confine_process(CONFINE_AUTO, folders, &problem) != ERROR_NONE)
        _exit(CHILD_CANNOT);
    _exit(plan->function(plan->context, stream));
}

/* Starts the children; the last one's output can be read from `*from`. Returns how many run. */
static size_t start(const struct child_plan *plans, size_t count, int file,
                    const struct reader_limits *limits, const char *work_folder,
                    pid_t children[CHILDREN_MAX], int *from)
{
    int in = file;
    size_t started = 0;

    for (*from = -1; started < count; started++) {
        int ends[2];

        if (pipe2(ends, O_CLOEXEC) != 0)
            break;
        children[started] = fork();
        if (children[started] == 0)
            run_child(&plans[started], in, ends[1], limits, work_folder);
        close(ends[1]);
        if (in != file)
            close(in);
        in = ends[0];
        if (children[started] < 0)
            break;
    }
    if (in != file)
        *from = in;
    return started;
}

/* Reads the output of the children until they exit, write too much or take too long. */
static bool drain(int from, const struct reader_limits *limits, struct text *text)
{
    int64_t end = clock_monotonic_microseconds() + limits->seconds * 2 * 1000000;
    struct pollfd wait = {.fd = from, .events = POLLIN};

    while (!text->overflowed) {
        int64_t left = (end - clock_monotonic_microseconds()) / 1000;
        char *room;
        ssize_t got;

        if (left <= 0 || poll(&wait, 1, (int)left) <= 0)
            return false;
        room = text_extend(text, PIPE_BYTES);
        if (!room) {
            text->overflowed = true;
            break;
        }
        got = read(from, room, PIPE_BYTES);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0;
        text_extend_to(text, room + got);
    }
    return true;
}

bool children_run(const struct child_plan *plans, size_t count, int file,
                  const struct reader_limits *limits, const char *work_folder, struct text *output,
                  struct children_result *result)
{
    pid_t children[CHILDREN_MAX];
    int from;
    size_t started = start(plans, count, file, limits, work_folder, children, &from);
    bool complete = started == count;

    *result = (struct children_result){.timely = complete && drain(from, limits, output)};
    for (size_t i = 0; i < started && (!result->timely || output->overflowed); i++)
        kill(children[i], SIGKILL);
    if (from >= 0)
        close(from);
    for (size_t i = 0; i < started; i++)
        while (waitpid(children[i], &result->statuses[i], 0) < 0 && errno == EINTR)
            ;
    return complete;
}
