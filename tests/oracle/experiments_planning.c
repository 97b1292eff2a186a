/*
 * Planning kernels on standard input and output, for experiments_*_test.py: one JSON object per
 * line, `{"call": name, ...}`; one per line back, with `error` in it where there is no answer.
 */
#include "base/json.h"
#include "base/optional.h"
#include "experiments/assignment/assignment.h"
#include "experiments/design/sensitivity.h"
#include "stats/bandit.h"
#include "stats/multiple_testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_MAX = 1 << 24 };

struct call {
    const json_t *asked;
    struct arena *arena;
    struct json_writer *answer;
};

static double number(const struct call *call, const char *name)
{
    return json_number_value(json_object_get(call->asked, name));
}

static int64_t integer(const struct call *call, const char *name)
{
    return json_integer_value(json_object_get(call->asked, name));
}

static const char *text(const struct call *call, const char *name)
{
    return json_string_value(json_object_get(call->asked, name));
}

static struct number_list numbers(const struct call *call, const char *name)
{
    const json_t *array = json_object_get(call->asked, name);
    struct number_list list = {.count = json_array_size(array)};

    list.items = ARENA_ARRAY(call->arena, double, list.count);
    for (size_t i = 0; i < list.count; i++)
        list.items[i] = json_number_value(json_array_get(array, i));
    return list;
}

/* arm_rates horizon simulations seed threads -> allocation, regret at each step */
static void answer_bandit(const struct call *call)
{
    struct bandit_game game = {.arm_rates = numbers(call, "arm_rates"),
                               .horizon = integer(call, "horizon"),
                               .simulations = integer(call, "simulations"),
                               .seed = (uint64_t)integer(call, "seed")};
    struct bandit_result *result = ARENA_NEW(call->arena, struct bandit_result);

    bandit_simulate(&game, (int)number(call, "threads"), call->arena, result);
    writer_key_number(call->answer, "probability_best", result->probability_best);
    writer_key(call->answer, "allocation");
    writer_open_array(call->answer);
    for (size_t i = 0; i < game.arm_rates.count; i++)
        writer_number(call->answer, result->allocation[i]);
    writer_close_array(call->answer);
    writer_key(call->answer, "regret");
    writer_open_array(call->answer);
    for (size_t i = 0; i < result->point_count; i++)
        writer_number(call->answer, result->points[i].bandit_regret);
    writer_close_array(call->answer);
}

/* method ("bh", "holm") level p_values -> adjusted, rejected, critical */
static void answer_multiple_testing(const struct call *call)
{
    struct number_list p_values = numbers(call, "p_values");
    struct adjusted_test *tests = ARENA_ARRAY(call->arena, struct adjusted_test, p_values.count);
    struct multiple_testing_result result = multiple_testing_adjust(
        strcmp(text(call, "method"), "holm") == 0 ? MULTIPLE_TESTING_HOLM : MULTIPLE_TESTING_BH,
        p_values.items, p_values.count, number(call, "level"), call->arena, tests);

    writer_key_number(call->answer, "critical", result.critical_value);
    writer_key(call->answer, "adjusted");
    writer_open_array(call->answer);
    for (size_t i = 0; i < p_values.count; i++)
        writer_number(call->answer, tests[i].adjusted_p_value);
    writer_close_array(call->answer);
    writer_key(call->answer, "rejected");
    writer_open_array(call->answer);
    for (size_t i = 0; i < p_values.count; i++)
        writer_boolean(call->answer, tests[i].rejected);
    writer_close_array(call->answer);
}

/* metric_type (its number) baseline std_dev alpha users_per_day split mdes powers -> sizes, days */
static void answer_sensitivity(const struct call *call)
{
    struct sensitivity_plan plan = {.metric_type = (enum metric_type)integer(call, "metric_type"),
                                    .baseline = number(call, "baseline"),
                                    .std_dev = number(call, "std_dev"),
                                    .alpha = number(call, "alpha"),
                                    .users_per_day = number(call, "users_per_day"),
                                    .traffic_split = numbers(call, "split"),
                                    .mde_values = numbers(call, "mdes"),
                                    .power_values = numbers(call, "powers")};
    size_t count = plan.mde_values.count * plan.power_values.count;
    const struct sensitivity_cell *cells;

    plan.variants = (int64_t)plan.traffic_split.count;
    cells = sensitivity_grid(&plan, call->arena);
    writer_key(call->answer, "sizes");
    writer_open_array(call->answer);
    for (size_t i = 0; i < count; i++)
        writer_integer(call->answer, cells[i].sample_size_per_variant.value);
    writer_close_array(call->answer);
    writer_key(call->answer, "days");
    writer_open_array(call->answer);
    for (size_t i = 0; i < count; i++)
        writer_number(call->answer, cells[i].duration_days.value);
    writer_close_array(call->answer);
}

/* seed value version -> place */
static void answer_hash(const struct call *call)
{
    writer_key_number(call->answer, "place",
                      hash_unit((enum hash_version)integer(call, "version"), HASH_UTF16,
                                text(call, "seed"), text(call, "value")));
}

static const struct {
    const char *name;
    void (*answer)(const struct call *call);
} functions[] = {
    {"bandit", answer_bandit},
    {"multiple_testing", answer_multiple_testing},
    {"sensitivity", answer_sensitivity},
    {"hash", answer_hash},
};

static void answer_line(struct arena *arena, const char *line, size_t length)
{
    struct text out;
    struct json_writer writer;
    struct json_fault fault;
    json_t *asked;

    text_start(&out, arena, ANSWER_MAX);
    writer_start(&writer, &out);
    writer_open_object(&writer);
    if (json_read(arena, line, length, JSON_DEPTH_LIMIT, &asked, &fault)) {
        writer_key_string(&writer, "error", fault.text);
    } else {
        const char *name = json_string_value(json_object_get(asked, "call"));
        const struct call call = {asked, arena, &writer};

        for (size_t i = 0; name && i < sizeof functions / sizeof functions[0]; i++)
            if (strcmp(functions[i].name, name) == 0)
                functions[i].answer(&call);
    }
    writer_close_object(&writer);
    puts(out.bytes);
}

int main(void)
{
    struct arena *arena = arena_create(1 << 28);
    char *line = NULL;
    size_t capacity = 0;

    for (ssize_t length; (length = getline(&line, &capacity, stdin)) > 0;) {
        answer_line(arena, line, (size_t)length);
        arena_reset(arena);
    }
    free(line);
    arena_destroy(arena);
    return 0;
}
