/* A redis-server of the test's own, on a free port of 127.0.0.1. */
#ifndef ASSAY_REDIS_FIXTURE_H
#define ASSAY_REDIS_FIXTURE_H

#include "test.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct redis_server {
    pid_t pid;
    int port;
    char url[64];
};

static inline struct sockaddr_in loopback(int port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static inline int free_port(void)
{
    struct sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    CHECK_INT(bind(fd, (struct sockaddr *)&address, size), 0);
    CHECK_INT(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    close(fd);
    return ntohs(address.sin_port);
}

static inline bool takes_connections(int port)
{
    struct sockaddr_in address = loopback(port);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bool taken = connect(fd, (struct sockaddr *)&address, sizeof address) == 0;

    close(fd);
    return taken;
}

static inline void redis_start(struct redis_server *server)
{
    char port[16];
    int status;

    if (!server->port)
        server->port = free_port();
    snprintf(port, sizeof port, "%d", server->port);
    snprintf(server->url, sizeof server->url, "redis://127.0.0.1:%d", server->port);
    fflush(stdout);
    server->pid = fork();
    if (server->pid == 0) {
        int null = open("/dev/null", O_WRONLY);

        prctl(PR_SET_PDEATHSIG, SIGKILL); /* it ends with the test, however that ends */
        dup2(null, STDOUT_FILENO);
        execlp("redis-server", "redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "",
               "--appendonly", "no", "--dir", "/tmp", (char *)NULL);
        _exit(127);
    }
    for (int i = 0; i < 6000 && !takes_connections(server->port); i++) {
        CHECK_INT(waitpid(server->pid, &status, WNOHANG), 0);
        usleep(10000);
    }
}

static inline void redis_stop(const struct redis_server *server)
{
    kill(server->pid, SIGKILL);
    waitpid(server->pid, NULL, 0);
}

#endif
