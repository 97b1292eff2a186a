/* Calls in their simple forms: one, or several at the same time. */
#include "net/fetch.h"

#include "net/fetch_set.h"
#include "net/transfer.h"

#include <string.h>
#include <strings.h>

const char *fetch_outcome_name(enum fetch_outcome outcome)
{
    static const char *const names[FETCH_OUTCOME__MAX] = {
        [FETCH_ANSWERED] = "answered",   [FETCH_UNUSABLE] = "unusable",
        [FETCH_TIMED_OUT] = "timed_out", [FETCH_UNREACHABLE] = "unreachable",
        [FETCH_BROKEN] = "broken",       [FETCH_TOO_LARGE] = "too_large",
        [FETCH_FORBIDDEN] = "forbidden", [FETCH_SUSPENDED] = "suspended",
        [FETCH_INVALID] = "invalid",     [FETCH_CANCELLED] = "cancelled",
    };

    return names[outcome];
}

void fetch_all(struct arena *arena, const struct fetch_request *requests,
               struct fetch_answer *answers, size_t count,
               bool (*enough)(const struct fetch_answer *answers, size_t count, void *context),
               void *context, const struct fetch_watch *watch)
{
    struct fetch_set *set = fetch_set_begin(arena);

    for (size_t i = 0; i < count; i++)
        fetch_set_add(set, &requests[i], &answers[i]);
    while (fetch_set_wait(set, 0, watch) && !(enough && enough(answers, count, context)))
        continue;
    fetch_set_end(set);
}

void fetch(struct arena *arena, const struct fetch_request *request, struct fetch_answer *answer)
{
    fetch_all(arena, request, answer, 1, NULL, NULL, NULL);
}

void fetch_limit_connections(uint32_t per_host, uint32_t kept)
{
    transfers_limit(per_host, kept);
}

const char *fetch_find_header(struct arena *arena, const struct fetch_answer *answer,
                              const char *name)
{
    size_t length = strlen(name);

    for (const char *line = answer->head, *end; (end = strstr(line, "\r\n")) != NULL;
         line = end + 2) {
        const char *value = line + length + 1;

        if ((size_t)(end - line) <= length || line[length] != ':' ||
            strncasecmp(line, name, length) != 0)
            continue;
        while (value < end && (*value == ' ' || *value == '\t'))
            value++;
        while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
            end--;
        return arena_copy(arena, value, (size_t)(end - value));
    }
    return NULL;
}

enum breaker_state fetch_breaker_state(struct shm_region *region, const char *url)
{
    char origin[BREAKER_NAME_MAX];

    return fetch_origin(url, origin) ? breaker_read_state(region, origin) : BREAKER_CLOSED;
}
