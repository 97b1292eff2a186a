/* Confidence, votes and rankings. */
#include "orchestrator/measures/votes.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const double unstated = 5, most_stated = 10, round_weight = 0.8;

const char *const divergence_action_names[DIVERGENCE_ACTION__MAX + 1] = {
    "accept", "debate", "expand", "escalate", NULL};

static const char *skip_blanks(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* The Russian word, by its code points: each is two bytes. The case bit differs in the forms of the
 * first letter, so both forms are compared letter by letter. */
static size_t match_russian(const char *at)
{
    static const char lower[] = "\xd1\x83\xd0\xb2\xd0\xb5\xd1\x80\xd0\xb5\xd0\xbd\xd0\xbd\xd0\xbe"
                                "\xd1\x81\xd1\x82\xd1\x8c";
    static const char upper[] = "\xd0\xa3\xd0\x92\xd0\x95\xd0\xa0\xd0\x95\xd0\x9d\xd0\x9d\xd0\x9e"
                                "\xd0\xa1\xd0\xa2\xd0\xac";

    for (size_t i = 0; i < sizeof lower - 1; i += 2)
        if (strncmp(at + i, lower + i, 2) != 0 && strncmp(at + i, upper + i, 2) != 0)
            return 0;
    return sizeof lower - 1;
}

/* The number after the word, or false. */
static bool read_stated(const char *at, double *value)
{
    char *end;

    at = skip_blanks(at);
    if (*at == ':' || *at == '=')
        at = skip_blanks(at + 1);
    if (!isdigit((unsigned char)*at))
        return false;
    *value = strtod(at, &end);
    if (*skip_blanks(end) == '%')
        *value /= 10;
    return true;
}

double stated_confidence(const char *text)
{
    static const char word[] = "confidence";
    double value;

    for (const char *at = text; *at; at++) {
        size_t length =
            strncasecmp(at, word, sizeof word - 1) == 0 ? sizeof word - 1 : match_russian(at);

        if (length && read_stated(at + length, &value))
            return fmin(fmax(value, 0), most_stated);
    }
    return unstated;
}

double weighted_vote(const struct cluster *cluster, const double *weights, size_t total)
{
    double all = 0, own = 0;

    if (!total)
        return 0;
    for (size_t i = 0; i < total; i++)
        all += weights[i];
    for (size_t i = 0; i < cluster->count; i++)
        own += weights[cluster->members[i]];
    return all > 0 ? own / all : (double)cluster->count / (double)total;
}

double round_weighted_vote(const struct cluster *cluster, const int *rounds, size_t total)
{
    double all = 0, own = 0;

    for (size_t i = 0; i < total; i++)
        all += pow(round_weight, rounds[i]);
    for (size_t i = 0; i < cluster->count; i++)
        own += pow(round_weight, rounds[cluster->members[i]]);
    return all > 0 ? own / all : 0;
}

struct divergence divergence_of(double score, int round, int max_rounds)
{
    int left = max_rounds - round;

    if (score >= 0.9)
        return (struct divergence){.action = DIVERGENCE_ACCEPT};
    if (score >= 0.7)
        return (struct divergence){.action = DIVERGENCE_DEBATE};
    if (left > 0)
        return (struct divergence){.action = DIVERGENCE_EXPAND, .extra = left < 3 ? left : 3};
    return (struct divergence){.action = DIVERGENCE_ESCALATE};
}

static bool is_in(const size_t *wanted, size_t count, size_t item)
{
    for (size_t i = 0; i < count; i++)
        if (wanted[i] == item)
            return true;
    return false;
}

void parse_ranking(const char *reply, size_t count, size_t *wanted)
{
    size_t found = 0;

    for (const char *at = reply; *at && found < count;) {
        unsigned long number;
        char *end;

        if (!isdigit((unsigned char)*at)) {
            at++;
            continue;
        }
        number = strtoul(at, &end, 10);
        at = end;
        if (number >= 1 && number <= count && !is_in(wanted, found, number - 1))
            wanted[found++] = number - 1;
    }
    for (size_t i = 0; i < count; i++)
        if (!is_in(wanted, found, i))
            wanted[found++] = i;
}

static size_t points_of(const size_t *orders, size_t voters, size_t count, size_t item)
{
    size_t points = 0;

    for (size_t voter = 0; voter < voters; voter++)
        for (size_t position = 0; position < count; position++)
            if (orders[voter * count + position] == item)
                points += count - position;
    return points;
}

size_t borda_winner(const size_t *orders, size_t voters, size_t count)
{
    size_t winner = 0;

    for (size_t i = 1; i < count; i++)
        if (points_of(orders, voters, count, i) > points_of(orders, voters, count, winner))
            winner = i;
    return winner;
}

const struct consensus_rule *consensus_rule_of(enum task_type type)
{
    static const struct consensus_rule rules[TASK_TYPE__MAX] = {
        [TASK_CODING] = {0.95, 5, 3, true, true},     [TASK_ANALYSIS] = {0.90, 4, 3, true, true},
        [TASK_CREATIVE] = {0.70, 2, 3, false, false}, [TASK_RESEARCH] = {0.85, 4, 3, true, true},
        [TASK_MATH] = {0.95, 5, 3, true, false},      [TASK_GENERAL] = {0.85, 3, 3, true, false},
    };

    return &rules[type];
}
