/* The process that runs the browser. It does not read the browser's messages. */
#include "browser/launcher.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 64, VARIABLES_MAX = 8, TICK_MILLISECONDS = 20, SECONDS_MOST = 60 };

/* Commands over the socket pair, each with a number: LAUNCH uses 0, END the timeout in seconds. The
 * answer is an errno; LAUNCH also returns both descriptors when it is 0. */
enum command { COMMAND_LAUNCH = 1, COMMAND_END };

struct message {
    int32_t what;
    int32_t value;
};

struct launcher {
    int socket;
    pid_t pid;
    char program[256];
};

/* -- in the launcher ------------------------------------------------------------------------- */

static void pause_milliseconds(long milliseconds)
{
    struct timespec pause = {.tv_nsec = milliseconds * 1000000};

    nanosleep(&pause, NULL);
}

static bool has_gone(pid_t pid, unsigned seconds)
{
    int64_t until = clock_monotonic_microseconds() + seconds * INT64_C(1000000);

    for (;;) {
        if (waitpid(pid, NULL, WNOHANG) != 0)
            return true;
        if (clock_monotonic_microseconds() >= until)
            return false;
        pause_milliseconds(TICK_MILLISECONDS);
    }
}

/* The process group outlives its leader briefly, so it is signaled even when the leader has
 * ended. */
static void end_group(pid_t *pid, unsigned seconds)
{
    bool gone;

    if (*pid <= 0)
        return;
    gone = has_gone(*pid, seconds);
    if (!gone) {
        kill(-*pid, SIGTERM);
        gone = has_gone(*pid, seconds);
    }
    kill(-*pid, SIGKILL);
    if (!gone)
        waitpid(*pid, NULL, 0);
    *pid = 0;
}

static char **arguments_of(const struct browser_command *command)
{
    static char *arguments[ARGUMENTS_MAX + 1];
    static char profile[4200];
    size_t count = 0;

    snprintf(profile, sizeof profile, "--user-data-dir=%s", command->profile);
    arguments[count++] = (char *)command->program;
    arguments[count++] = profile;
    arguments[count++] = (char *)"--remote-debugging-pipe";
    arguments[count++] = (char *)"--no-first-run";
    arguments[count++] = (char *)"--no-default-browser-check";
    if (command->headless)
        arguments[count++] = (char *)"--headless=new";
    for (size_t i = 0; i < command->more.count && count < ARGUMENTS_MAX - 1; i++)
        arguments[count++] = (char *)command->more.items[i];
    arguments[count++] = (char *)"about:blank";
    arguments[count] = NULL;
    return arguments;
}

/* Environment of the browser: only the variables it needs, none of the service's settings. */
static char **variables_of(const struct browser_command *command)
{
    static char *variables[VARIABLES_MAX + 1];
    static char texts[VARIABLES_MAX][4200];
    const struct {
        const char *name, *value;
    } rows[] = {{"PATH", getenv("PATH")},
                {"HOME", command->profile},
                {"DISPLAY", command->display},
                {"LANG", getenv("LANG")},
                {"TZ", getenv("TZ")}};
    size_t count = 0;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!rows[i].value)
            continue;
        snprintf(texts[count], sizeof texts[count], "%s=%s", rows[i].name, rows[i].value);
        variables[count] = texts[count];
        count++;
    }
    variables[count] = NULL;
    return variables;
}

/* Runs the browser in this process: reads from descriptor 3, writes to 4, ends with the
 * launcher. */
static void become_browser(const struct browser_command *command, int reading, int writing,
                           int report)
{
    char **variables = variables_of(command);
    int nothing = open("/dev/null", O_RDWR);
    int error;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    reading = fcntl(reading, F_DUPFD, 10);
    writing = fcntl(writing, F_DUPFD, 10);
    report = fcntl(report, F_DUPFD_CLOEXEC, 10);
    if (reading >= 0 && writing >= 0 && report >= 0 && dup2(nothing, 0) == 0 &&
        dup2(nothing, 1) == 1 && dup2(nothing, 2) == 2 && dup2(reading, 3) == 3 &&
        dup2(writing, 4) == 4) {
        for (int fd = 5; fd < report; fd++)
            close(fd);
        close_range((unsigned)report + 1, ~0U, 0);
        execvpe(command->program, arguments_of(command), variables);
    }
    error = errno;
    (void)!write(report, &error, sizeof error);
    _exit(127);
}

/* Forks the browser; returns 0 or an errno. On success `ends` holds the far ends of its pipes. */
static int launch(const struct browser_command *command, int ends[2], pid_t *pid)
{
    int to[2] = {-1, -1}, from[2] = {-1, -1}, report[2] = {-1, -1};
    int error = 0;

    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0 || pipe2(report, O_CLOEXEC) != 0)
        return errno;
    *pid = fork();
    if (*pid == 0)
        become_browser(command, to[0], from[1], report[1]);
    if (*pid < 0)
        error = errno;
    close(to[0]);
    close(from[1]);
    close(report[1]);
    if (!error && read(report[0], &error, sizeof error) != (ssize_t)sizeof error)
        error = 0; /* execve() closed the pipe */
    close(report[0]);
    ends[0] = from[0];
    ends[1] = to[1];
    if (error) {
        close(from[0]);
        close(to[1]);
        if (*pid > 0)
            waitpid(*pid, NULL, 0);
        *pid = 0;
    }
    return error;
}

/* Sends the answer, with descriptors if there are any; closes them here. */
static void answer(int socket, int error, const int ends[2])
{
    struct message message = {.value = error};
    struct iovec part = {&message, sizeof message};
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};

    if (ends) {
        struct cmsghdr *rights;

        header.msg_control = control.bytes;
        header.msg_controllen = sizeof control.bytes;
        rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(2 * sizeof(int));
        memcpy(CMSG_DATA(rights), ends, 2 * sizeof(int));
    }
    (void)sendmsg(socket, &header, MSG_NOSIGNAL);
    for (int i = 0; ends && i < 2; i++)
        close(ends[i]);
}

static void run_launcher(const struct browser_command *command, int socket)
{
    struct message received;
    pid_t browser = 0;

    signal(SIGTERM, SIG_IGN); /* only a closed socket ends the launcher */
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    for (;;) {
        ssize_t length = recv(socket, &received, sizeof received, 0);

        if (length < 0 && errno == EINTR)
            continue;
        if (length != (ssize_t)sizeof received)
            break;
        if (received.what == COMMAND_LAUNCH) {
            int ends[2];
            int error;

            end_group(&browser, 0);
            error = launch(command, ends, &browser);
            answer(socket, error, error ? NULL : ends);
        } else {
            end_group(&browser, received.value < 0 || received.value > SECONDS_MOST
                                    ? SECONDS_MOST
                                    : (unsigned)received.value);
            answer(socket, 0, NULL);
        }
    }
    end_group(&browser, 0);
    _exit(0);
}

/* -- in its parent ---------------------------------------------------------------------------- */

enum error launcher_start(const struct browser_command *command, struct launcher **launcher,
                          struct problem *problem)
{
    struct launcher *made = calloc(1, sizeof *made);
    int pair[2];

    if (!made || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        free(made);
        return problem_set(problem, ERROR_SYSTEM, "launcher", "no launcher: %s", strerror(errno));
    }
    made->pid = fork();
    if (made->pid == 0) {
        close(pair[0]);
        run_launcher(command, pair[1]);
    }
    close(pair[1]);
    if (made->pid < 0) {
        close(pair[0]);
        free(made);
        return problem_set(problem, ERROR_SYSTEM, "launcher", "no launcher: %s", strerror(errno));
    }
    made->socket = pair[0];
    snprintf(made->program, sizeof made->program, "%s", command->program);
    *launcher = made;
    return ERROR_NONE;
}

/* Sends a command to the launcher and waits for its answer; false when the launcher has ended. */
static bool report(const struct launcher *launcher, struct message command, struct message *answer,
                   int ends[2])
{
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct iovec part = {answer, sizeof *answer};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes};
    const struct cmsghdr *rights;
    ssize_t length;

    if (send(launcher->socket, &command, sizeof command, MSG_NOSIGNAL) != (ssize_t)sizeof command)
        return false;
    do {
        length = recvmsg(launcher->socket, &header, MSG_CMSG_CLOEXEC);
    } while (length < 0 && errno == EINTR);
    rights = length == (ssize_t)sizeof *answer ? CMSG_FIRSTHDR(&header) : NULL;
    if (rights && rights->cmsg_type == SCM_RIGHTS)
        memcpy(ends, CMSG_DATA(rights), 2 * sizeof(int));
    return length == (ssize_t)sizeof *answer;
}

enum error launcher_launch(struct launcher *launcher, int *reading, int *writing,
                           struct problem *problem)
{
    struct message answer = {0};
    int ends[2] = {-1, -1};

    if (!report(launcher, (struct message){.what = COMMAND_LAUNCH}, &answer, ends))
        return problem_set(problem, ERROR_UNAVAILABLE, "launcher_gone",
                           "The launcher of the browser is gone.");
    if (answer.value == ENOENT)
        return problem_set(problem, ERROR_NOT_FOUND, "browser_missing",
                           "There is no browser: %s is not installed.", launcher->program);
    if (answer.value || ends[0] < 0)
        return problem_set(problem, ERROR_UNAVAILABLE, "browser_refused",
                           "The browser %s cannot be started: %s.", launcher->program,
                           strerror(answer.value));
    *reading = ends[0];
    *writing = ends[1];
    return ERROR_NONE;
}

void launcher_end_browser(struct launcher *launcher, unsigned seconds)
{
    struct message answer = {0};
    int ends[2];

    (void)report(launcher, (struct message){.what = COMMAND_END, .value = (int32_t)seconds},
                 &answer, ends);
}

void launcher_stop(struct launcher *launcher)
{
    if (!launcher)
        return;
    close(launcher->socket);
    while (waitpid(launcher->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    free(launcher);
}
