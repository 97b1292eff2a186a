/*
 * A connection to a Redis server: commands, publishing, and subscribing to one channel. Messages
 * between hosts are best effort: no call waits longer than the timeout, a server that does not
 * answer is not tried for a second, and messages sent while it is away are lost. Programs must
 * ignore SIGPIPE. In a fiber a command lets other fibers run, on a connection of its own.
 */
#ifndef ASSAY_NET_REDIS_H
#define ASSAY_NET_REDIS_H

#include "base/arena.h"
#include "base/error.h"
#include "crypto/digest.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct redis;
struct redisReply;

extern const char redis_url_form[]; /* "must be redis://..." */

/* A handle for such a URL; does not connect yet. Memory from `arena`. `timeout` is in seconds, for
 * connecting and for each answer. ERROR_INVALID redis_url, without the password in its text. */
MUST_CHECK enum error redis_open(struct arena *arena, const char *url, double timeout,
                                 struct redis **redis, struct problem *problem);
/* The longest that connecting and a command take, in milliseconds, with the look-up of the host's
 * name, which has no limit of its own: as long as the system's resolver tries servers. For a
 * breaker on the server: before that nobody tries beside a worker that waits. */
uint32_t redis_probe_ms(double timeout);
/* Closes the connection; the next command opens a new one. NULL is allowed. */
void redis_close(struct redis *redis);

/* Whether the server is on this machine; the connection is not encrypted. */
bool redis_is_local(const struct redis *redis);

/* How many connections were opened so far. */
unsigned redis_connections(const struct redis *redis);

/* The reply to a command, to be freed with freeReplyObject(); NULL without a reply, and for an
 * error. */
struct redisReply *redis_command(struct redis *redis, int count, const char **arguments);

/* A Lua script, and the name by which the server knows it. */
struct redis_script {
    const char *text;
    char sha1[DIGEST_SHA1_TEXT];
};
void redis_script_init(struct redis_script *script, const char *text);

enum { REDIS_SCRIPT_ARGUMENTS_MAX = 320 };

struct redis_arguments {
    const char *items[REDIS_SCRIPT_ARGUMENTS_MAX];
    size_t count;
};

/* Runs the script on one key; a server that does not know it is given its text. False unless it
 * answers with `count` integers. */
bool redis_run_script(struct redis *redis, const struct redis_script *script, const char *key,
                      const struct redis_arguments *arguments, int64_t *numbers, size_t count);

/* ERROR_UNAVAILABLE redis_unavailable; at once, if the server failed a moment ago. */
MUST_CHECK enum error redis_publish(struct redis *redis, const char *channel, const char *text,
                                    struct problem *problem);

/* Subscribes this handle to `channel`; it then does nothing else. Errors as above. */
MUST_CHECK enum error redis_subscribe(struct redis *redis, const char *channel,
                                      struct problem *problem);
/* The descriptor to wait for; -1 without a connection. */
int redis_file(const struct redis *redis);
/* Reads messages; call it when the descriptor is ready. True when there was one. ERROR_UNAVAILABLE
 * in `problem` when the connection is lost. */
bool redis_receive(struct redis *redis, struct problem *problem);

#endif
