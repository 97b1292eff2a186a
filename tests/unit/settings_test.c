/* Settings: defaults, bounds, lists, secrets, and the rules of the experiments service. */
#include "base/log.h"
#include "base/settings.h"
#include "experiments/settings.h"
#include "livedata/settings.h"
#include "support/settings.h"
#include "test.h"

#include <stdlib.h>

static struct arena *arena;

/* What stands in the pretended environment: NAME=VALUE strings. */
static const char *const *environment;

static const char *lookup(const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 0; environment[i]; i++)
        if (strncmp(environment[i], name, length) == 0 && environment[i][length] == '=')
            return environment[i] + length + 1;
    return NULL;
}

static enum error load(const char *const *variables, struct experiments_settings *settings,
                       struct problem *problem)
{
    memset(settings, 0, sizeof *settings);
    environment = variables;
    return experiments_settings_load(settings, arena, lookup, problem);
}

TEST(defaults_are_those_of_the_table)
{
    const char *const none[] = {NULL};
    struct experiments_settings settings;
    struct problem problem;

    CHECK_INT(load(none, &settings, &problem), ERROR_NONE);
    CHECK_INT(settings.port, 8008);
    CHECK_INT(settings.rate_limit_requests, 240);
    CHECK_INT(settings.auth_failure_limit, 20);
    CHECK_INT(settings.max_request_body_bytes, 1048576);
    CHECK_INT(settings.max_workspace_body_bytes, 8388608);
    CHECK_INT(settings.cors_origins.count, 2);
    CHECK(settings.api_token == NULL && settings.rate_limit_enabled && !settings.public_demo);
    CHECK_INT(settings.log_level, LOG_INFO);
    CHECK(!experiments_is_production(&settings));
}

TEST(values_are_read)
{
    const char *const variables[] = {"AB_PORT= 9000 ",
                                     "AB_API_TOKEN=12345678",
                                     "AB_PUBLIC_DEMO=YES",
                                     "AB_LOG_LEVEL=warning",
                                     "AB_CORS_ORIGINS= https://a.example ,,https://b.example ",
                                     "AB_READONLY_API_TOKEN=  ",
                                     "AB_LLM_BASE_URL=",
                                     NULL};
    struct experiments_settings settings;
    struct problem problem;

    CHECK_INT(load(variables, &settings, &problem), ERROR_NONE);
    CHECK_INT(settings.port, 9000);
    CHECK_TEXT(settings.api_token, "12345678");
    CHECK(settings.public_demo && settings.readonly_api_token == NULL);
    CHECK_INT(settings.log_level, LOG_WARNING);
    CHECK_INT(settings.cors_origins.count, 2);
    CHECK_TEXT(settings.cors_origins.items[1], "https://b.example");
    CHECK_TEXT(settings.llm_base_url, "");
}

TEST(what_is_wrong_is_named)
{
    static const struct {
        const char *variables[4];
        const char *text;
    } cases[] = {
        {{"AB_PORT=0"}, "AB_PORT must be between 1 and 65535"},
        {{"AB_PORT=80a"}, "AB_PORT must be an integer"},
        {{"AB_HOST= "}, "AB_HOST must be a non-blank text"},
        {{"AB_API_TOKEN=short"}, "AB_API_TOKEN must be at least 8 characters when configured"},
        {{"AB_PUBLIC_DEMO=maybe"},
         "AB_PUBLIC_DEMO must be one of 1, true, yes, on, 0, false, no, off"},
        {{"AB_LOG_LEVEL=LOUD"},
         "AB_LOG_LEVEL must be one of DEBUG, INFO, WARNING, ERROR, CRITICAL"},
        {{"AB_RATE_LIMIT_REQUESTS=0"}, "AB_RATE_LIMIT_REQUESTS must be between 1 and 100000"},
        {{"AB_MAX_REQUEST_BODY_BYTES=2000000", "AB_MAX_WORKSPACE_BODY_BYTES=1000000"},
         "AB_MAX_WORKSPACE_BODY_BYTES must be at least AB_MAX_REQUEST_BODY_BYTES"},
        {{"AB_LLM_BASE_URL=http://user:secret@host"},
         "AB_LLM_BASE_URL must be http:// or https:// with a host and perhaps a path, without "
         "user, password or query"},
        {{"AB_OPENAI_BASE_URL=ftp://host"},
         "AB_OPENAI_BASE_URL must be http:// or https:// with a host and perhaps a path, without "
         "user, password or query"},
        {{"AB_LLM_PATH=orchestrate"}, "AB_LLM_PATH must begin with a slash"},
        {{"AB_LLM_MAX_ATTEMPTS=0"}, "AB_LLM_MAX_ATTEMPTS must be between 1 and 10"},
        {{"AB_LLM_DEADLINE_SECONDS=111"}, "AB_LLM_DEADLINE_SECONDS must be between 0.001 and 110"},
        {{"AB_PAGE_MEMORY_BYTES=1048575"},
         "AB_PAGE_MEMORY_BYTES must be between 1048576 and 68719476736"},
        {{"AB_WEBHOOK_ROUND_DELIVERIES=0"},
         "AB_WEBHOOK_ROUND_DELIVERIES must be between 1 and 10000"},
        {{"AB_WEBHOOK_ANSWER_BYTES=1023"},
         "AB_WEBHOOK_ANSWER_BYTES must be between 1024 and 1048576"},
        {{"AB_WEBHOOK_ANSWER_KEPT_BYTES=2049"},
         "AB_WEBHOOK_ANSWER_KEPT_BYTES must be between 0 and 2048"},
        {{"AB_CHATAPP_NAME_BYTES=15"}, "AB_CHATAPP_NAME_BYTES must be between 16 and 1000"},
        {{"AB_CHATAPP_ROUND_JOBS=0"}, "AB_CHATAPP_ROUND_JOBS must be between 1 and 1000"},
        {{"AB_INTAKE=kafka"}, "AB_INTAKE is kafka, and KAFKA_BOOTSTRAP_SERVERS is not set"},
        {{"AB_TRUSTED_PROXIES=10.0.0.0/8"},
         "AB_TRUSTED_PROXY_HOPS must be at least 1 when AB_TRUSTED_PROXIES is set"},
        {{"AB_ENV=Production", "AB_API_TOKEN=12345678"},
         "AB_API_TOKEN must be at least 24 characters in production"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct experiments_settings settings;
        struct problem problem = {0};

        CHECK_INT(load(cases[i].variables, &settings, &problem), ERROR_INVALID);
        CHECK_TEXT(problem.text, cases[i].text);
    }
}

TEST(so_is_what_is_wrong_of_live_data)
{
    static const struct {
        const char *variables[2];
        const char *text;
    } cases[] = {
        {{"LIVE_PURGE_ROWS=99"}, "LIVE_PURGE_ROWS must be between 100 and 100000"},
        {{"LIVE_WEBHOOK_ROUND_DELIVERIES=0"},
         "LIVE_WEBHOOK_ROUND_DELIVERIES must be between 1 and 10000"},
        {{"LIVE_WEBHOOK_RETRY_HOURS=0"}, "LIVE_WEBHOOK_RETRY_HOURS must be between 0.001 and 720"},
        {{"LIVE_COMPAT_BRANDS=Agent,no header"},
         "LIVE_COMPAT_BRANDS has words of letters, digits and dashes only"},
        {{"LIVE_COMPAT_BRANDS=a,b,c,d,e,f,g,h,i"}, "LIVE_COMPAT_BRANDS has at most 8 words"},
        {{"LIVE_WEBHOOK_ANSWER_BYTES=1023"},
         "LIVE_WEBHOOK_ANSWER_BYTES must be between 1024 and 1048576"},
        {{"LIVE_WEBHOOK_ANSWER_KEPT_BYTES=65537"},
         "LIVE_WEBHOOK_ANSWER_KEPT_BYTES must be between 0 and 65536"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct livedata_settings settings = {0};
        struct problem problem = {0};

        environment = cases[i].variables;
        CHECK_INT(livedata_settings_load(&settings, arena, lookup, &problem), ERROR_INVALID);
        CHECK_TEXT(problem.text, cases[i].text);
    }
}

TEST(secrets_are_not_printed)
{
    const char *const variables[] = {"AB_API_TOKEN=very-secret-token", NULL};
    struct experiments_settings settings;
    struct problem problem;
    struct text out;

    CHECK_INT(load(variables, &settings, &problem), ERROR_NONE);
    text_start(&out, arena, 1 << 16);
    settings_print(experiments_settings_table, experiments_settings_count, &settings, &out);
    CHECK(strstr(out.bytes, "AB_API_TOKEN=***\n") != NULL);
    CHECK(strstr(out.bytes, "very-secret") == NULL);
    CHECK(strstr(out.bytes, "AB_ADMIN_TOKEN=(unset)\n") != NULL);
}

TEST(the_search_engine_of_support_has_a_plain_address_and_name)
{
    static const char *const names[] = {"SEARCH_INDEX=Support", "SEARCH_INDEX=-a",
                                        "SEARCH_INDEX=a/b"};
    struct support_settings settings = {0};
    struct problem problem = {0};

    environment = (const char *const[]){"SEARCH_URL=http://search:9200/at//", NULL};
    CHECK_INT(support_settings_load(&settings, arena, lookup, &problem), ERROR_NONE);
    CHECK_TEXT(settings.search_url, "http://search:9200/at");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        environment = (const char *const[]){names[i], NULL};
        CHECK_INT(support_settings_load(&settings, arena, lookup, &problem), ERROR_INVALID);
        CHECK_TEXT(problem.text, "SEARCH_INDEX must be lower case letters, digits and hyphens, "
                                 "and not begin with a hyphen");
    }
}

TEST(every_setting_is_documented)
{
    struct text out;

    text_start(&out, arena, 1 << 16);
    settings_document(experiments_settings_table, experiments_settings_count, &out);
    for (size_t i = 0; i < experiments_settings_count; i++) {
        CHECK(experiments_settings_table[i].help && *experiments_settings_table[i].help);
        CHECK(strstr(out.bytes, experiments_settings_table[i].name) != NULL);
    }
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(defaults_are_those_of_the_table),
        CASE(values_are_read),
        CASE(what_is_wrong_is_named),
        CASE(so_is_what_is_wrong_of_live_data),
        CASE(secrets_are_not_printed),
        CASE(every_setting_is_documented),
        CASE(the_search_engine_of_support_has_a_plain_address_and_name),
    };
    int status;

    arena = arena_create(1 << 24);
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return status;
}
