/* Keys of idempotency on both engines, through the pipeline. */
#include "../db/fixture.h"
#include "http_wire.h"

#include "db/query.h"

static struct db *keys_db;
static int calls;

static enum error where_keys_are(struct request *request, struct http_idempotency *idempotency)
{
    (void)request;
    *idempotency =
        (struct http_idempotency){keys_db, "tenant-a", {.keep_seconds = 60, .lease_seconds = 60}};
    return ERROR_NONE;
}

/* Counts its calls; fails where the word says so. */
static enum error counted_handle(struct request *request, struct reply *reply)
{
    const struct echo *echo = request->body;

    calls++;
    if (strcmp(echo->word, "broken") == 0)
        return problem_set(&request->problem, ERROR_UNAVAILABLE, "away", "away");
    if (strcmp(echo->word, "huge") == 0)
        arena_alloc(request->arena, 1 << 30);
    if (reply_is_unchanged(request, reply, "tag-7"))
        return ERROR_NONE;
    text_append_format(&reply->body, "{\"calls\":%d}", calls);
    return ERROR_NONE;
}

static const struct route counted_routes[] = {
    {METHOD_POST, "/api/v1/counted", WRITER, .status = 201, .body = &echo_schema,
     .idempotent = true, .handler = counted_handle, .name = "counted", .tag = "t", .summary = "s"}};
static const struct http_service keeping = {.name = "test",
                                            .format = &format,
                                            .authenticate = authenticate,
                                            .refuse = refuse,
                                            .idempotency = where_keys_are};
static const struct http_family keeping_family = {
    .service = &keeping, .name = "unit", ROUTES(counted_routes)};

static void start_keeping(struct store *store, struct server *server)
{
    store_kit(store, "idempotency_1");
    keys_db = store->db;
    calls = 0;
    start_server(server);
    server->family = &keeping_family;
}

static const char *post(struct server *server, struct wire *wire, const char *key, const char *word)
{
    return call(server, wire, "POST", "/api/v1/counted",
                arena_print(process_arena, "{\"word\":\"%s\"}", word),
                (const char *[]){key ? "HTTP_IDEMPOTENCY_KEY" : NULL, key, NULL});
}

ON_BOTH(the_first_answer_is_the_answer)
{
    struct server server;
    static struct wire wire;

    start_keeping(store, &server);
    CHECK_TEXT(post(&server, &wire, "k1", "a"), "{\"calls\":1}");
    CHECK_INT(status_of(&wire), 201);
    CHECK_TEXT(post(&server, &wire, "k1", "a"), "{\"calls\":1}");
    CHECK_INT(status_of(&wire), 201);
    CHECK(strstr(wire.head, "Idempotency-Replayed: true\r\n"));
    CHECK(strstr(wire.head, "Content-Type: application/json\r\n"));
    CHECK(strstr(post(&server, &wire, "k1", "b"), "idempotency_conflict"));
    CHECK_INT(status_of(&wire), 409);
    CHECK_TEXT(post(&server, &wire, "k2", "a"), "{\"calls\":2}");
    CHECK_TEXT(post(&server, &wire, NULL, "a"), "{\"calls\":3}");
    server_stop(&server);
}

ON_BOTH(what_failed_may_be_tried_again)
{
    struct server server;
    static struct wire wire;

    start_keeping(store, &server);
    for (int i = 1; i <= 2; i++) {
        post(&server, &wire, "k", "broken");
        CHECK_INT(status_of(&wire), 503);
        CHECK_INT(calls, i);
    }
    post(&server, &wire, "h", "huge");
    CHECK_INT(status_of(&wire), 500);
    post(&server, &wire, "h", "huge");
    CHECK_INT(calls, 4);
    server_stop(&server);
}

ON_BOTH(a_dead_holder_is_waited_for_and_then_forgotten)
{
    static const struct statement grow_old = {
        "grow_old", "UPDATE idempotency_keys SET started_at = started_at - 59000000"};
    static const struct statement grow_older = {
        "grow_older", "UPDATE idempotency_keys SET started_at = started_at - 2000000"};
    const struct idempotency_key key = {"tenant-a POST /api/v1/counted", "dead",
                                        "anything of another length"};
    struct idempotency_answer answer;
    enum idempotency_outcome outcome;
    const char *holder;

    struct server server;
    start_keeping(store, &server);
    for (int turn = 0; turn < 3; turn++) {
        CHECK_OK(idempotency_claim(store->db, store->arena, &key,
                                   (struct idempotency_times){600, 60}, &outcome, &answer, &holder,
                                   &store->problem));
        CHECK_INT(outcome, turn == 1 ? IDEMPOTENCY_IN_FLIGHT : IDEMPOTENCY_FIRST);
        CHECK_OK(
            query_end(db_query(store->db, turn == 0 ? &grow_old : &grow_older), &store->problem));
    }
    server_stop(&server);
}

ON_BOTH(what_is_unchanged_is_not_sent)
{
    struct server server;
    static struct wire wire;

    start_keeping(store, &server);
    CHECK_TEXT(call(&server, &wire, "POST", "/api/v1/counted", "{\"word\":\"a\"}",
                    (const char *[]){"HTTP_IF_NONE_MATCH", "\"x\", W/\"tag-7\"", NULL}),
               "");
    CHECK_INT(status_of(&wire), 304);
    CHECK(strstr(wire.head, "ETag: \"tag-7\"\r\n") && !strstr(wire.head, "Content-Length"));
    call(&server, &wire, "POST", "/api/v1/counted", "{\"word\":\"a\"}",
         (const char *[]){"HTTP_IF_NONE_MATCH", "\"tag-70\"", NULL});
    CHECK_INT(status_of(&wire), 201);
    server_stop(&server);
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(the_first_answer_is_the_answer), CASE(what_failed_may_be_tried_again),
        CASE(a_dead_holder_is_waited_for_and_then_forgotten), CASE(what_is_unchanged_is_not_sent)};

    return run_on_the_wire(cases, COUNT_OF(cases));
}
