/* What a confined process cannot do, and what it still can. Each body runs in a child, because
 * there is no way back; its files lie in a folder of its own below /tmp. */
#include "base/confine.h"
#include "test.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/assay-confine-XXXXXX", inside[64], outside[64], old[64];

static void make_folders(void)
{
    int file;

    if (!mkdtemp(folder))
        abort();
    snprintf(inside, sizeof inside, "%s/a/data", folder);
    snprintf(outside, sizeof outside, "%s/new", folder);
    snprintf(old, sizeof old, "%s/old", folder);
    file = open(old, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (file < 0 || write(file, "old", 3) != 3)
        abort();
    close(file);
}

/* Runs `body` in a child; its failures count here. */
static void in_child(void (*body)(void))
{
    int status = -1;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        test_failures_here = 0;
        body();
        fflush(stdout);
        _exit(test_failures_here ? 1 : 0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_INT(status, 0);
}

/* What this kernel and this build can do decides what there is to test. */
static struct confinement confine_here(void)
{
    const char *const directories[] = {inside, NULL};
    struct problem problem = {0};

    CHECK_INT(confine_process(CONFINE_AUTO, directories, &problem), ERROR_NONE);
    CHECK(confine_state()->missing[0] || (confine_state()->files && confine_state()->calls));
    return *confine_state();
}

/* The expression gives -1 and this error. */
#define REFUSED(expression, code)                                                                  \
    do {                                                                                           \
        errno = 0;                                                                                 \
        CHECK_INT((expression), -1);                                                               \
        CHECK_INT(errno, (code));                                                                  \
    } while (0)

static void runs_no_program(void)
{
    char *arguments[] = {(char[]){"true"}, NULL};
    pid_t child = 0;

    if (!confine_here().calls)
        return;
    REFUSED(execv("/bin/true", arguments), EPERM);
    REFUSED(syscall(__NR_execveat, AT_FDCWD, "/bin/true", arguments, environ, 0), EPERM);
    REFUSED(fork(), EPERM);
    REFUSED(vfork(), EPERM);
    REFUSED(syscall(__NR_clone, SIGCHLD, NULL, NULL, NULL, 0), EPERM);
    REFUSED(syscall(__NR_clone3, NULL, 0), ENOSYS);
    CHECK(posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) != 0);
    REFUSED(ptrace(PTRACE_TRACEME, 0, NULL, NULL), EPERM);
    REFUSED(syscall(__NR_unshare, 0x10000000), EPERM);
    REFUSED(syscall(__NR_bpf, 0, NULL, 0), EPERM);
    REFUSED(syscall(__NR_io_uring_setup, 1, NULL), EPERM);
    REFUSED(syscall(462), ENOSYS);
}

static void changes_nothing_outside(void)
{
    char home[512];
    const char *user_home = getenv("HOME");

    if (!confine_here().files)
        return;
    snprintf(home, sizeof home, "%s/assay-confine", user_home ? user_home : "/root");
    REFUSED(open(outside, O_CREAT | O_WRONLY | O_CLOEXEC, 0600), EACCES);
    REFUSED(open(home, O_CREAT | O_WRONLY | O_CLOEXEC, 0600), EACCES);
    REFUSED(open("/tmp", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600), EACCES);
    REFUSED(open(old, O_WRONLY | O_CLOEXEC), EACCES);
    REFUSED(open(old, O_RDONLY | O_TRUNC | O_CLOEXEC), EACCES);
    REFUSED(truncate(old, 0), EACCES);
    REFUSED(unlink(old), EACCES);
    REFUSED(mkdir(outside, 0700), EACCES);
    REFUSED(symlink("/etc", outside), EACCES);
    REFUSED(link(old, outside), EACCES);
    REFUSED(rename(old, outside), EACCES);
    if (!confine_state()->calls)
        return;
    REFUSED(mkfifo(outside, 0600), EPERM);
    REFUSED(chmod(old, 0777), EPERM);
    REFUSED(chown(old, 1, 1), EPERM);
}

static void works_inside(void)
{
    char path[96], named[96], byte;
    void *mapped;
    int file;

    if (!confine_here().files)
        return;
    snprintf(path, sizeof path, "%s/file", inside);
    snprintf(named, sizeof named, "%s/named", inside);
    file = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    CHECK(file >= 0 && write(file, "x", 1) == 1 && ftruncate(file, 4096) == 0);
    CHECK(fchmod(file, 0640) == 0 && fsync(file) == 0);
    mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(mapped != MAP_FAILED);
    CHECK(rename(path, named) == 0 && truncate(named, 1) == 0 && unlink(named) == 0);
    CHECK_TEXT(getenv("TMPDIR"), inside);
    close(file);
    file = open(old, O_RDONLY | O_CLOEXEC);
    CHECK(file >= 0 && read(file, &byte, 1) == 1);
    close(file);
}

static void *add_one(void *number)
{
    ++*(int *)number;
    return NULL;
}

/* Threads, names of hosts (which load modules), connections. */
static void reaches_others(void)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    struct addrinfo *found = NULL;
    pthread_t thread;
    int number = 0, server, client;

    confine_here();
    CHECK_INT(pthread_create(&thread, NULL, add_one, &number), 0);
    CHECK_INT(pthread_join(thread, NULL), 0);
    CHECK_INT(number, 1);
    CHECK_INT(getaddrinfo("localhost", "80", &hints, &found), 0);
    freeaddrinfo(found);
    CHECK(dlopen("libm.so.6", RTLD_NOW) != NULL);
    server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(bind(server, (struct sockaddr *)&address, size) == 0 && listen(server, 1) == 0);
    CHECK(getsockname(server, (struct sockaddr *)&address, &size) == 0);
    CHECK_INT(connect(client, (struct sockaddr *)&address, size), 0);
    close(server);
    close(client);
}

/* A folder that cannot be had: told under auto, fatal under on, not looked for under off. */
static void takes_what_it_can(void)
{
    const char *const nowhere[] = {"/proc/nowhere", NULL};
    struct problem problem = {0};

    CHECK_INT(confine_process(CONFINE_OFF, nowhere, &problem), ERROR_NONE);
    CHECK_TEXT(confine_state()->missing, "");
    CHECK_INT(confine_process(CONFINE_AUTO, nowhere, &problem), ERROR_NONE);
    CHECK(!confine_state()->files && confine_state()->missing[0]);
    CHECK_INT(confine_process(CONFINE_ON, nowhere, &problem), ERROR_SYSTEM);
    CHECK_TEXT(problem.reason, "not_confined");
}

/* A server's database needs no folder, and uploads do, confined or not. */
static void makes_folders_when_off(void)
{
    char made[80];
    const char *const folders[] = {made, NULL};
    struct problem problem = {0};
    struct stat found;

    snprintf(made, sizeof made, "%s/new/data", folder);
    CHECK_INT(confine_process(CONFINE_OFF, folders, &problem), ERROR_NONE);
    CHECK(stat(made, &found) == 0 && S_ISDIR(found.st_mode));
    rmdir(made);
    *strrchr(made, '/') = '\0';
    rmdir(made);
}

TEST(makes_folders_when_off)
{
    in_child(makes_folders_when_off);
}

TEST(runs_no_program)
{
    in_child(runs_no_program);
}

TEST(changes_nothing_outside)
{
    in_child(changes_nothing_outside);
}

TEST(works_inside)
{
    in_child(works_inside);
}

TEST(reaches_others)
{
    in_child(reaches_others);
}

TEST(takes_what_it_can)
{
    in_child(takes_what_it_can);
}

static void remove_folders(void)
{
    char parent[64];

    snprintf(parent, sizeof parent, "%s/a", folder);
    unlink(old);
    rmdir(inside);
    rmdir(parent);
    rmdir(folder);
}

int main(void)
{
    static const struct test_case cases[] = {CASE(runs_no_program),   CASE(changes_nothing_outside),
                                             CASE(works_inside),      CASE(reaches_others),
                                             CASE(takes_what_it_can), CASE(makes_folders_when_off)};
    int status;

    make_folders();
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    remove_folders();
    return status;
}
