/* Reading robots.txt, and matching paths. Percent-encoded characters are compared as they are
 * written. */
#include "support/sources/robots.h"
#include "base/list.h"
#include "base/number.h"
#include "base/text.h"

#include <string.h>
#include <strings.h>

enum { READ_MOST = 512 * 1024, RULES_MOST = 5000 };

struct reading {
    struct arena *arena;
    const char *agent;
    struct robots mine, others; /* of the groups for the agent, and for `*` */
    bool in_rules;              /* a further User-agent begins a new group */
    bool is_mine, is_others, found;
};

static void read_agent(struct reading *reading, const char *value)
{
    size_t length = strcspn(value, "/ \t");

    if (reading->in_rules)
        reading->is_mine = reading->is_others = reading->in_rules = false;
    if (strcmp(value, "*") == 0)
        reading->is_others = true;
    else if (length == strlen(reading->agent) && strncasecmp(value, reading->agent, length) == 0)
        reading->is_mine = reading->found = true;
}

static void add_rule(struct reading *reading, struct robots *to, const char *value, bool allows)
{
    if (*value && to->count < RULES_MOST)
        *ARRAY_ADD(reading->arena, to->items, to->count) = (struct robots_rule){value, allows};
}

static void read_rule(struct reading *reading, const char *value, bool allows)
{
    reading->in_rules = true;
    if (reading->is_mine)
        add_rule(reading, &reading->mine, value, allows);
    if (reading->is_others)
        add_rule(reading, &reading->others, value, allows);
}

static void read_delay(struct reading *reading, const char *value)
{
    double seconds = 0;

    reading->in_rules = true;
    if (!number_parse(value, &seconds) || seconds < 0)
        return;
    if (reading->is_mine)
        reading->mine.delay = seconds;
    if (reading->is_others)
        reading->others.delay = seconds;
}

static void read_line(struct reading *reading, const char *line, size_t length)
{
    const char *mark = memchr(line, '#', length), *colon;
    const char *key, *value;

    if (mark)
        length = (size_t)(mark - line);
    colon = memchr(line, ':', length);
    if (!colon)
        return;
    key = text_trimmed(reading->arena, line, (size_t)(colon - line));
    value = text_trimmed(reading->arena, colon + 1, length - (size_t)(colon + 1 - line));
    if (strcasecmp(key, "user-agent") == 0)
        read_agent(reading, value);
    else if (strcasecmp(key, "allow") == 0 || strcasecmp(key, "disallow") == 0)
        read_rule(reading, value, strcasecmp(key, "allow") == 0);
    else if (strcasecmp(key, "crawl-delay") == 0)
        read_delay(reading, value);
    else if (strcasecmp(key, "sitemap") == 0 && *value)
        *LIST_ADD(reading->arena, &reading->mine.sitemaps) = value;
}

void robots_read(struct arena *arena, const char *bytes, size_t length, const char *agent,
                 struct robots *robots)
{
    struct reading reading = {.arena = arena, .agent = agent};
    const char *end = bytes + (length < READ_MOST ? length : READ_MOST);

    if (end - bytes >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        bytes += 3;
    while (bytes < end) {
        const char *at = bytes;

        while (at < end && *at != '\n' && *at != '\r')
            at++;
        read_line(&reading, bytes, (size_t)(at - bytes));
        bytes = at + 1;
    }
    *robots = reading.found ? reading.mine : reading.others;
    robots->sitemaps = reading.mine.sitemaps;
}

/* Backtracks only to the last `*`: each star takes as little as it can. */
static bool matches(const char *pattern, const char *path)
{
    const char *star = NULL, *retry = NULL;

    for (;;) {
        if (*pattern == '*') {
            star = ++pattern;
            retry = path;
        } else if (!*pattern || (pattern[0] == '$' && !pattern[1] && !*path)) {
            return true;
        } else if (*path && *pattern == *path) {
            pattern++;
            path++;
        } else if (star && *retry) {
            path = ++retry;
            pattern = star;
        } else {
            return false;
        }
    }
}

bool robots_allow(const struct robots *robots, const char *path)
{
    size_t longest = 0;
    bool allows = true;

    for (size_t i = 0; i < robots->count; i++) {
        const struct robots_rule *rule = &robots->items[i];
        size_t length = strlen(rule->pattern);

        if (length < longest || (length == longest && !rule->allows))
            continue;
        if (matches(rule->pattern, path)) {
            longest = length;
            allows = rule->allows;
        }
    }
    return allows;
}
