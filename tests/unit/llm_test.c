/* Language models in four protocols: what they are sent, what is read of whole answers and of
 * streams cut anywhere, and what becomes of everything that is neither. */
#include "llm/llm_internal.h"
#include "llm/providers.h"

#include "http_peer.h"
#include "test.h"

static struct arena *arena;
static struct peer peer;

#define JSON_HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
#define SSE_HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

enum sample {
    OPENAI_WHOLE,
    ANTHROPIC_WHOLE,
    OLLAMA_WHOLE,
    OPENAI_STREAM,
    ANTHROPIC_STREAM,
    OLLAMA_STREAM,
    OPENAI_CUT,
    ANTHROPIC_FAULT,
    REFUSAL,
    NONSENSE,
    NONSENSE_STREAM,
    EMPTY_WHOLE,
    FAULT_STREAM,
    TEXT__MAX
};

static const char *const texts[TEXT__MAX] = {
    [OPENAI_WHOLE] = JSON_HEAD
    "{\"model\":\"m-1\",\"choices\":[{\"finish_reason\":\"stop\",\"message\":{\"role\":"
    "\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"text\",\"text\":"
    "\"two\"}],\"tool_calls\":[{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":"
    "\"look\",\"arguments\":\"{\\\"a\\\":1}\"}}]}}],\"usage\":{\"prompt_tokens\":11,"
    "\"completion_tokens\":7}}",
    [ANTHROPIC_WHOLE] = JSON_HEAD
    "{\"model\":\"m-2\",\"stop_reason\":\"tool_use\",\"content\":[{\"type\":\"text\",\"text\":"
    "\"hi\"},{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"look\",\"input\":{\"a\":[1,2]}}],"
    "\"usage\":{\"input_tokens\":5,\"output_tokens\":6}}",
    [OLLAMA_WHOLE] = JSON_HEAD
    "{\"model\":\"m-3\",\"message\":{\"role\":\"assistant\",\"content\":\"hello\"},\"done\":true,"
    "\"done_reason\":\"stop\",\"prompt_eval_count\":3,\"eval_count\":4}",
    [OPENAI_STREAM] = SSE_HEAD
    ": comment\r\n\r\n"
    "data: {\"model\":\"m-1\",\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}"
    "\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"Gr\xc3\xbc\xc3\x9f\"}}]}\n\n"
    "data:{\"choices\":[{\"delta\":{\"content\":\" Gott\",\"tool_calls\":[{\"index\":0,\"id\":"
    "\"c1\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"a\\\"\"}}]}}]}\n\n"
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":"
    "\":2}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n"
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2}}\n\n"
    "data: [DONE]\n\n",
    [ANTHROPIC_STREAM] = SSE_HEAD
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"m-2\","
    "\"usage\":{\"input_tokens\":25,\"output_tokens\":1}}}\n\n"
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
    "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
    "event: ping\ndata: {\"type\":\"ping\"}\n\n"
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
    "{\"type\":\"text_delta\",\"text\":\"Hello\"}}\n\n"
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,"
    "\"content_block\":{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"look\",\"input\":{}}}\n\n"
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":"
    "{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":3}\"}}\n\n"
    "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
    "\"end_turn\"},\"usage\":{\"output_tokens\":15}}\n\n"
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
    [OLLAMA_STREAM] = JSON_HEAD
    "{\"model\":\"m-3\",\"message\":{\"content\":\"hel\"},\"done\":false}\n"
    "{\"model\":\"m-3\",\"message\":{\"content\":\"lo\"},\"done\":false}\n"
    "{\"model\":\"m-3\",\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\","
    "\"prompt_eval_count\":8,\"eval_count\":2}",
    [OPENAI_CUT] = SSE_HEAD "data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n",
    [ANTHROPIC_FAULT] = SSE_HEAD
    "data: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"some\"}}\n\n"
    "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":"
    "\"Overloaded\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n",
    [REFUSAL] =
        "HTTP/1.1 401 X\r\nConnection: close\r\n\r\n{\"error\":{\"message\":\"no such key\"}}",
    [NONSENSE] = JSON_HEAD "<html>",
    [NONSENSE_STREAM] = SSE_HEAD "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"
                                 "data: {oops\n\n",
    [EMPTY_WHOLE] = JSON_HEAD "{\"choices\":[{\"message\":{\"content\":\" \\n\"}}]}",
    [FAULT_STREAM] = SSE_HEAD "data: {\"error\":\"gone\"}\n\n",
};

static struct llm_provider provider(enum llm_protocol protocol, const char *how, enum sample text)
{
    return (struct llm_provider){
        .protocol = protocol,
        .base_url = arena_print(arena, "http://127.0.0.1:%d/", peer.port),
        .path = arena_print(arena, "/%s/%d", how, text),
        .model = "some-model",
        .token = "secret",
        .answer_max = 100000,
        .private_too = true,
        .policy = {.connect_seconds = 5, .attempt_seconds = 5, .total_seconds = 5, .attempts = 1},
    };
}

static const struct llm_message hello = {.role = "user", .content = "hello"};

static struct llm_answer complete(enum llm_protocol protocol, enum sample text)
{
    struct llm_provider whom = provider(protocol, "text", text);
    struct llm_request request = {.messages = &hello, .message_count = 1};
    struct llm_answer answer;

    llm_complete(arena, &whom, &request, NULL, &answer);
    return answer;
}

TEST(whole_answers)
{
    struct llm_answer answer = complete(LLM_OPENAI, OPENAI_WHOLE);

    CHECK_INT(answer.result, LLM_ANSWERED);
    CHECK_TEXT(answer.text, "one\ntwo");
    CHECK_TEXT(answer.model, "m-1");
    CHECK_TEXT(answer.finish, "stop");
    CHECK_INT(answer.usage.input_tokens.value, 11);
    CHECK_INT(answer.usage.output_tokens.value, 7);
    CHECK_INT(answer.tool_call_count, 1);
    CHECK_TEXT(answer.tool_calls[0].id, "c1");
    CHECK_TEXT(answer.tool_calls[0].arguments, "{\"a\":1}");
    answer = complete(LLM_ANTHROPIC, ANTHROPIC_WHOLE);
    CHECK_TEXT(answer.text, "hi");
    CHECK_TEXT(answer.finish, "tool_calls");
    CHECK_INT(answer.usage.input_tokens.value, 5);
    CHECK_INT(answer.usage.output_tokens.value, 6);
    CHECK_TEXT(answer.tool_calls[0].name, "look");
    CHECK_TEXT(answer.tool_calls[0].arguments, "{\"a\":[1,2]}");
    answer = complete(LLM_OLLAMA, OLLAMA_WHOLE);
    CHECK_TEXT(answer.text, "hello");
    CHECK_INT(answer.usage.input_tokens.value, 3);
    CHECK_INT(answer.usage.output_tokens.value, 4);
    answer = complete(LLM_MISTRAL, OPENAI_WHOLE);
    CHECK_TEXT(answer.text, "one\ntwo");
}

TEST(what_is_no_answer)
{
    struct llm_answer answer = complete(LLM_OPENAI, REFUSAL);

    CHECK_INT(answer.result, LLM_REFUSED);
    CHECK_INT(answer.status, 401);
    CHECK_TEXT(answer.fault, "no such key");
    CHECK_TEXT(answer.text, "");
    CHECK_INT(complete(LLM_OPENAI, NONSENSE).result, LLM_MALFORMED);
    CHECK_INT(complete(LLM_ANTHROPIC, OPENAI_WHOLE).result, LLM_MALFORMED);
    answer = complete(LLM_OPENAI, EMPTY_WHOLE);
    CHECK_INT(answer.result, LLM_EMPTY);
    CHECK(!answer.usage.input_tokens.given && !answer.usage.output_tokens.given);
}

/* What providers tell of tokens, and what becomes of it: -1 = not given. */
TEST(usage_in_all_its_forms)
{
    static const struct {
        enum llm_protocol protocol;
        const char *usage;
        int input, output, cached, written, reasoning;
    } cases[] = {
        {LLM_OPENAI, "{}", -1, -1, -1, -1, -1},
        {LLM_OPENAI,
         "{\"prompt_tokens\":100,\"completion_tokens\":30,\"total_tokens\":130,"
         "\"prompt_tokens_details\":{\"cached_tokens\":64},"
         "\"completion_tokens_details\":{\"reasoning_tokens\":20}}",
         100, 30, 64, -1, 20},
        {LLM_OPENAI, /* reasoning beside the completion, as the total shows */
         "{\"prompt_tokens\":100,\"completion_tokens\":30,\"total_tokens\":150,"
         "\"completion_tokens_details\":{\"reasoning_tokens\":20}}",
         100, 50, -1, -1, 20},
        {LLM_ANTHROPIC, /* the cache beside the input */
         "{\"input_tokens\":7,\"output_tokens\":5,\"cache_read_input_tokens\":1000,"
         "\"cache_creation_input_tokens\":200}",
         1207, 5, 1000, 200, -1},
        {LLM_OPENAI, /* a mediator between both */
         "{\"prompt_tokens\":1207,\"completion_tokens\":5,\"cache_read_input_tokens\":1000,"
         "\"cache_creation_input_tokens\":200}",
         1207, 5, 1000, 200, -1},
        {LLM_OPENAI, "{\"prompt_tokens\":\"x\",\"completion_tokens\":-3}", -1, -1, -1, -1, -1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool is_anthropic = cases[i].protocol == LLM_ANTHROPIC;
        const char *body = arena_print(
            arena, "{%s,\"usage\":%s}",
            is_anthropic ? "\"content\":[]" : "\"choices\":[{\"message\":{\"content\":\"x\"}}]",
            cases[i].usage);
        const int expected[] = {cases[i].input, cases[i].output, cases[i].cached, cases[i].written,
                                cases[i].reasoning};
        struct llm_answer answer = {.text = NULL};

        llm_read(arena, cases[i].protocol, NULL, body, strlen(body), &answer);
        const struct optional_integer found[] = {
            answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.cached_tokens,
            answer.usage.cache_write_tokens, answer.usage.reasoning_tokens};
        for (size_t j = 0; j < sizeof found / sizeof found[0]; j++)
            CHECK_INT(found[j].given ? found[j].value : -1, expected[j]);
    }
}

struct heard {
    char text[200];
    int pieces, most;
};

static bool hear(const char *text, size_t length, void *context)
{
    struct heard *heard = context;

    size_t held = strlen(heard->text);

    if (held + length < sizeof heard->text)
        memcpy(heard->text + held, text, length);
    return ++heard->pieces != heard->most;
}

static struct llm_answer stream(enum llm_protocol protocol, const char *how, enum sample text,
                                struct heard *heard)
{
    struct llm_provider whom = provider(protocol, how, text);
    struct llm_request request = {
        .messages = &hello, .message_count = 1, .on_text = hear, .context = heard};
    struct llm_answer answer;

    llm_complete(arena, &whom, &request, NULL, &answer);
    return answer;
}

TEST(streams_cut_anywhere)
{
    static const struct {
        enum llm_protocol protocol;
        enum sample text;
        const char *words, *arguments;
        int input, output;
    } cases[] = {
        {LLM_OPENAI, OPENAI_STREAM, "Gr\xc3\xbc\xc3\x9f Gott", "{\"a\":2}", 9, 2},
        {LLM_MISTRAL, OPENAI_STREAM, "Gr\xc3\xbc\xc3\x9f Gott", "{\"a\":2}", 9, 2},
        {LLM_ANTHROPIC, ANTHROPIC_STREAM, "Hello", "{\"a\":3}", 25, 15},
        {LLM_OLLAMA, OLLAMA_STREAM, "hello", NULL, 8, 2},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int drip = 0; drip < 2; drip++) {
            struct heard heard = {.most = 0};
            struct llm_answer answer =
                stream(cases[i].protocol, drip ? "drip" : "text", cases[i].text, &heard);

            CHECK_INT(answer.result, LLM_ANSWERED);
            CHECK_TEXT(answer.text, cases[i].words);
            CHECK_TEXT(heard.text, cases[i].words);
            CHECK_INT(answer.usage.input_tokens.value, cases[i].input);
            CHECK_INT(answer.usage.output_tokens.value, cases[i].output);
            CHECK_INT(answer.tool_call_count, cases[i].arguments ? 1 : 0);
            if (cases[i].arguments)
                CHECK_TEXT(answer.tool_calls[0].arguments, cases[i].arguments);
        }
    }
}

/* Pieces of calls as providers send them, and the calls that they are. */
TEST(streamed_tool_calls)
{
    static const struct {
        const char *pieces, *calls;
    } cases[] = {
        {"{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{1\"}};"
         "{\"index\":0,\"function\":{\"arguments\":\"}\"}}",
         "a f {1} "},
        /* the index does not grow */
        {"{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{Paris}\"}};"
         "{\"index\":0,\"id\":\"b\",\"function\":{\"name\":\"f\",\"arguments\":\"{Os\"}};"
         "{\"index\":0,\"function\":{\"arguments\":\"lo}\"}}",
         "a f {Paris} b f {Oslo} "},
        /* it is not told, or it leaps */
        {"{\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}};"
         "{\"function\":{\"arguments\":\"1}\"}};"
         "{\"id\":\"b\",\"function\":{\"name\":\"f\",\"arguments\":\"{2}\"}}",
         "a f {1} b f {2} "},
        {"{\"index\":3,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}};"
         "{\"index\":5,\"id\":\"b\",\"function\":{\"name\":\"g\",\"arguments\":\"{2}\"}};"
         "{\"index\":3,\"id\":\"\",\"function\":{\"name\":null,\"arguments\":\"1}\"}}",
         "a f {1} b g {2} "},
        /* the id and the name are repeated; only the name differs */
        {"{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}};"
         "{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"1}\"}}",
         "a f {1} "},
        {"{\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":\"{1}\"}};"
         "{\"index\":0,\"function\":{\"name\":\"g\",\"arguments\":\"{2}\"}}",
         " f {1}  g {2} "},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct llm_request request = {.on_text = hear};
        struct llm_reader *reader = reader_create(arena, LLM_OPENAI, 10000, &request);
        struct llm_answer answer;
        struct text found;

        for (const char *at = cases[i].pieces; *at;) {
            size_t length = strcspn(at, ";");
            const char *line =
                arena_print(arena, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[%.*s]}}]}\n\n",
                            (int)length, at);

            CHECK(reader_take(reader, line, strlen(line)));
            at += length + (at[length] == ';');
        }
        reader_finish(reader, &answer);
        text_start(&found, arena, 1000);
        for (size_t j = 0; j < answer.tool_call_count; j++)
            text_append_format(&found, "%s %s %s ", answer.tool_calls[j].id,
                               answer.tool_calls[j].name, answer.tool_calls[j].arguments);
        CHECK_TEXT(found.bytes, cases[i].calls);
    }
}

TEST(half_a_stream_is_no_answer)
{
    struct heard heard = {.most = 0};
    struct llm_answer answer = stream(LLM_OPENAI, "text", OPENAI_CUT, &heard);

    CHECK_INT(answer.result, LLM_CUT);
    CHECK_TEXT(answer.text, "half");
    answer = stream(LLM_ANTHROPIC, "text", ANTHROPIC_FAULT, &heard);
    CHECK_INT(answer.result, LLM_FAULT);
    CHECK_TEXT(answer.fault, "Overloaded");
    CHECK_TEXT(answer.text, "some");
    CHECK_INT(stream(LLM_OPENAI, "text", NONSENSE_STREAM, &heard).result, LLM_MALFORMED);
    CHECK_INT(stream(LLM_OPENAI, "text", FAULT_STREAM, &heard).result, LLM_FAULT);
    CHECK_INT(stream(LLM_OPENAI, "text", REFUSAL, &heard).result, LLM_REFUSED);
    heard = (struct heard){.most = 1};
    answer = stream(LLM_OPENAI, "drip", OPENAI_STREAM, &heard); /* enough after one word */
    CHECK_TEXT(heard.text, "Gr\xc3\xbc\xc3\x9f");
    CHECK_INT(answer.outcome, FETCH_CANCELLED);
    CHECK_INT(answer.result, LLM_CUT);
}

TEST(silent_streams_are_cut)
{
    struct heard heard = {.most = 0};
    struct llm_provider whom = provider(LLM_OPENAI, "stall", 5000);
    struct llm_request request = {
        .messages = &hello, .message_count = 1, .on_text = hear, .context = &heard};
    struct llm_answer answer;

    whom.policy.silence_seconds = 0.1;
    llm_complete(arena, &whom, &request, NULL, &answer);
    CHECK_INT(answer.result, LLM_CUT);
    CHECK_INT(answer.outcome, FETCH_TIMED_OUT);
}

static const char *body_for(enum llm_protocol protocol, const struct llm_request *request,
                            struct fetch_request *http)
{
    struct llm_provider whom = {
        .protocol = protocol, .base_url = "https://a.example/", .model = "m", .token = "t"};

    *http = (struct fetch_request){.url = NULL};
    llm_compose(arena, &whom, request, http);
    return http->body;
}

TEST(requests_in_each_protocol)
{
    static const struct llm_tool_call used = {"t1", "look", "{\"a\":1}"};
    static const struct llm_message messages[] = {
        {.role = "system", .content = "Be brief."},
        {.role = "user", .content = "hi"},
        {.role = "assistant", .tool_calls = &used, .tool_call_count = 1},
        {.role = "tool", .content = "42", .tool_call_id = "t1"},
    };
    static const struct llm_tool tool = {"look", "Looks.", "{\"type\":\"object\"}"};
    const char *stop[] = {"END"};
    struct llm_request request = {.messages = messages,
                                  .message_count = 4,
                                  .tools = &tool,
                                  .tool_count = 1,
                                  .max_tokens = GIVEN_INTEGER(50),
                                  .stop = {1, stop}};
    struct fetch_request http;

    CHECK_TEXT(body_for(LLM_OPENAI, &request, &http),
               "{\"model\":\"m\",\"max_completion_tokens\":50,\"stop\":[\"END\"],\"messages\":["
               "{\"role\":\"system\",\"content\":\"Be brief.\"},{\"role\":\"user\",\"content\":"
               "\"hi\"},{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"t1\","
               "\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":"
               "\"{\\\"a\\\":1}\"}}]},{\"role\":\"tool\",\"content\":\"42\",\"tool_call_id\":"
               "\"t1\"}],\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"look\","
               "\"description\":\"Looks.\",\"parameters\":{\"type\":\"object\"}}}]}");
    CHECK_TEXT(http.url, "https://a.example/chat/completions");
    CHECK_TEXT(body_for(LLM_ANTHROPIC, &request, &http),
               "{\"model\":\"m\",\"max_tokens\":50,\"stop_sequences\":[\"END\"],\"system\":"
               "\"Be brief.\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":"
               "\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"look\","
               "\"input\":{\"a\":1}}]},{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
               "\"tool_use_id\":\"t1\",\"content\":\"42\"}]}],\"tools\":[{\"name\":\"look\","
               "\"description\":\"Looks.\",\"input_schema\":{\"type\":\"object\"}}]}");
    CHECK_TEXT(http.url, "https://a.example/v1/messages");
    CHECK_TEXT(http.headers[2].name, "x-api-key");
    request.on_text = hear;
    CHECK(strstr(body_for(LLM_OPENAI, &request, &http),
                 "\"stream\":true,\"stream_options\":{\"include_usage\":true}}"));
    CHECK(strstr(body_for(LLM_ANTHROPIC, &request, &http), "\"stream\":true}"));
    request.on_text = NULL;
    CHECK_TEXT(body_for(LLM_OLLAMA, &request, &http),
               "{\"model\":\"m\",\"options\":{\"num_predict\":50,\"stop\":[\"END\"]},\"messages\":["
               "{\"role\":\"system\",\"content\":\"Be brief.\"},{\"role\":\"user\",\"content\":"
               "\"hi\"},{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"function\":"
               "{\"name\":\"look\",\"arguments\":{\"a\":1}}}]},{\"role\":\"tool\",\"content\":"
               "\"42\"}],\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"look\","
               "\"description\":\"Looks.\",\"parameters\":{\"type\":\"object\"}}}],"
               "\"stream\":false}");
    CHECK_TEXT(http.url, "https://a.example/api/chat");
}

static bool one_is_enough(const struct llm_call *calls, size_t count, void *context)
{
    (void)context;
    for (size_t i = 0; i < count; i++)
        if (calls[i].answer.text && calls[i].answer.result == LLM_ANSWERED &&
            calls[i].answer.length)
            return true;
    return false;
}

TEST(many_are_asked_at_once)
{
    struct llm_provider quick = provider(LLM_OPENAI, "text", OPENAI_WHOLE);
    struct llm_provider slow = provider(LLM_OPENAI, "wait", 4000);
    struct llm_request request = {.messages = &hello, .message_count = 1};
    struct llm_call calls[] = {{.provider = &slow, .request = &request},
                               {.provider = &quick, .request = &request},
                               {.provider = &slow, .request = &request}};
    long long started = peer_now();

    llm_complete_all(arena, calls, 3, one_is_enough, NULL, NULL);
    CHECK(peer_now() - started < 2000000);
    CHECK_INT(calls[1].answer.result, LLM_ANSWERED);
    CHECK_INT(calls[0].answer.result, LLM_UNANSWERED);
    CHECK_INT(calls[2].answer.outcome, FETCH_CANCELLED);
}

TEST(built_in_providers_are_whole)
{
    const struct object_list *list = &providers_built_in(arena)->providers;
    const struct provider_entry *entries = list->items;

    CHECK(list->count > 0);
    for (size_t i = 0; i < list->count; i++) {
        const struct model_entry *models = entries[i].models.items;
        bool is_called = entries[i].protocol < LLM_PROTOCOL__MAX && entries[i].base_url;

        CHECK(provider_serves(&entries[i], "advice") || provider_serves(&entries[i], "support") ||
              provider_serves(&entries[i], "orchestrator"));
        CHECK(!provider_serves(&entries[i], "support") || entries[i].default_models);
        CHECK(!provider_serves(&entries[i], "advice") || is_called);
        for (size_t j = 0; j < entries[i].models.count; j++)
            CHECK(!models[j].orchestrator || is_called);
    }
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(built_in_providers_are_whole),
        CASE(whole_answers),
        CASE(what_is_no_answer),
        CASE(streams_cut_anywhere),
        CASE(half_a_stream_is_no_answer),
        CASE(silent_streams_are_cut),
        CASE(requests_in_each_protocol),
        CASE(many_are_asked_at_once),
        CASE(usage_in_all_its_forms),
        CASE(streamed_tool_calls),
    };
    int failed;

    peer_texts = texts;
    peer = start_peer();
    arena = arena_create(64 << 20);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    stop_peer(&peer);
    return failed;
}
