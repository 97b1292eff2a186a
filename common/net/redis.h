/*
 * A connection to a Redis server, and words between hosts over it: publishing, and listening on one
 * channel. Words are best effort: nothing waits longer than the timeout, a server that does not
 * answer is left alone for a second, and what is missed while it is away is missed. Programs must
 * ignore SIGPIPE.
 */
#ifndef ASSAY_NET_REDIS_H
#define ASSAY_NET_REDIS_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>

struct redis;
struct redisReply;

extern const char redis_url_form[]; /* "must be redis://..." */

/* A handle on such a URL; connects to nothing. Memory from `arena`. `timeout` is in seconds, for
 * connecting and for each answer. ERROR_INVALID redis_url, without the password in its text. */
MUST_CHECK enum error redis_open(struct arena *arena, const char *url, double timeout,
                                 struct redis **redis, struct problem *problem);
/* Gives the connection up; the next command makes a new one. NULL is allowed. */
void redis_close(struct redis *redis);

/* Whether the server is on this machine: what is said to it is not encrypted. */
bool redis_is_local(const struct redis *redis);

/* The answer to a command, to be freed with freeReplyObject(); NULL without any, and for an error.
 */
struct redisReply *redis_ask(struct redis *redis, int count, const char **words);

/* ERROR_UNAVAILABLE redis_unavailable: at once, when it was so a moment ago. */
MUST_CHECK enum error redis_publish(struct redis *redis, const char *channel, const char *text,
                                    struct problem *problem);

/* This handle hears of `channel` from now on, and does nothing else. Errors as above. */
MUST_CHECK enum error redis_subscribe(struct redis *redis, const char *channel,
                                      struct problem *problem);
/* What can be waited for; -1 without a connection. */
int redis_file(const struct redis *redis);
/* Takes what has arrived, to be called when the file is ready: true when there was anything.
 * ERROR_UNAVAILABLE in `problem` when the connection is gone. */
bool redis_heard(struct redis *redis, struct problem *problem);

#endif
