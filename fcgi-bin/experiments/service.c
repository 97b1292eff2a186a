/* Settings of the experiments service, as the http pipeline wants them. */
#include "experiments/service.h"
#include "base/log.h"

#include <string.h>

static enum error read_proxies(const struct experiments_settings *settings,
                               struct http_policy *policy, struct problem *problem)
{
    const struct string_list *proxies = &settings->trusted_proxies;

    if (proxies->count > POLICY_PROXIES_MAX)
        return problem_set(problem, ERROR_INVALID, "setting_invalid",
                           "AB_TRUSTED_PROXIES must be at most %d entries", POLICY_PROXIES_MAX);
    for (size_t i = 0; i < proxies->count; i++)
        if (!policy_parse_network(proxies->items[i], &policy->trusted_proxies[i]))
            return problem_set(problem, ERROR_INVALID, "setting_invalid",
                               "AB_TRUSTED_PROXIES must be addresses or networks; '%s' is neither",
                               proxies->items[i]);
    policy->trusted_proxy_count = proxies->count;
    return ERROR_NONE;
}

static struct rate_rule rule(int64_t max, int64_t window_seconds)
{
    return (struct rate_rule){(uint32_t)max, (uint32_t)window_seconds};
}

static void set_limits(const struct experiments_settings *settings, struct http_policy *policy)
{
    policy->rate_limit_enabled = settings->rate_limit_enabled;
    policy->rate = rule(settings->rate_limit_requests, settings->rate_limit_window_seconds);
    policy->heavy_rate =
        rule(settings->heavy_rate_limit_requests, settings->heavy_rate_limit_window_seconds);
    policy->auth_failures =
        rule(settings->auth_failure_limit, settings->auth_failure_window_seconds);
    policy->body_limits[BODY_STANDARD] = (size_t)settings->max_request_body_bytes;
    policy->body_limits[BODY_WORKSPACE] = (size_t)settings->max_workspace_body_bytes;
    policy->body_limits[BODY_CHATAPP] = (size_t)settings->max_chatapp_body_bytes;
    policy->memory_limit = (size_t)settings->max_request_memory_bytes;
    policy->json_depth = (int)settings->max_json_depth;
    policy->admission_enabled = settings->compute_admission_enabled;
    policy->admission = (struct admission_limits){
        .max_heavy = (uint32_t)settings->compute_max_heavy_concurrent,
        .max_cheap = (uint32_t)settings->compute_max_cheap_concurrent,
        .budget = (uint32_t)settings->compute_max_cost_units_in_flight,
        .acquire_timeout_ms = (uint32_t)settings->compute_acquire_timeout_ms};
    policy->admission_retry_after = (uint32_t)settings->compute_retry_after_seconds;
}

static void set_access(const struct experiments_settings *settings, struct http_policy *policy)
{
    policy->production = experiments_is_production(settings);
    policy->admin_token = settings->admin_token;
    policy->write_token = settings->api_token;
    policy->read_token = settings->readonly_api_token;
    policy->public_demo = settings->public_demo;
    policy->readonly_compute = settings->readonly_compute;
    policy->api_prefix = "/api/v1";
    policy->protected_path = "/readyz";
    policy->operator_prefixes[0] = "/api/v1/keys";
    policy->operator_prefixes[1] = "/api/v1/webhooks";
    policy->admin_prefix = "/api/v1/admin";
    policy->cors_origins = settings->cors_origins;
    policy->cors_methods = settings->cors_methods;
    policy->cors_headers = settings->cors_headers;
    policy->trusted_proxy_hops = settings->trusted_proxy_hops;
}

enum error service_start(struct arena *arena, struct http_policy *policy,
                         struct document_info *info, void **state, struct problem *problem)
{
    struct experiments_settings *settings = ARENA_NEW(arena, struct experiments_settings);
    enum error error = experiments_settings_load(settings, arena, NULL, problem);

    if (error)
        return error;
    log_open("assay.experiments", (enum log_level)settings->log_level,
             (enum log_format)settings->log_format);
    set_access(settings, policy);
    set_limits(settings, policy);
    *info = (struct document_info){
        .title = settings->app_name,
        .version = settings->app_version,
        .description = "Sizes A/B tests, analyses what they showed, and says whether their traffic "
                       "was split as planned."};
    *state = settings;
    return read_proxies(settings, policy, problem);
}

void service_print_settings(const void *state, struct text *out)
{
    settings_print(experiments_settings_table, experiments_settings_count, state, out);
}

void service_document_settings(struct text *out)
{
    settings_document(experiments_settings_table, experiments_settings_count, out);
}

const struct experiments_settings *service_settings(const struct request *request)
{
    return request->state;
}
