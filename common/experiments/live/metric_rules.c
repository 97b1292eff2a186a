/* Rules of metrics, from the design to the row of the experiment and back. */
#include "experiments/live/metric_rules.h"

#include "base/number.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>

enum { RULES_BYTES_MAX = 4096 };

static int64_t window_of(const struct experiment_payload *design, const struct metric_rule *rule)
{
    return rule->conversion_window < 0
               ? live_design_window(design)
               : live_window_of(rule->conversion_window, rule->conversion_window_days);
}

size_t live_design_rules(const struct experiment_payload *design,
                         const struct live_name_list *names,
                         struct live_metric_rule rules[LIVE_RULES_MAX])
{
    const struct object_list *list = &design->metrics->metric_rules;
    const struct metric_rule *items = list->items;

    for (size_t i = 0; i < list->count; i++)
        rules[i] = (struct live_metric_rule){
            .metric = live_name_number(names, items[i].name),
            .window = window_of(design, &items[i]),
            .lower = items[i].lower_cap.given ? items[i].lower_cap.value : -INFINITY,
            .upper = items[i].upper_cap.given ? items[i].upper_cap.value : INFINITY};
    return list->count;
}

static void append_integer(struct text *text, int64_t value)
{
    char number[NUMBER_TEXT_MAX];

    text_append(text, number, integer_format(value, number));
}

/* Nothing where there is no cap. */
static void append_cap(struct text *text, double value)
{
    char number[NUMBER_TEXT_MAX];

    text_append_byte(text, ',');
    if (isfinite(value))
        text_append(text, number, number_format(value, number));
}

const char *live_rules_text(const struct live_metric_rule *rules, size_t count, struct arena *arena)
{
    struct text text;

    text_start(&text, arena, RULES_BYTES_MAX);
    for (size_t i = 0; i < count; i++) {
        append_integer(&text, rules[i].metric);
        text_append_byte(&text, ',');
        append_integer(&text, rules[i].window);
        append_cap(&text, rules[i].lower);
        append_cap(&text, rules[i].upper);
        text_append_byte(&text, ' ');
    }
    return text.bytes;
}

static double read_cap(const char **at, double absent)
{
    char *end;
    double value;

    ++*at; /* the comma */
    if (**at == ',' || **at == ' ' || **at == '\0')
        return absent;
    value = strtod(*at, &end);
    *at = end;
    return value;
}

size_t live_read_rules(const char *text, struct live_metric_rule rules[LIVE_RULES_MAX])
{
    size_t count = 0;

    while (*text && count < LIVE_RULES_MAX) {
        struct live_metric_rule *rule = &rules[count++];
        char *end;
        const char *at;

        rule->metric = strtoll(text, &end, 10);
        rule->window = strtoll(end + 1, &end, 10);
        at = end;
        rule->lower = read_cap(&at, -INFINITY);
        rule->upper = read_cap(&at, INFINITY);
        text = *at ? at + 1 : at;
    }
    return count;
}
