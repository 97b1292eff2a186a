/* The settings of the collector, and their checks. */
#include "telemetry/otlp_settings.h"

#include "net/egress.h"

#include <string.h>

const char *const otlp_log_levels[] = {"off",   "DEBUG",    "INFO", "WARNING",
                                       "ERROR", "CRITICAL", NULL};

struct holder {
    struct otlp_settings otlp;
};

#define AT(member) offsetof(struct holder, member)
static const struct setting table[] = {OTLP_SETTINGS};
#undef AT

enum error otlp_settings_load(struct otlp_settings *settings, struct arena *arena,
                              struct problem *problem)
{
    struct holder holder = {0};
    enum error error =
        settings_load(table, sizeof table / sizeof table[0], &holder, arena, NULL, problem);

    *settings = holder.otlp;
    return error ? error : otlp_settings_check(settings, problem);
}

static bool is_url(const char *url)
{
    return strncmp(url, "http://", strlen("http://")) == 0 ||
           strncmp(url, "https://", strlen("https://")) == 0;
}

enum error otlp_settings_check(const struct otlp_settings *settings, struct problem *problem)
{
    char host[EGRESS_HOST_MAX];

    if (settings->endpoint &&
        (!is_url(settings->endpoint) || egress_host(settings->endpoint, host, problem)))
        return problem_set(problem, ERROR_INVALID, "otlp_endpoint",
                           "ASSAY_OTLP_ENDPOINT must be like http://host:4318");
    for (size_t i = 0; i < settings->headers.count; i++)
        if (strchr(settings->headers.items[i], '=') == NULL || *settings->headers.items[i] == '=')
            return problem_set(problem, ERROR_INVALID, "otlp_headers",
                               "header %zu of ASSAY_OTLP_HEADERS is not name=value", i + 1);
    return ERROR_NONE;
}

const char *otlp_url(struct arena *arena, const struct otlp_settings *settings, const char *signal)
{
    size_t length = strlen(settings->endpoint);

    while (length && settings->endpoint[length - 1] == '/')
        length--;
    return arena_print(arena, "%.*s/v1/%s", (int)length, settings->endpoint, signal);
}
