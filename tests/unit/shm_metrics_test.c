/* Labelled metrics: counted by several processes, bounded, written in the exposition format. */
#include "base/arena.h"
#include "shm/lock.h"
#include "shm/metrics.h"
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PLAIN, ASKED, TAKEN, WARMTH, GRADE, SERVED, LAST };

static const struct metric table[] = {
    [PLAIN] = {"t_plain_total", METRIC_COUNTER, "Plain."},
    [ASKED] = {"t_asked_total", METRIC_COUNTER, "Asked.", {"method", "status"}, .sets = 3},
    [TAKEN] = {"t_taken_seconds", METRIC_HISTOGRAM, "Taken.", {"route"}, {0.1, 1}},
    [WARMTH] = {"t_warmth", METRIC_GAUGE, "Warmth.", {"place"}},
    [GRADE] = {"t_grade", METRIC_SUMMARY, "Grade."},
    [SERVED] = {"t_served_seconds", METRIC_TIMES, "Served.", {"family"}, {0.01, 1}},
    [LAST] = {"t_last", METRIC_GAUGE, .labels = {"code"}, .internal = true},
};
enum { COUNT = sizeof table / sizeof table[0] };

static struct arena *arena;

static struct metrics *opened(const char *path)
{
    struct metrics *metrics;
    struct problem problem;

    CHECK_INT(metrics_open(path, table, COUNT, &metrics, &problem), ERROR_NONE);
    return metrics;
}

static const char *written(const struct metrics *metrics)
{
    struct text out;

    text_start(&out, arena, 1 << 20);
    metrics_write(metrics, &out);
    return out.bytes;
}

#define VALUES(...) ((const char *const[]){__VA_ARGS__})

TEST(everything_is_written_in_its_form)
{
    struct metrics *metrics = opened(NULL);

    metric_add(metrics, ASKED, VALUES("POST", "200"), 2);
    metric_add(metrics, ASKED, VALUES("GET", "a\"b\\c\nd"), 1);
    metric_observe(metrics, TAKEN, VALUES("/x"), 0.1);
    metric_observe(metrics, TAKEN, VALUES("/x"), 0.5);
    metric_observe(metrics, TAKEN, VALUES("/x"), 7);
    metric_set(metrics, WARMTH, VALUES("here"), 1);
    metric_set(metrics, WARMTH, VALUES("there"), 3);
    metric_clear(metrics, WARMTH);
    metric_set(metrics, WARMTH, VALUES("there"), 2.5);
    metric_observe(metrics, GRADE, NULL, 80);
    metric_observe(metrics, SERVED, VALUES("a"), 0.005);
    metric_observe(metrics, SERVED, VALUES("a"), 0.25);
    metric_raise(metrics, LAST, VALUES("not_found"), 1);
    CHECK_TEXT(written(metrics),
               "# HELP t_plain_total Plain.\n# TYPE t_plain_total counter\nt_plain_total 0\n"
               "# HELP t_asked_total Asked.\n# TYPE t_asked_total counter\n"
               "t_asked_total{method=\"GET\",status=\"a\\\"b\\\\c\\nd\"} 1\n"
               "t_asked_total{method=\"POST\",status=\"200\"} 2\n"
               "# HELP t_taken_seconds Taken.\n# TYPE t_taken_seconds histogram\n"
               "t_taken_seconds_bucket{route=\"/x\",le=\"0.1\"} 1\n"
               "t_taken_seconds_bucket{route=\"/x\",le=\"1.0\"} 2\n"
               "t_taken_seconds_bucket{route=\"/x\",le=\"+Inf\"} 3\n"
               "t_taken_seconds_sum{route=\"/x\"} 7.6\nt_taken_seconds_count{route=\"/x\"} 3\n"
               "# HELP t_warmth Warmth.\n# TYPE t_warmth gauge\nt_warmth{place=\"there\"} 2.5\n"
               "# HELP t_grade Grade.\n# TYPE t_grade summary\nt_grade_sum 80\nt_grade_count 1\n"
               "# HELP t_served_seconds Served.\n# TYPE t_served_seconds histogram\n"
               "t_served_seconds_bucket{family=\"a\",le=\"0.01\"} 1\n"
               "t_served_seconds_bucket{family=\"a\",le=\"1.0\"} 2\n"
               "t_served_seconds_bucket{family=\"a\",le=\"+Inf\"} 2\n"
               "t_served_seconds_sum{family=\"a\"} 0.255\n"
               "t_served_seconds_count{family=\"a\"} 2\n");
    metrics_close(metrics);
}

TEST(label_sets_are_bounded)
{
    struct metrics *metrics = opened(NULL);

    for (int i = 0; i < 1000; i++)
        metric_add(metrics, ASKED, VALUES("GET", arena_print(arena, "%d", i)), 1);
    CHECK(metric_read(metrics, ASKED, VALUES("GET", "2")) == 1);
    CHECK(metric_read(metrics, ASKED, VALUES("GET", "3")) == 0);
    CHECK(metric_read(metrics, ASKED, VALUES("other", "other")) == 997);
    metrics_close(metrics);
}

TEST(sums_go_over_the_labels_that_are_left_open)
{
    struct metrics *metrics = opened(NULL);

    metric_add(metrics, ASKED, VALUES("GET", "200"), 1);
    metric_add(metrics, ASKED, VALUES("GET", "404"), 2);
    metric_add(metrics, ASKED, VALUES("POST", "200"), 4);
    CHECK(metric_sum(metrics, ASKED, NULL) == 7);
    CHECK(metric_sum(metrics, ASKED, VALUES("GET", NULL)) == 3);
    CHECK(metric_sum(metrics, ASKED, VALUES(NULL, "200")) == 5);
    CHECK(metric_sum(metrics, ASKED, VALUES("PUT", NULL)) == 0);
    metrics_close(metrics);
}

TEST(the_largest_gauge_names_its_label)
{
    struct metrics *metrics = opened(NULL);
    double value;

    CHECK(!metric_largest(metrics, LAST, &value) && value == 0);
    metric_raise(metrics, LAST, VALUES("not_found"), 100);
    metric_raise(metrics, LAST, VALUES("rate_limited"), 200);
    metric_raise(metrics, LAST, VALUES("not_found"), 150);
    CHECK_TEXT(metric_largest(metrics, LAST, &value), "rate_limited");
    CHECK(value == 200);
    metric_raise(metrics, LAST, VALUES("not_found"), 120); /* never goes back */
    CHECK(metric_read(metrics, LAST, VALUES("not_found")) == 150);
    metrics_close(metrics);
}

/* For 1, 2, ... 100000 microseconds the q-quantile is 100000 q. */
TEST(quantiles_are_as_close_as_promised)
{
    static const double shares[] = {0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999};
    struct metrics *metrics = opened(NULL);
    struct metric_times times;

    metric_read_times(metrics, SERVED, &times);
    CHECK_NEAR(metric_quantile(&times, 0.5), -1, 0);
    for (int value = 1; value <= 100000; value++)
        metric_observe(metrics, SERVED, VALUES(value % 2 ? "a" : "b"), value / 1e6);
    metric_read_times(metrics, SERVED, &times);
    CHECK(times.count == 100000);
    CHECK_RELATIVE(times.sum, 5000.05, 1e-12);
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        CHECK_RELATIVE(metric_quantile(&times, shares[i]), 0.1 * shares[i], 0.032);
    CHECK_NEAR(metric_quantile(&times, 1), 0.1, 0);
    CHECK_NEAR(metric_quantile(&times, 0), 1e-6, 0);
    metrics_close(metrics);
}

/* Four processes count, a fifth is killed again and again while it does. */
TEST(processes_count_together)
{
    enum { PROCESSES = 4, TIMES = 20000 };
    char path[] = "/tmp/assay-metrics-XXXXXX";
    struct metrics *metrics;
    double before;
    int counted[2];
    char byte;

    close(mkstemp(path));
    CHECK(pipe(counted) == 0);
    for (int i = 0; i < PROCESSES; i++) {
        if (fork() != 0)
            continue;
        metrics = opened(path);
        for (int n = 0; n < TIMES; n++)
            metric_observe(metrics, TAKEN, VALUES("/counted"), 0.5);
        _exit(0);
    }
    for (int i = 0; i < 20; i++) {
        pid_t victim = fork();

        if (victim == 0) {
            metrics = opened(path);
            metric_add(metrics, WARMTH, VALUES("a"), 1);
            if (write(counted[1], "x", 1) != 1)
                _exit(1);
            for (unsigned n = 0;; n++)
                metric_add(metrics, WARMTH, VALUES(n % 2 ? "a" : "b"), 1);
        }
        if (i == 0) /* the others may die before they have counted at all */
            CHECK(read(counted[0], &byte, 1) == 1);
        usleep(2000);
        kill(victim, SIGKILL);
    }
    while (wait(NULL) > 0)
        continue;
    metrics = opened(path);
    CHECK(metric_read(metrics, TAKEN, VALUES("/counted")) == PROCESSES * TIMES);
    before = metric_read(metrics, WARMTH, VALUES("a"));
    metric_add(metrics, WARMTH, VALUES("a"), 1);
    CHECK(before > 0 && metric_read(metrics, WARMTH, VALUES("a")) == before + 1);
    metrics_close(metrics);
    close(counted[0]);
    close(counted[1]);
    unlink(path);
    unlink(arena_print(arena, "%s.lock", path));
}

static int claimed[2]; /* a pipe: the other process has claimed the cell */

static void pause_after_claim(const char *place)
{
    if (strcmp(place, "metrics.claimed") != 0)
        return;
    CHECK(write(claimed[1], "c", 1) == 1);
    usleep(30000);
}

static void die_after_claim(const char *place)
{
    if (strcmp(place, "metrics.claimed") != 0)
        return;
    CHECK(write(claimed[1], "c", 1) == 1);
    _exit(0);
}

/* A process that is about to write a new label set is kept from its processor, or dies: the set has
 * one value all the same. */
TEST(a_new_label_set_is_made_once)
{
    static void (*const hooks[])(const char *) = {pause_after_claim, die_after_claim};
    static const double others[] = {1, 0};
    char path[] = "/tmp/assay-metrics-XXXXXX";
    struct metrics *metrics;
    char byte;

    close(mkstemp(path));
    CHECK(pipe(claimed) == 0);
    metrics = opened(path);
    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++) {
        const char *name = arena_print(arena, "new%zu", i);
        pid_t other = fork();

        if (other == 0) {
            shm_test_hook = hooks[i];
            metric_add(metrics, WARMTH, VALUES(name), 1);
            _exit(0);
        }
        CHECK(read(claimed[0], &byte, 1) == 1);
        metric_add(metrics, WARMTH, VALUES(name), 1);
        waitpid(other, NULL, 0);
        metric_add(metrics, WARMTH, VALUES(name), 1);
        CHECK_NEAR(metric_read(metrics, WARMTH, VALUES(name)), 2 + others[i], 0);
    }
    metrics_close(metrics);
    close(claimed[0]);
    close(claimed[1]);
    unlink(path);
    unlink(arena_print(arena, "%s.lock", path));
}

int main(void)
{
    static const struct test_case cases[] = {CASE(everything_is_written_in_its_form),
                                             CASE(label_sets_are_bounded),
                                             CASE(sums_go_over_the_labels_that_are_left_open),
                                             CASE(the_largest_gauge_names_its_label),
                                             CASE(quantiles_are_as_close_as_promised),
                                             CASE(processes_count_together),
                                             CASE(a_new_label_set_is_made_once)};
    int status;

    arena = arena_create(1 << 24);
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return status;
}
