/*
 * MCP with any bytes: messages of clients, and answers of the families that tools are sent on to.
 * Every message gets an answer of JSON-RPC, or none where it asked for none; every answer of a
 * family is an error or has a status, a type and a body that ends. The first byte says which: `a`
 * an answer, else a message.
 */
#include "fuzz.h"

#include "http/relay.h"
#include "http/server.h"
#include "mcp/mcp.h"

#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ANSWER_MAX = 1 << 14, DEPTH_MAX = 64, TOOL_BYTES = 4096, BODY_MAX = 1 << 26 };

static const char document[] =
    "{\"openapi\":\"3.1.0\",\"paths\":{"
    "\"/things/{id}\":{\"get\":{\"operationId\":\"read\",\"summary\":\"Read a "
    "thing\",\"parameters\":["
    "{\"name\":\"id\",\"in\":\"path\",\"required\":true,\"schema\":{\"type\":\"string\"}},"
    "{\"name\":\"If-Match\",\"in\":\"header\",\"schema\":{\"type\":\"string\"}},"
    "{\"name\":\"page\",\"in\":\"query\",\"schema\":{\"type\":\"integer\"}}],"
    "\"responses\":{\"200\":{\"content\":{\"application/"
    "json\":{\"schema\":{\"type\":\"object\"}}}}},"
    "\"x-assay\":{\"family\":\"none\",\"reads\":true}}},"
    "\"/things\":{\"post\":{\"operationId\":\"add\",\"summary\":\"Add a thing\",\"parameters\":[],"
    "\"requestBody\":{\"required\":true,\"content\":{\"application/json\":{\"schema\":{\"type\":"
    "\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}}}},"
    "\"responses\":{\"201\":{\"content\":{\"application/json\":{\"schema\":{\"type\":\"array\","
    "\"items\":{\"type\":\"object\"}}}}}},\"x-assay\":{\"family\":\"none\",\"reads\":false}}}}}";

static const struct mcp_service services[] = {{"fuzz", NULL}, {"away", "/away"}};
static const char *const chosen[] = {"fuzz_read"};
static const struct mcp_resource resources[] = {
    {"fuzz/things", "Thing", "A thing", "fuzz", "add", NULL, "id", "name", "read"}};
static const struct mcp_prompt prompts[] = {{"ask",
                                             "Ask",
                                             "Asks",
                                             {{"what", "What", true, "fuzz/things"}},
                                             "What is {what}, and {other}?"}};
static const struct mcp_offer offer = {.name = "fuzz",
                                       .title = "Fuzz",
                                       .instructions = "",
                                       .services = services,
                                       .service_count = COUNT_OF(services),
                                       .chosen = chosen,
                                       .chosen_count = COUNT_OF(chosen),
                                       .resources = resources,
                                       .resource_count = COUNT_OF(resources),
                                       .prompts = prompts,
                                       .prompt_count = COUNT_OF(prompts)};

static char folder[] = "/tmp/assay-fuzz-XXXXXX";
static char document_path[64], socket_path[64];
static int listening = -1;
static const uint8_t *answer_bytes; /* of the next connection */
static size_t answer_length;

static const char *variable(void *transport, const char *name)
{
    (void)transport;
    return strcmp(name, "HTTP_HOST") == 0 ? "127.0.0.1" : NULL;
}

static void remove_folder(void)
{
    unlink(document_path);
    unlink(socket_path);
    rmdir(folder);
}

static void prepare_process(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    FILE *file;

    if (listening >= 0)
        return;
    PROMISE(mkdtemp(folder), "a folder can be made");
    atexit(remove_folder);
    snprintf(document_path, sizeof document_path, "%s/fuzz-openapi.json", folder);
    snprintf(socket_path, sizeof socket_path, "%s/fuzz-answers.sock", folder);
    file = fopen(document_path, "w");
    PROMISE(file && fputs(document, file) >= 0 && fclose(file) == 0, "the document is written");
    snprintf(address.sun_path, sizeof address.sun_path, "%s", socket_path);
    listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    PROMISE(listening >= 0 && bind(listening, (struct sockaddr *)&address, sizeof address) == 0 &&
                listen(listening, 4) == 0,
            "a socket listens");
}

/* The family: answers with the bytes of the input, and closes. */
static void *answer_once(void *unused)
{
    int connection = accept(listening, NULL, NULL);

    for (size_t at = 0; connection >= 0 && at < answer_length;) {
        ssize_t sent = send(connection, answer_bytes + at, answer_length - at, MSG_NOSIGNAL);

        if (sent <= 0)
            break;
        at += (size_t)sent;
    }
    shutdown(connection, SHUT_WR);
    while (recv(connection, (char[4096]){0}, 4096, 0) > 0)
        continue;
    close(connection);
    return unused;
}

static void read_answer(struct request *request, const uint8_t *data, size_t size)
{
    const struct relay_call call = {.pool = "fuzz-answers",
                                    .method = METHOD_GET,
                                    .path = "/things/1",
                                    .answer_max = ANSWER_MAX,
                                    .seconds = 30};
    struct relay_answer answer;
    pthread_t family;
    enum error error;

    answer_bytes = data;
    answer_length = size;
    PROMISE(pthread_create(&family, NULL, answer_once, NULL) == 0, "a thread starts");
    error = relay(request, &call, &answer);
    pthread_join(family, NULL);
    if (error) {
        PROMISE(error == ERROR_UNAVAILABLE || error == ERROR_TOO_LARGE, "an error is one of two");
        return;
    }
    PROMISE(answer.status >= 100 && answer.status < 600, "a status is one of HTTP");
    PROMISE(answer.content_type && answer.length < ANSWER_MAX, "an answer is not too long");
    PROMISE(answer.body[answer.length] == '\0', "a body ends");
}

static void read_message(struct request *request, const uint8_t *data, size_t size)
{
    struct reply reply = {.status = 200};
    struct json_fault fault;
    json_t *told;

    request->bytes = arena_copy(request->arena, (const char *)data, size);
    request->length = size;
    text_start(&reply.body, request->arena, BODY_MAX);
    PROMISE(mcp_handle(request, &reply, &offer) == ERROR_NONE, "a message is answered");
    if (reply.status == 202) {
        PROMISE(reply.body.length == 0, "what asks for nothing gets nothing");
        return;
    }
    PROMISE(json_read(request->arena, reply.body.bytes, reply.body.length, DEPTH_MAX + 16, &told,
                      &fault) == ERROR_NONE,
            "an answer is JSON");
    PROMISE(strcmp(json_string_value(json_object_get(told, "jsonrpc")), "2.0") == 0 &&
                !json_object_get(told, "result") == !!json_object_get(told, "error"),
            "an answer has a result or an error");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct exchange exchange = {.variable = variable};
    struct server server = {
        .run_directory = folder,
        .policy = {.json_depth = DEPTH_MAX,
                   .tools = {.answer = TOOL_BYTES, .fetched = ANSWER_MAX, .page = 50}}};
    struct request request = {.arena = arena_create(1 << 28),
                              .server = &server,
                              .exchange = &exchange,
                              .method = METHOD_POST};

    prepare_process();
    if (size && data[0] == 'a')
        read_answer(&request, data + 1, size - 1);
    else if (size)
        read_message(&request, data + 1, size - 1);
    arena_destroy(request.arena);
    return 0;
}
