/* The one place that speaks to Redis. Nothing is allocated from an arena while an answer is held.
 */
#include "net/shared_rate.h"

#include "base/number.h"
#include "crypto/token.h"
#include "shm/breaker.h"

#include <curl/curl.h>
#include <errno.h>
#include <hiredis/hiredis.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>

enum { DEFAULT_PORT = 6379, KEPT_SECONDS = 1, MICROSECONDS_PER_SECOND = 1000000 };

/* What a breaker calls it; there is one Redis for a service. */
static const char breaker_name[] = "cache";

/* KEYS[1] = the log of a client; ARGV = the limit, the window in seconds, a word that nobody else
 * adds. Gives whether it was admitted, how many are in the window, and the oldest one's age. */
static const char script[] =
    "local t = redis.call('TIME')\n"
    "local now = t[1] + t[2] / 1000000\n"
    "redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.6f', now - ARGV[2]))\n"
    "local n = redis.call('ZCARD', KEYS[1])\n"
    "local fits = n < tonumber(ARGV[1])\n"
    "if fits then\n"
    "  local moment = string.format('%.6f', now)\n"
    "  redis.call('ZADD', KEYS[1], moment, moment .. ':' .. ARGV[3])\n"
    "  redis.call('EXPIRE', KEYS[1], ARGV[2] + 1)\n"
    "  n = n + 1\n"
    "end\n"
    "local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')\n"
    "local age = first[2] and math.floor(now - first[2]) or 0\n"
    "return {fits and 1 or 0, n, age}";

struct shared_rate {
    const char *host, *user, *password; /* the last two NULL = none */
    int port, database;
    struct timeval patience;
    struct breaker_rule rule;
    redisContext *connection; /* NULL between two */
};

static const char *part_of(struct arena *arena, CURLU *url, CURLUPart part)
{
    const char *copy = NULL;
    char *text = NULL;

    if (curl_url_get(url, part, &text, CURLU_URLDECODE) == CURLUE_OK && *text) {
        char *room = arena_try_alloc(arena, strlen(text) + 1);

        copy = room ? memcpy(room, text, strlen(text) + 1) : NULL;
    }
    curl_free(text);
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

static bool read_url(struct arena *arena, const char *text, struct shared_rate *rate)
{
    CURLU *url = curl_url();
    bool good =
        url && curl_url_set(url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK;
    const char *scheme = good ? part_of(arena, url, CURLUPART_SCHEME) : NULL;
    const char *path = good ? part_of(arena, url, CURLUPART_PATH) : NULL;

    rate->port = DEFAULT_PORT;
    good = good && scheme && strcasecmp(scheme, "redis") == 0 &&
           (rate->host = part_of(arena, url, CURLUPART_HOST)) &&
           !part_of(arena, url, CURLUPART_QUERY) &&
           read_number(part_of(arena, url, CURLUPART_PORT), 65535, &rate->port) &&
           read_number(path && path[1] ? path + 1 : NULL, 1 << 20, &rate->database);
    if (good) {
        rate->user = part_of(arena, url, CURLUPART_USER);
        rate->password = part_of(arena, url, CURLUPART_PASSWORD);
    }
    curl_url_cleanup(url);
    return good;
}

enum error shared_rate_open(struct arena *arena, const struct shared_rate_place *place,
                            struct shared_rate **rate, struct problem *problem)
{
    struct shared_rate *made = ARENA_NEW(arena, struct shared_rate);

    if (!read_url(arena, place->url, made))
        return problem_set(problem, ERROR_INVALID, "cache_url",
                           "must be redis://[[user]:password@]host[:port][/database]");
    made->patience = (struct timeval){
        (time_t)place->patience, (suseconds_t)(fmod(place->patience, 1) * MICROSECONDS_PER_SECOND)};
    made->rule = (struct breaker_rule){.failures = 1,
                                       .open_ms = (uint32_t)(place->retry_seconds * 1000),
                                       .probe_ms = (uint32_t)(place->patience * 4000)};
    *rate = made;
    return ERROR_NONE;
}

void shared_rate_close(struct shared_rate *rate)
{
    if (rate && rate->connection)
        redisFree(rate->connection);
    if (rate)
        rate->connection = NULL;
}

/* NULL for an error as well as for no answer. */
static redisReply *tell(struct shared_rate *rate, int count, const char **words)
{
    redisReply *reply = redisCommandArgv(rate->connection, count, words, NULL);

    if (reply && reply->type == REDIS_REPLY_ERROR) {
        freeReplyObject(reply);
        return NULL;
    }
    return reply;
}

static bool told(struct shared_rate *rate, int count, const char **words)
{
    redisReply *reply = tell(rate, count, words);

    if (reply)
        freeReplyObject(reply);
    return reply != NULL;
}

static bool introduce(struct shared_rate *rate)
{
    char database[16];
    const char *by_name[] = {"AUTH", rate->user, rate->password};
    const char *by_password[] = {"AUTH", rate->password};
    const char *select[] = {"SELECT", database};

    snprintf(database, sizeof database, "%d", rate->database);
    return (!rate->password ||
            (rate->user ? told(rate, 3, by_name) : told(rate, 2, by_password))) &&
           (!rate->database || told(rate, 2, select));
}

static bool is_connected(struct shared_rate *rate)
{
    if (rate->connection)
        return true;
    rate->connection = redisConnectWithTimeout(rate->host, rate->port, rate->patience);
    if (rate->connection && !rate->connection->err &&
        redisSetTimeout(rate->connection, rate->patience) == REDIS_OK && introduce(rate))
        return true;
    shared_rate_close(rate);
    return false;
}

/* A connection that was idle may have been closed by Redis: then a new one is tried, but not when
 * there was no answer in time. */
static redisReply *ask(struct shared_rate *rate, int count, const char **words)
{
    bool was_open = rate->connection != NULL;
    redisReply *reply = is_connected(rate) ? tell(rate, count, words) : NULL;
    bool lost = !reply && rate->connection &&
                (rate->connection->err == REDIS_ERR_EOF ||
                 (rate->connection->err == REDIS_ERR_IO && errno != EAGAIN));

    if (!reply)
        shared_rate_close(rate);
    if (lost && was_open && is_connected(rate))
        reply = tell(rate, count, words);
    return reply;
}

/* The same where the breaker lets it pass. */
static redisReply *ask_guarded(struct shared_rate *rate, struct shm_region *region, int count,
                               const char **words)
{
    struct breaker_pass pass = {0};
    redisReply *reply;

    if (region && !breaker_ask(region, breaker_name, &rate->rule, &pass))
        return NULL;
    reply = ask(rate, count, words);
    if (region)
        breaker_tell(region, &rate->rule, &pass, reply != NULL);
    return reply;
}

static bool holds_integers(const redisReply *reply, size_t count)
{
    bool good = reply->type == REDIS_REPLY_ARRAY && reply->elements == count;

    for (size_t i = 0; good && i < count; i++)
        good = reply->element[i]->type == REDIS_REPLY_INTEGER;
    return good;
}

bool shared_rate_allow(struct shared_rate *rate, struct shm_region *region, const char *key,
                       struct rate_rule rule, struct rate_decision *decision)
{
    char limit[16], window[16], word[32];
    const char *words[] = {"EVAL", script, "1", key, limit, window, word};
    redisReply *reply;
    bool good;

    snprintf(limit, sizeof limit, "%u", rule.max);
    snprintf(window, sizeof window, "%u", rule.window_seconds);
    token_random_text(12, word, sizeof word);
    reply = ask_guarded(rate, region, sizeof words / sizeof words[0], words);
    if (!reply)
        return false;
    good = holds_integers(reply, 3);
    if (good) {
        uint32_t used = (uint32_t)reply->element[1]->integer;
        uint32_t age = (uint32_t)reply->element[2]->integer;
        uint32_t left = age < rule.window_seconds ? rule.window_seconds - age : KEPT_SECONDS;
        bool fits = reply->element[0]->integer == 1;

        *decision = (struct rate_decision){.allowed = fits,
                                           .limit = rule.max,
                                           .remaining = used < rule.max ? rule.max - used : 0,
                                           .retry_after_seconds = fits ? 0 : left,
                                           .reset_seconds = left};
    }
    freeReplyObject(reply);
    return good;
}

bool shared_rate_answers(struct shared_rate *rate, struct shm_region *region)
{
    const char *words[] = {"PING"};
    redisReply *reply = ask_guarded(rate, region, 1, words);

    if (reply)
        freeReplyObject(reply);
    return reply != NULL;
}
