/* Extracts the text of documents for workers that are confined and cannot fork. Listens on a socket
 * below ASSAY_RUN_DIR that only its own user may open. A separate process reads each document.
 * `--help` lists the options and exit codes. */
#include "base/help.h"
#include "base/log.h"
#include "base/number.h"
#include "documents/extraction_server.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help[] =
    "usage: document-reader [--most NUMBER]\n"
    "\n"
    "Extracts the text of documents for workers that are confined and cannot fork.\n"
    "Listens on a socket below ASSAY_RUN_DIR that only its own user may open. Each\n"
    "document is read by a process of its own.\n"
    "\n"
    "  --most NUMBER  How many documents are read at a time (4); others wait.\n"
    "\n"
    "Exit codes: 0 done; 1 the socket cannot be created; 2 the command line is wrong.\n";

enum { EXIT_DONE, EXIT_SOCKET, EXIT_USAGE };
enum { MOST = 4, MOST_MAX = 256, POLL_MILLISECONDS = 1000 };

static volatile sig_atomic_t must_stop;

static void note_stop(int signal_number)
{
    (void)signal_number;
    must_stop = 1;
}

static bool read_arguments(int argc, char **argv, int64_t *most)
{
    *most = MOST;
    return argc == 1 || (argc == 3 && strcmp(argv[1], "--most") == 0 &&
                         integer_parse(argv[2], most) && *most >= 1 && *most <= MOST_MAX);
}

/* Reaps ended children; waits for one when there are too many. */
static void reap_children(int64_t *children, int64_t most)
{
    while (*children > 0 && waitpid(-1, NULL, *children >= most ? 0 : WNOHANG) > 0)
        --*children;
}

static void serve(int listener, int64_t most)
{
    int64_t children = 0;

    while (!must_stop) {
        struct pollfd wait = {.fd = listener, .events = POLLIN};
        int peer = poll(&wait, 1, POLL_MILLISECONDS) > 0 ? accept(listener, NULL, NULL) : -1;
        pid_t child;

        reap_children(&children, most);
        if (peer < 0)
            continue;
        child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            signal(SIGTERM, SIG_DFL);
            signal(SIGINT, SIG_DFL);
            close(listener);
            extraction_serve(peer, getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
            _exit(EXIT_DONE);
        }
        if (child < 0)
            log_event(LOG_ERROR, "no_child", strerror(errno));
        else
            children++;
        close(peer);
    }
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        ;
}

int main(int argc, char **argv)
{
    const struct sigaction stop = {.sa_handler = note_stop};
    const char *folder = getenv("ASSAY_RUN_DIR");
    struct problem problem = {0};
    int64_t most;
    int listener;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (!read_arguments(argc, argv, &most)) {
        help_print_usage(help);
        return EXIT_USAGE;
    }
    log_open("assay.documents", LOG_INFO, LOG_JSON);
    if (extraction_listen(folder ? folder : "run", &listener, &problem)) {
        fprintf(stderr, "document-reader: %s\n", problem.text);
        return EXIT_SOCKET;
    }
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGINT, &stop, NULL);
    serve(listener, most);
    return EXIT_DONE;
}
