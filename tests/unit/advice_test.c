/* Advice: what is asked, how each provider is asked, and what can be read out of their answers. */
#include "experiments/advice/advice_prompt.h"
#include "experiments/advice/advice_reading.h"
#include "experiments/advice/providers.h"
#include "test.h"

#include <stdlib.h>

static struct arena *arena;

static json_t *document(const char *text)
{
    struct json_fault fault;
    json_t *value = NULL;

    CHECK_INT(json_read(arena, text, strlen(text), 100, &value, &fault), ERROR_NONE);
    return value;
}

TEST(prompts_hold_the_context_indented_in_ascii_without_nulls)
{
    const char *prompt = advice_prompt(
        arena, document("{\"project_context\":{\"name\":\"Größe\",\"gone\":null,\"d\":0.1},"
                        "\"metrics\":null,\"extra\":[1,{\"x\":null}]}"));

    CHECK(strstr(prompt, "\n{\n  \"project_context\": {\n    \"name\": \"Gr\\u00f6\\u00dfe\",\n"
                         "    \"d\": 0.1\n  },\n  \"extra\": [\n    1,\n    {}\n  ]\n}\n"));
    CHECK(!strstr(prompt, "null") && !strstr(prompt, "gone") && !strstr(prompt, "\"metrics\""));
    CHECK(strstr(prompt, "\"brief_assessment\"") && strstr(prompt, "\"additional_checks\""));
}

TEST(prompts_for_hypotheses_say_how_many)
{
    const char *prompt = hypotheses_prompt(arena, document("{\"a\":1}"), 4);

    CHECK(strstr(prompt, "Propose 4 distinct"));
    CHECK(strstr(prompt, "\"expected_direction\""));
}

TEST(deep_contexts_are_cut)
{
    char text[300];
    size_t at = 0;

    for (int i = 0; i < 90; i++)
        text[at++] = '[';
    for (int i = 0; i < 90; i++)
        text[at++] = ']';
    text[at] = '\0';
    CHECK(strstr(advice_prompt(arena, document(text)), "null"));
}

/* Texts, and what is read of each: the code, or the assessment. */
TEST(advice_is_found_in_what_surrounds_it)
{
    static const struct {
        const char *text;
        enum reading reading;
        const char *assessment;
    } cases[] = {
        {"{\"brief_assessment\":\" fine \"}", READING_DONE, "fine"},
        {" \n{\"brief_assessment\":\"fine\"}\n ", READING_DONE, "fine"},
        {"```json\n{\"brief_assessment\":\"fine\"}\n```", READING_DONE, "fine"},
        {"```{json}\n{\"brief_assessment\":\"fine\"}\n```", READING_DONE, "fine"},
        {"Here you are: {\"brief_assessment\":\"fine\"} Good luck!", READING_DONE, "fine"},
        {"{\"brief_assessment\":5,\"key_risks\":[\"r\"]}", READING_DONE, ""},
        {"[{\"brief_assessment\":\"fine\"}]", READING_DONE, "fine"},
        {"", READING_EMPTY, NULL},
        {" \n ", READING_EMPTY, NULL},
        {"{}", READING_EMPTY, NULL},
        {"{\"brief_assessment\":\"  \",\"key_risks\":[\"\",null]}", READING_EMPTY, NULL},
        {"no idea", READING_NO_OBJECT, NULL},
        {"} backwards {", READING_NO_OBJECT, NULL},
        {"```\n```", READING_NO_OBJECT, NULL},
        {"{\"brief_assessment\":\"cut", READING_NO_OBJECT, NULL},
        {"{\"brief_assessment\":\"fine\",}", READING_INVALID, NULL},
        {"{one} and {two}", READING_INVALID, NULL},
        {"{'brief_assessment':'fine'}", READING_INVALID, NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct advice_text advice;

        CHECK_INT(reading_advice(arena, cases[i].text, &advice), cases[i].reading);
        if (cases[i].reading == READING_DONE)
            CHECK_TEXT(advice.brief_assessment, cases[i].assessment);
    }
}

TEST(lists_of_any_form_become_lists_of_texts)
{
    struct advice_text advice;

    CHECK_INT(
        reading_advice(arena,
                       "{\"key_risks\":[\" a \",\"b\",\"a\",\"\",null,7,0.5,true,{\"x\":[1]}],"
                       "\"design_improvements\":\"one\\r\\n\\n two \\none\","
                       "\"metric_recommendations\":{\"x\":1},\"additional_checks\":9}",
                       &advice),
        READING_DONE);
    CHECK_INT(advice.key_risks.count, 6);
    CHECK_TEXT(advice.key_risks.items[0], "a");
    CHECK_TEXT(advice.key_risks.items[1], "b");
    CHECK_TEXT(advice.key_risks.items[2], "7");
    CHECK_TEXT(advice.key_risks.items[3], "0.5");
    CHECK_TEXT(advice.key_risks.items[4], "true");
    CHECK_TEXT(advice.key_risks.items[5], "{\"x\":[1]}");
    CHECK_INT(advice.design_improvements.count, 2);
    CHECK_TEXT(advice.design_improvements.items[1], "two");
    CHECK_INT(advice.metric_recommendations.count, 0);
    CHECK_INT(advice.interpretation_pitfalls.count, 0);
    CHECK_INT(advice.additional_checks.count, 0);
}

/* One piece per line end of either kind, however they are mixed. */
TEST(lines_end_in_many_ways)
{
    struct advice_text advice;

    CHECK_INT(reading_advice(arena, "{\"key_risks\":\"a\\rb\\rc\\rd\\re\\r\\nf\\n\\rg\"}", &advice),
              READING_DONE);
    CHECK_INT(advice.key_risks.count, 7);
    CHECK_TEXT(advice.key_risks.items[6], "g");
}

TEST(hypotheses)
{
    const char *text =
        "{\"hypotheses\":[{\"change\":\" A \",\"rationale\":\"r\",\"primary_metric\":"
        "\"m\",\"expected_direction\":\"Decrease\"},5,{\"change\":\"  \"},"
        "{\"rationale\":\"no change\"},{\"change\":\"B\",\"expected_direction\":"
        "\"sideways\"},{\"change\":\"C\"}]}";
    struct object_list list;
    const struct hypothesis *items;

    CHECK_INT(reading_hypotheses(arena, text, 5, &list), READING_DONE);
    CHECK_INT(list.count, 3);
    items = list.items;
    CHECK_TEXT(items[0].change, "A");
    CHECK_TEXT(items[0].rationale, "r");
    CHECK_TEXT(hypothesis_directions[items[0].expected_direction], "decrease");
    CHECK_TEXT(items[1].rationale, "");
    CHECK_TEXT(hypothesis_directions[items[1].expected_direction], "increase");
    CHECK_INT(reading_hypotheses(arena, text, 2, &list), READING_DONE);
    CHECK_INT(list.count, 2);
    CHECK_INT(reading_hypotheses(arena, "{}", 2, &list), READING_NO_HYPOTHESES);
    CHECK_INT(reading_hypotheses(arena, "{\"hypotheses\":\"x\"}", 2, &list), READING_NO_HYPOTHESES);
    CHECK_INT(reading_hypotheses(arena, "{\"hypotheses\":[]}", 2, &list), READING_NONE_LEFT);
    CHECK_INT(reading_hypotheses(arena, "nothing", 2, &list), READING_NO_OBJECT);
    CHECK_TEXT(reading_codes[READING_NONE_LEFT], "empty_hypotheses");
}

static const struct experiments_settings settings = {.llm_base_url = "http://orchestrator:8001/",
                                                     .llm_path = "/api/v1/orchestrate",
                                                     .llm_model = "house-model",
                                                     .openai_base_url = "https://openai.example",
                                                     .openai_model = "o-model",
                                                     .anthropic_base_url = "https://a.example//",
                                                     .anthropic_model = "a-model",
                                                     .mistral_base_url = "https://m.example/p",
                                                     .mistral_model = "m-model"};

static const struct advice_provider *provider(const char *name)
{
    struct advice_providers *providers = ARENA_NEW(arena, struct advice_providers);

    *providers = advice_providers(&settings, arena);
    return advice_provider_find(providers, name);
}

static struct fetch_request compose(const char *name, const char *token)
{
    struct fetch_request request = {0};

    provider_compose(&settings, provider(name), token, "say \"hi\"", arena, &request);
    CHECK_INT(request.body_length, strlen(request.body));
    CHECK_TEXT(request.headers[0].value, "application/json");
    return request;
}

TEST(every_provider_is_asked_in_its_own_way)
{
    struct fetch_request request = compose("openai", "tok");

    CHECK_TEXT(request.url, "https://openai.example/v1/chat/completions");
    CHECK_TEXT(request.headers[2].name, "Authorization");
    CHECK_TEXT(request.headers[2].value, "Bearer tok");
    CHECK_TEXT(request.body, "{\"model\":\"o-model\",\"temperature\":0.4,\"messages\":[{\"role\":"
                             "\"user\",\"content\":\"say \\\"hi\\\"\"}]}");
    request = compose("anthropic", "tok");
    CHECK_TEXT(request.url, "https://a.example/v1/messages");
    CHECK_TEXT(request.headers[2].name, "x-api-key");
    CHECK_TEXT(request.headers[2].value, "tok");
    CHECK_TEXT(request.headers[3].name, "anthropic-version");
    CHECK_TEXT(request.headers[3].value, "2023-06-01");
    CHECK(strstr(request.body, "\"max_tokens\":1024,\"temperature\":0.4"));
    request = compose("mistral", "tok");
    CHECK_TEXT(request.url, "https://m.example/p/v1/chat/completions");
    CHECK_TEXT(request.headers[2].value, "Bearer tok");
    request = compose("local_orchestrator", NULL);
    CHECK_TEXT(request.url, "http://orchestrator:8001/api/v1/orchestrate");
    CHECK_INT(request.header_count, 2);
    CHECK_TEXT(request.body,
               "{\"prompt\":\"say \\\"hi\\\"\",\"models\":[\"house-model\"],\"decompose\":false}");
    request = compose("local_orchestrator", "key");
    CHECK_TEXT(request.headers[2].value, "Bearer key");
}

/* Bodies of answers, and the words in them; NULL = malformed, "" = empty. */
TEST(every_provider_is_read_in_its_own_way)
{
    static const struct {
        const char *provider;
        const char *body;
        const char *text;
    } cases[] = {
        {"openai", "{\"choices\":[{\"message\":{\"content\":\"hi\"}}]}", "hi"},
        {"mistral",
         "{\"choices\":[{\"message\":{\"content\":[{\"text\":\"a\"},{\"text\":\"b\"},{}]}}]}",
         "a\nb"},
        {"openai", "{\"choices\":[{\"message\":{\"content\":\" \"}}]}", ""},
        {"openai", "{\"choices\":[{\"message\":{\"content\":[]}}]}", ""},
        {"openai", "{\"choices\":[{\"message\":{\"content\":null}}]}", ""},
        {"openai", "{\"choices\":[]}", NULL},
        {"openai", "{\"choices\":5}", NULL},
        {"openai", "{}", NULL},
        {"openai", "[]", NULL},
        {"openai", "\"hi\"", NULL},
        {"openai", "not json", NULL},
        {"openai", "", NULL},
        {"anthropic",
         "{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"tool_use\",\"text\":\"x\"},"
         "{\"type\":\"text\",\"text\":\"b\"}]}",
         "a\nb"},
        {"anthropic", "{\"content\":[{\"type\":\"thinking\",\"text\":\"x\"}]}", ""},
        {"anthropic", "{\"content\":{}}", NULL},
        {"local_orchestrator",
         "{\"output_text\":\"short\",\"results\":[{\"output_text\":"
         "\"the longest\"},{\"output_text\":null}]}",
         "the longest"},
        {"local_orchestrator",
         "{\"model_responses\":[{\"text\":\"one\"},{\"text\":\"three\"}],\"consensus\":{\"text\":"
         "\"two\"}}",
         "three"},
        {"local_orchestrator", "{\"output_text\":null,\"consensus\":{\"text\":\"   \"}}", ""},
        {"local_orchestrator", "{\"status\":\"failed\"}", ""},
        {"local_orchestrator", "null", NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *text = NULL;
        enum provider_text found = provider_read_text(provider(cases[i].provider), cases[i].body,
                                                      strlen(cases[i].body), arena, &text);

        CHECK_INT(found, !cases[i].text   ? PROVIDER_TEXT_MALFORMED
                         : *cases[i].text ? PROVIDER_TEXT
                                          : PROVIDER_TEXT_EMPTY);
        if (cases[i].text && *cases[i].text)
            CHECK_TEXT(text, cases[i].text);
    }
}

TEST(names_and_models)
{
    const struct advice_providers providers = advice_providers(&settings, arena);

    CHECK_TEXT(providers.items[0].name, "local_orchestrator");
    CHECK_TEXT(providers.items[0].model, "house-model");
    CHECK_TEXT(provider("mistral")->model, "m-model");
    CHECK_TEXT(provider("Anthropic")->title, "Anthropic");
    CHECK(!provider("ollama"));
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(prompts_hold_the_context_indented_in_ascii_without_nulls),
        CASE(prompts_for_hypotheses_say_how_many),
        CASE(deep_contexts_are_cut),
        CASE(advice_is_found_in_what_surrounds_it),
        CASE(lists_of_any_form_become_lists_of_texts),
        CASE(lines_end_in_many_ways),
        CASE(hypotheses),
        CASE(every_provider_is_asked_in_its_own_way),
        CASE(every_provider_is_read_in_its_own_way),
        CASE(names_and_models),
    };

    arena = arena_create(64 * 1024 * 1024);
    return test_run_all(cases, sizeof cases / sizeof cases[0]);
}
