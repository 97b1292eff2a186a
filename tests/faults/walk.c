/* Walks every route of one family and fails, in turn, the n-th allocation from the request's arena,
 * the n-th allocation of any library, the n-th step of the database, the n-th write to a file and,
 * of a stream, the n-th piece for a client that leaves, for every n that the request reaches.
 * Whatever fails, there is one whole answer: the right one, or an error in its envelope, or a
 * stream of whole events that ends once and says how; the tables hold all of the change or nothing
 * of it; the same request succeeds right afterwards; and no memory stays behind.
 *
 * One program per family, its main.c included for its table of routes. Prints a line per route and
 * ends with `N passed, N failed`. The database is the one that the service's settings name.
 *   faults [steps | once]      the steps of the database in requests that write | no faults */
#ifndef FAMILY_MAIN /* the Makefile defines both, for each family of each service */
#define FAMILY_MAIN "experiments-projects/main.c"
#define SERVICE_TABLES "of_experiments.h"
#endif
int responder_entry(int argc, char **argv);
#define main responder_entry /* its table of routes is wanted, its main is not */
#include FAMILY_MAIN
#undef main

#include "calls.h"
#include "counts.h"
#include SERVICE_TABLES

#include "base/log.h"
#include "crypto/crypto.h"
#include "db/query.h"
#include "http/http_internal.h"
#include "http/hub_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    TRIED_AGAIN = 16,
    QUIET_RUN = 12,   /* so many requests in a row that no fault reached: the walk is over */
    WALK_MAX = 40000, /* a walk that does not end is a failure */
};

/* The last frame of a stream that waits in a hub from now on. */
#define PARKED "event: complete\n\n"

#define RPC_BODY "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"

#include "transport.h"

static void open_hub(void)
{
    struct problem problem;

    if (family.hub && hub_open(&server, NULL, &problem)) {
        printf("no hub: %s\n", problem.text);
        exit(2);
    }
}

/* A stream that was parked has begun well; it ends when its hub does. */
static void leave_hub(struct exchange *exchange)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        abort();
    hub_attach(&server, pair[0], 1);
    close(pair[1]);
    hub_close(&server);
    open_hub();
    exchange->append(exchange->transport, PARKED, strlen(PARKED));
    exchange->end(exchange->transport);
}

static void serve(struct call *call)
{
    struct exchange exchange = {call,
                                call_variable,
                                call_read,
                                call_write,
                                .append = call_append,
                                .end = call_end,
                                .gone = call_gone};

    stream_length = 0;
    server_serve(&server, &exchange);
    calls_fail(CALL_NONE, 0);
    if (server.serving->suspended)
        leave_hub(&exchange);
    server_after(&server);
    db_fail_after(db, 0);
    if (call->answers != 1)
        complain(call, "there is not one answer");
}

static void forget(struct call *call)
{
    free(call->reply);
    call->reply = NULL;
}

/* The member of a JSON object, or of the one inside it, as text of its own; "" when it is none. */
static void read_member(const char *reply, const char *name, char *value, size_t size)
{
    struct arena *arena = arena_create((size_t)1 << 26);
    struct json_fault fault;
    json_t *document = NULL;
    const char *text = NULL;

    if (reply && !json_read(arena, reply, strlen(reply), JSON_DEPTH_LIMIT, &document, &fault))
        text = json_string_value(json_object_get(document, name));
    if (!text)
        text = json_string_value(json_object_get(json_object_get(document, WALK_INSIDE), name));
    snprintf(value, size, "%s", text ? text : "");
    arena_destroy(arena);
}

/* On every service the address of tools speaks JSON-RPC. */
static bool is_rpc(const struct route *route)
{
    return strcmp(route->path, "/mcp") == 0;
}

static bool is_rpc_error(const struct call *call)
{
    return is_rpc(call->route) && call->reply && strstr(call->reply, "\"error\":{");
}

static bool is_walked(const struct route *route)
{
    return is_rpc(route) || !is_left_out(route);
}

/* A whole document, and an error in the envelope that all errors have. */
static void check_form(const struct call *call)
{
    struct arena *arena = arena_create((size_t)1 << 28);
    struct json_fault fault;
    json_t *document = NULL;

    if ((call->route->media_type && call->status == 200) || call->streamed)
        goto done;
    if (call->status == 204) {
        if (call->reply_length)
            complain(call, "204 has a body");
        goto done;
    }
    if (!call->reply ||
        json_read(arena, call->reply, call->reply_length, JSON_DEPTH_LIMIT, &document, &fault))
        complain(call, "the answer is no JSON");
    else if (call->status >= 400 && !route_replies_with(call->route, call->status) &&
             !(is_rpc(call->route) && json_object_get(document, "jsonrpc")) &&
             !is_envelope(call->route, call->status, document))
        complain(call, "the error is not in its envelope");
done:
    arena_destroy(arena);
}

_Static_assert(COUNT_OF(row_counts) <= COUNTS_MAX, "room for all counts");

static struct counts count_rows(void)
{
    return counts_read(db, row_counts, COUNT_OF(row_counts), WALK_FILES());
}

static const struct route *find_route(enum method method, const char *path)
{
    for (size_t i = 0; i < COUNT_OF(routes); i++)
        if (routes[i].method == method && strcmp(routes[i].path, path) == 0)
            return &routes[i];
    return NULL;
}

static void set_call(struct call *call, const struct route *route, const char *path)
{
    *call = (struct call){.route = route,
                          .token = token_of(route),
                          .body = is_rpc(route) ? RPC_BODY : body_of(route)};
    snprintf(call->path, sizeof call->path, "%s", path);
    if (route->body && !call->body && !route->body_optional)
        call->body = "{}";
}

/* Posts without faults; the member `id` of the answer goes to `id`. */
static void post(const struct route *route, const char *path, char *id, size_t size)
{
    struct call call;

    set_call(&call, route, path);
    serve(&call);
    if (call.status < 200 || call.status >= 300)
        complain(&call, "what the walk needs cannot be made");
    if (id)
        read_member(call.reply, "id", id, size);
    if (id && !*id)
        read_member(call.reply, WALK_ID, id, size);
    forget(&call);
}

/* Does to a fresh object what the route needs it to have been through. */
static void prepare_object(const struct route *route, const char *path)
{
    const char *end = strchr(route->path, '}') + 1;
    char action[PATH_MAX_BYTES], below[2 * PATH_MAX_BYTES];

    for (size_t i = 0; i < COUNT_OF(preparations); i++) {
        if (preparations[i].method != route->method ||
            strcmp(preparations[i].path, route->path) != 0)
            continue;
        snprintf(action, sizeof action, "%.*s%s", (int)(end - route->path), route->path,
                 preparations[i].action);
        snprintf(below, sizeof below, "%s%s", path, preparations[i].action);
        post(find_route(METHOD_POST, action), below, NULL, 0);
    }
}

/* Whether there is nothing left to do once it was done. */
static bool uses_up(const struct route *route)
{
    return (route->method != METHOD_GET && strchr(route->path, '{')) ||
           route->method == METHOD_DELETE;
}

/* The path of a request: of a new object where the route has a place for one, made by a POST to the
 * collection above, or kept by make_room(). */
static void make_path(const struct route *route, char path[PATH_MAX_BYTES])
{
    const char *place = strchr(route->path, '{');
    char collection[192] = "", object[256], id[64] = "";
    const struct route *maker;

    if (place)
        snprintf(collection, sizeof collection, "%.*s", (int)(place - 1 - route->path),
                 route->path);
    maker = place ? find_route(METHOD_POST, collection) : NULL;
    if (uses_up(route) || maker)
        make_room(db);
    if (!maker) {
        fill_places(route->path, path, PATH_MAX_BYTES);
        return;
    }
    post(maker, collection, id, sizeof id);
    snprintf(object, sizeof object, "%.*s", (int)(strchr(place, '}') + 1 - route->path),
             route->path);
    fill_places(object, path, PATH_MAX_BYTES);
    snprintf(object, sizeof object, "%s%s%s", *id ? collection : path, *id ? "/" : "", id);
    prepare_object(route, object);
    fill_places(strchr(place, '}') + 1, path, PATH_MAX_BYTES);
    snprintf(collection, sizeof collection, "%s", path);
    snprintf(path, PATH_MAX_BYTES, "%s%s", object, collection);
}

/* What a request does when nothing fails. */
struct right {
    int status;
    char *reply; /* from malloc; NULL where two answers to the same request differ */
    struct counts change;
};

/* Before a request that makes something: those before it may have filled a limit. */
static void clear(const struct route *route)
{
    if (route->method == METHOD_POST && !strchr(route->path, '{'))
        make_room(db);
}

/* What a request has changed, as far as its answer says so. */
static struct counts change_by(const struct route *route, struct counts before)
{
    struct counts change = difference(count_rows(), before);

    for (size_t i = 0; i < COUNT_OF(row_counts); i++)
        if (!WALK_COUNTS(route, row_counts[i].name))
            change.rows[i] = 0;
    return change;
}

static struct right learn(const struct route *route, char path[PATH_MAX_BYTES])
{
    struct call first, second;
    struct counts before;
    struct right right;

    make_path(route, path);
    clear(route);
    set_call(&first, route, path);
    serve(&first);
    if (uses_up(route))
        make_path(route, path);
    clear(route);
    before = count_rows();
    set_call(&second, route, path);
    serve(&second);
    right = (struct right){.status = second.status, .change = change_by(route, before)};
    check_form(&second);
    /* Without documents of routes, which are in that folder, there are no tools. */
    if (second.status >= 500 || first.status != second.status ||
        (is_rpc_error(&second) && getenv("ASSAY_RUN_DIR")))
        complain(&second, "it does not work without a fault");
    if (!(WALK_ANSWERS_VARY) && first.reply && second.reply &&
        strcmp(first.reply, second.reply) == 0)
        right.reply = strdup(second.reply);
    if (uses_up(route))
        make_path(route, path);
    forget(&first);
    forget(&second);
    return right;
}

/* An error after the change was kept: the database was lost while it committed, or there was no
 * memory left to tell of it. */
static bool may_have_changed(const struct call *call)
{
    if (call->failing == FAILING_ARENA || call->failing == FAILING_MALLOC)
        return call->status == 500;
    return strcmp(call->reason, "commit_unknown") == 0;
}

static void check_answer(const struct call *call, const struct right *right, struct counts change)
{
    bool is_right = call->status == right->status;

    check_form(call);
    if (!is_right && (call->status < 500 || call->status > 503) && !call->left)
        complain(call, "neither the right answer nor an error of ours");
    if (call->left) {
        if (!is_same(change, right->change) && !is_same(change, nothing))
            complain(call, "the tables hold a part of the change");
        return;
    }
    if (is_rpc_error(call) && call->failing != FAILING_NOTHING)
        return; /* its errors have the status of answers */
    if (is_right && right->reply && (!call->reply || strcmp(call->reply, right->reply) != 0))
        complain(call, "the answer is wrong");
    if (!(is_same(change, right->change) && (is_right || may_have_changed(call))) &&
        !(is_same(change, nothing) && !is_right))
        complain(call, "the tables do not agree with the answer");
}

/* The same request with nothing failing. */
static void try_again(const struct call *failed, const struct right *right,
                      char path[PATH_MAX_BYTES])
{
    struct counts before;
    struct call call;

    clear(failed->route);
    before = count_rows();
    set_call(&call, failed->route, path);
    serve(&call);
    if (call.status != right->status)
        complain(failed, "the same request does not succeed afterwards");
    check_answer(&call, right, change_by(failed->route, before));
    forget(&call);
    if (uses_up(failed->route))
        make_path(failed->route, path);
}

/* One request with the n-th thing failing. True when that was reached, as far as one can tell.
 * Requests have hundreds of allocations: after those of the arena only some are tried again. */
static bool try_failing(const struct route *route, const struct right *right, enum failing failing,
                        size_t n, char path[PATH_MAX_BYTES])
{
    struct counts before, change;
    struct call call;
    bool reached;

    clear(route);
    before = count_rows();
    set_call(&call, route, path);
    call.failing = failing;
    call.n = n;
    serve(&call);
    reached = failing == FAILING_MALLOC || failing == FAILING_WRITE ? calls_failed()
                                                                    : call.status != right->status;
    change = change_by(route, before);
    check_answer(&call, right, change);
    if (uses_up(route) && !is_same(change, nothing))
        make_path(route, path);
    if (failing != FAILING_ARENA || n % TRIED_AGAIN == 0)
        try_again(&call, right, path);
    forget(&call);
    return reached;
}

static size_t walk(const struct route *route, const struct right *right, enum failing failing,
                   char path[PATH_MAX_BYTES])
{
    size_t n, quiet = 0, reached = 0;

    for (n = 1; quiet < QUIET_RUN && n < WALK_MAX; n += step_after(n)) {
        if (try_failing(route, right, failing, n, path)) {
            quiet = 0;
            reached = n;
        } else {
            quiet++;
        }
    }
    if (n >= WALK_MAX) {
        complaints++;
        printf("%s %s: no end of faults\n", method_names[route->method], route->path);
    }
    return reached;
}

/* Blocks in use with everything given back that can be: connection, caches, the request's arena. */
static size_t blocks_at_rest(void)
{
    db_disconnect(db);
    arena_reset(server.arena);
    return calls_blocks();
}

static bool walk_route(const struct route *route, enum failing first, enum failing last)
{
    char path[PATH_MAX_BYTES];
    struct right right;
    size_t reached[FAILING__MAX] = {0}, before, after;
    int turns = 0;

    complaints = 0;
    right = learn(route, path);
    for (int i = 2 * (int)first; i < 2 * ((int)last + 1); i++) /* for what is made once */
        try_failing(route, &right, (enum failing)(i / 2), (size_t)(i % 2) + 1, path);
    /* Again when blocks are left: what is made once, be it after a fault, is there by then. */
    after = blocks_at_rest();
    do {
        before = after;
        for (int failing = first; failing <= (int)last; failing++)
            reached[failing] = walk(route, &right, (enum failing)failing, path);
        after = blocks_at_rest();
    } while (after > before && turns++ == 0);
    if (after > before) {
        complaints++;
        printf("%s %s: %zu blocks stay behind\n", method_names[route->method], route->path,
               after - before);
    }
    printf("%-6s %-48s %d: arena %zu, steps %zu, malloc %zu, writes %zu, pieces %zu%s\n",
           method_names[route->method], route->path, right.status, reached[FAILING_ARENA],
           reached[FAILING_STEP], reached[FAILING_MALLOC], reached[FAILING_WRITE],
           reached[FAILING_CLIENT], complaints ? " FAILED" : "");
    free(right.reply);
    return complaints == 0;
}

static void start(struct arena *arena)
{
    struct request request = {0};
    struct problem problem = {0};

    for (size_t i = 0; i < COUNT_OF(walk_settings); i++)
        setenv(walk_settings[i][0], walk_settings[i][1], 1);
    if (crypto_start(&problem) || family.service->start(&server, arena, &problem) ||
        server_start(&server, arena, NULL, "locales", &problem) ||
        (family.service->ready && family.service->ready(&server, false, &problem))) {
        printf("cannot start: %s\n", problem.text);
        exit(2);
    }
    server.run_directory = getenv("ASSAY_RUN_DIR");
    log_open("faults", LOG_CRITICAL, LOG_JSON);
    open_hub();
    request.server = &server;
    request.arena = arena;
    request.state = server.state;
    if (WALK_DATABASE(&request, &db)) {
        printf("cannot use the database: %s\n", request.problem.text);
        exit(2);
    }
}

/* Whether its body names things that a fresh database does not have. */
static bool names_others(const struct route *route)
{
    for (const int *status = route->errors; status && *status; status++)
        if (*status == 404)
            return true;
    return false;
}

/* Something of everything, so that no list is empty. */
static void fill(void)
{
    make_room(db);
    for (size_t i = 0; i < COUNT_OF(routes); i++)
        if (routes[i].method == METHOD_POST && !strchr(routes[i].path, '{') &&
            !names_others(&routes[i]) && is_walked(&routes[i]))
            post(&routes[i], routes[i].path, NULL, 0);
}

/* The routes that read, before the lists are long; or those that write. */
static void walk_routes(bool reading, enum failing first, enum failing last, int *passed,
                        int *failed)
{
    for (size_t i = 0; i < COUNT_OF(routes); i++) {
        if ((routes[i].method == METHOD_GET) != reading || !is_walked(&routes[i]))
            continue;
        ++*(walk_route(&routes[i], first, last) ? passed : failed);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    struct arena *arena = arena_create((size_t)1 << 26); /* of the process */
    int passed = 0, failed = 0;

    start(arena);
    fill();
    if (argc > 1 && strcmp(argv[1], "steps") == 0) {
        walk_routes(false, FAILING_STEP, FAILING_STEP, &passed, &failed);
    } else if (argc > 1 && strcmp(argv[1], "once") == 0) { /* an empty range of faults */
        walk_routes(true, FAILING__MAX, FAILING_NOTHING, &passed, &failed);
        walk_routes(false, FAILING__MAX, FAILING_NOTHING, &passed, &failed);
    } else {
        walk_routes(true, FAILING_ARENA, FAILING_CLIENT, &passed, &failed);
        walk_routes(false, FAILING_ARENA, FAILING_CLIENT, &passed, &failed);
    }
    server_stop(&server);
    arena_destroy(arena);
    printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed ? 1 : 0;
}
