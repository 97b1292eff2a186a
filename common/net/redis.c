/* The only file that connects to Redis. It allocates nothing from an arena while it holds a
 * reply. */
#include "net/redis.h"

#include "base/clock.h"
#include "base/fiber.h"
#include "base/number.h"
#include "crypto/digest.h"
#include "net/libcurl.h"

#include <errno.h>
#include <hiredis/hiredis.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>

enum {
    DEFAULT_PORT = 6379,
    MICROSECONDS_PER_SECOND = 1000000,
    IDLE_MAX = 8,        /* connections that fibers leave to the next ones */
    RESOLVER_MS = 120000 /* resolv.conf(5): 5 s, twice, for 3 servers; and with search domains */
};

/* How long a server is not tried after a failure. */
static const int64_t pause_us = 1000000;

const char redis_url_form[] = "must be redis://[[user]:password@]host[:port][/database]";

struct redis {
    const char *host, *user, *password; /* the last two NULL = none */
    int port, database;
    struct timeval timeout;
    redisContext *connection; /* NULL while not connected; of commands outside of fibers */
    redisContext *idle[IDLE_MAX];
    size_t idle_count;
    unsigned connections; /* opened so far */
    int64_t retry_at;     /* monotonic; for commands */
};

static const char *part_of(struct arena *arena, CURLU *url, CURLUPart part)
{
    const char *copy = NULL;
    char *text = NULL;

    if (curl.url_get(url, part, &text, CURLU_URLDECODE) == CURLUE_OK && *text) {
        char *room = arena_try_alloc(arena, strlen(text) + 1);

        copy = room ? memcpy(room, text, strlen(text) + 1) : NULL;
    }
    curl.free(text);
    return copy;
}

static bool read_number(const char *text, int64_t most, int *number)
{
    int64_t value = 0;

    if (!text)
        return true;
    if (!integer_parse(text, &value) || value < 0 || value > most)
        return false;
    *number = (int)value;
    return true;
}

static bool read_url(struct arena *arena, const char *text, struct redis *redis)
{
    CURLU *url = libcurl_load() ? curl.url() : NULL;
    bool good =
        url && curl.url_set(url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK;
    const char *scheme = good ? part_of(arena, url, CURLUPART_SCHEME) : NULL;
    const char *path = good ? part_of(arena, url, CURLUPART_PATH) : NULL;

    redis->port = DEFAULT_PORT;
    good = good && scheme && strcasecmp(scheme, "redis") == 0 &&
           (redis->host = part_of(arena, url, CURLUPART_HOST)) &&
           !part_of(arena, url, CURLUPART_QUERY) &&
           read_number(part_of(arena, url, CURLUPART_PORT), 65535, &redis->port) &&
           read_number(path && path[1] ? path + 1 : NULL, 1 << 20, &redis->database);
    if (good) {
        redis->user = part_of(arena, url, CURLUPART_USER);
        redis->password = part_of(arena, url, CURLUPART_PASSWORD);
    }
    if (url)
        curl.url_cleanup(url);
    return good;
}

enum error redis_open(struct arena *arena, const char *url, double timeout, struct redis **redis,
                      struct problem *problem)
{
    *redis = ARENA_NEW(arena, struct redis);
    if (!read_url(arena, url, *redis))
        return problem_set(problem, ERROR_INVALID, "redis_url", "%s", redis_url_form);
    (*redis)->timeout = (struct timeval){(time_t)timeout,
                                         (suseconds_t)(fmod(timeout, 1) * MICROSECONDS_PER_SECOND)};
    return ERROR_NONE;
}

uint32_t redis_probe_ms(double timeout)
{
    return RESOLVER_MS + (uint32_t)(timeout * 4000);
}

void redis_close(struct redis *redis)
{
    while (redis && redis->idle_count)
        redisFree(redis->idle[--redis->idle_count]);
    if (redis && redis->connection)
        redisFree(redis->connection);
    if (redis)
        redis->connection = NULL;
}

unsigned redis_connections(const struct redis *redis)
{
    return redis->connections;
}

bool redis_is_local(const struct redis *redis)
{
    return strncmp(redis->host, "127.", 4) == 0 || strcmp(redis->host, "[::1]") == 0 ||
           strcmp(redis->host, "localhost") == 0;
}

static bool await(const redisContext *connection, uint32_t events, int64_t deadline)
{
    while (clock_monotonic_microseconds() < deadline)
        if (fiber_wait(connection->fd, events, deadline) == FIBER_READY)
            return true;
    return false;
}

/* In a fiber: sends the command and receives its reply, while others run. NULL = none. */
static redisReply *exchange(const struct redis *redis, redisContext *connection, int count,
                            const char **arguments)
{
    int64_t deadline = clock_monotonic_microseconds() + redis->timeout.tv_sec * INT64_C(1000000) +
                       redis->timeout.tv_usec;
    void *reply = NULL;
    int sent = 0;

    if (redisAppendCommandArgv(connection, count, arguments, NULL) != REDIS_OK)
        return NULL;
    while (!sent)
        if (redisBufferWrite(connection, &sent) != REDIS_OK ||
            (!sent && !await(connection, EPOLLOUT, deadline)))
            return NULL;
    while (redisGetReplyFromReader(connection, &reply) == REDIS_OK && !reply)
        if (!await(connection, EPOLLIN, deadline) || redisBufferRead(connection) != REDIS_OK)
            return NULL;
    return reply;
}

/* NULL for no reply. */
static redisReply *send_command(const struct redis *redis, redisContext *connection, int count,
                                const char **arguments)
{
    return fiber_current() ? exchange(redis, connection, count, arguments)
                           : redisCommandArgv(connection, count, arguments, NULL);
}

static bool is_error(const redisReply *reply, const char *code)
{
    return reply && reply->type == REDIS_REPLY_ERROR &&
           strncmp(reply->str, code, strlen(code)) == 0;
}

/* NULL for an error. */
static redisReply *without_error(redisReply *reply)
{
    if (!is_error(reply, ""))
        return reply;
    freeReplyObject(reply);
    return NULL;
}

static bool command_succeeds(const struct redis *redis, redisContext *connection, int count,
                             const char **arguments)
{
    redisReply *reply = without_error(send_command(redis, connection, count, arguments));

    if (reply)
        freeReplyObject(reply);
    return reply != NULL;
}

static bool authenticate(struct redis *redis, redisContext *connection)
{
    char database[16];
    const char *by_name[] = {"AUTH", redis->user, redis->password};
    const char *by_password[] = {"AUTH", redis->password};
    const char *select[] = {"SELECT", database};

    snprintf(database, sizeof database, "%d", redis->database);
    return (!redis->password ||
            (redis->user ? command_succeeds(redis, connection, 3, by_name)
                         : command_succeeds(redis, connection, 2, by_password))) &&
           (!redis->database || command_succeeds(redis, connection, 2, select));
}

static bool is_connected(struct redis *redis)
{
    if (redis->connection)
        return true;
    redis->connections++;
    redis->connection = redisConnectWithTimeout(redis->host, redis->port, redis->timeout);
    if (redis->connection && !redis->connection->err &&
        redisSetTimeout(redis->connection, redis->timeout) == REDIS_OK &&
        authenticate(redis, redis->connection))
        return true;
    redis_close(redis);
    return false;
}

/* A new connection of a fiber; NULL = none. A host's name is looked up while nothing else runs. */
static redisContext *connect_in_fiber(struct redis *redis)
{
    int64_t deadline = clock_monotonic_microseconds() + redis->timeout.tv_sec * INT64_C(1000000) +
                       redis->timeout.tv_usec;
    redisContext *connection = redisConnectNonBlock(redis->host, redis->port);
    int fault = 0;
    socklen_t size = sizeof fault;

    redis->connections++;
    if (connection && !connection->err && await(connection, EPOLLOUT, deadline) &&
        getsockopt(connection->fd, SOL_SOCKET, SO_ERROR, &fault, &size) == 0 && !fault &&
        authenticate(redis, connection))
        return connection;
    if (connection)
        redisFree(connection);
    return NULL;
}

/* A connection that was idle may have been closed by Redis: then this tries a new one. */
static redisReply *command_in_fiber(struct redis *redis, int count, const char **arguments)
{
    redisContext *connection = redis->idle_count ? redis->idle[--redis->idle_count] : NULL;
    redisReply *reply = connection ? send_command(redis, connection, count, arguments) : NULL;

    if (connection && !reply && connection->err) { /* not after a time-out */
        redisFree(connection);
        connection = NULL;
    }
    if (!connection) {
        connection = connect_in_fiber(redis);
        reply = connection ? send_command(redis, connection, count, arguments) : NULL;
    }
    if (connection && (!reply || redis->idle_count == IDLE_MAX))
        redisFree(connection);
    else if (connection)
        redis->idle[redis->idle_count++] = connection;
    return reply;
}

/* Redis may have closed an idle connection: then this tries a new one, but not after a time-out. */
static redisReply *command_alone(struct redis *redis, int count, const char **arguments)
{
    bool was_open = redis->connection != NULL;
    redisReply *reply =
        is_connected(redis) ? send_command(redis, redis->connection, count, arguments) : NULL;
    bool lost = !reply && redis->connection &&
                (redis->connection->err == REDIS_ERR_EOF ||
                 (redis->connection->err == REDIS_ERR_IO && errno != EAGAIN));

    if (!reply)
        redis_close(redis);
    if (lost && was_open && is_connected(redis))
        reply = send_command(redis, redis->connection, count, arguments);
    return reply;
}

/* The reply may be an error. */
static redisReply *run_any(struct redis *redis, int count, const char **arguments)
{
    return fiber_current() ? command_in_fiber(redis, count, arguments)
                           : command_alone(redis, count, arguments);
}

redisReply *redis_command(struct redis *redis, int count, const char **arguments)
{
    return without_error(run_any(redis, count, arguments));
}

void redis_script_init(struct redis_script *script, const char *text)
{
    script->text = text;
    digest_sha1_hex(text, strlen(text), script->sha1);
}

/* False unless it is a list of `count` integers. */
static bool read_integers(const redisReply *reply, int64_t *numbers, size_t count)
{
    bool good = reply->type == REDIS_REPLY_ARRAY && reply->elements == count;

    for (size_t i = 0; good && i < count; i++) {
        good = reply->element[i]->type == REDIS_REPLY_INTEGER;
        numbers[i] = reply->element[i]->integer;
    }
    return good;
}

bool redis_run_script(struct redis *redis, const struct redis_script *script, const char *key,
                      const struct redis_arguments *arguments, int64_t *numbers, size_t count)
{
    const char *all[REDIS_SCRIPT_ARGUMENTS_MAX + 4] = {"EVALSHA", script->sha1, "1", key};
    redisReply *reply;
    bool good;

    if (arguments->count > REDIS_SCRIPT_ARGUMENTS_MAX)
        return false;
    for (size_t i = 0; i < arguments->count; i++)
        all[4 + i] = arguments->items[i];
    reply = run_any(redis, (int)arguments->count + 4, all);
    if (is_error(reply, "NOSCRIPT")) {
        freeReplyObject(reply);
        all[0] = "EVAL";
        all[1] = script->text;
        reply = run_any(redis, (int)arguments->count + 4, all);
    }
    good = reply && read_integers(reply, numbers, count);
    if (reply)
        freeReplyObject(reply);
    return good;
}

static enum error connection_lost(struct redis *redis, struct problem *problem)
{
    redis_close(redis);
    redis->retry_at = clock_monotonic_microseconds() + pause_us;
    return problem_set(problem, ERROR_UNAVAILABLE, "redis_unavailable", "%s:%d does not answer",
                       redis->host, redis->port);
}

static enum error run_command(struct redis *redis, int count, const char **arguments,
                              struct problem *problem)
{
    redisReply *reply = NULL;

    if (clock_monotonic_microseconds() >= redis->retry_at)
        reply = redis_command(redis, count, arguments);
    else
        return problem_set(problem, ERROR_UNAVAILABLE, "redis_unavailable",
                           "%s:%d did not answer a moment ago", redis->host, redis->port);
    if (!reply)
        return connection_lost(redis, problem);
    freeReplyObject(reply);
    return ERROR_NONE;
}

enum error redis_publish(struct redis *redis, const char *channel, const char *text,
                         struct problem *problem)
{
    return run_command(redis, 3, (const char *[]){"PUBLISH", channel, text}, problem);
}

enum error redis_subscribe(struct redis *redis, const char *channel, struct problem *problem)
{
    return run_command(redis, 2, (const char *[]){"SUBSCRIBE", channel}, problem);
}

int redis_file(const struct redis *redis)
{
    return redis->connection ? redis->connection->fd : -1;
}

bool redis_receive(struct redis *redis, struct problem *problem)
{
    bool any = false;
    void *reply = NULL;

    if (!redis->connection || redisBufferRead(redis->connection) != REDIS_OK) {
        (void)connection_lost(redis, problem);
        return false;
    }
    while (redisGetReplyFromReader(redis->connection, &reply) == REDIS_OK && reply) {
        any = true;
        freeReplyObject(reply);
        reply = NULL;
    }
    return any;
}
