/* Attempts of calls by libcurl's multi interface, without threads of ours: one multi handle that is
 * driven by its caller, and one for fibers that the process's event loop drives (libcurl's "multi
 * socket" interface). A handle lives for
 * one attempt; only connections and resolved names are kept for the next. */
#include "net/transfer.h"

#include "base/clock.h"
#include "base/fiber.h"
#include "base/loop.h"
#include "net/address.h"
#include "net/libcurl.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    FIRST_BUFFER = 1024,
    WAIT_MAX_MS = 60000,
    PER_HOST = 16,
    KEPT = 16,
    FIBER_BUFFER = 2048 /* of each connection, where there are thousands */
};

/* Bytes that grow up to a limit, with a NUL after them. */
struct bytes {
    char *at;
    size_t length, capacity;
};

struct transfer {
    struct transfer *next; /* outside of fibers */
    struct fiber *owner;   /* NULL = outside of fibers */
    CURL *handle;
    struct curl_slist *headers;
    struct bytes head, body;
    size_t answer_max;
    size_t received;
    bool private_too;
    bool loopback_too;
    bool too_large;
    bool forbidden; /* some address of the name was refused */
    bool no_memory;
    bool head_complete;
    bool over;
    CURLcode code;
};

/* The state of the process. */
static struct {
    pid_t owner;
    CURLM *multi;
    struct transfer *all; /* those outside of fibers */
    uint32_t per_host, kept;
    bool heard; /* bytes have arrived since the last check */
    CURLM *fiber_multi;
    struct loop_timer timer; /* of the latter */
} pool = {.per_host = PER_HOST, .kept = KEPT};

bool transfers_start_library(void)
{
    static bool started; /* of the process */

    if (!started)
        started = libcurl_load() && curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    return started;
}

static void apply_limits(void)
{
    curl.multi_setopt(pool.multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)pool.per_host);
    curl.multi_setopt(pool.multi, CURLMOPT_MAXCONNECTS, (long)pool.kept);
}

/* A child must not touch its parent's connections: it abandons them and starts a new pool. */
static bool start_pool(void)
{
    if (pool.owner != getpid()) {
        pool.all = NULL;
        pool.multi = pool.fiber_multi = NULL;
        pool.owner = getpid();
    }
    if (pool.multi)
        return true;
    pool.multi = transfers_start_library() ? curl.multi_init() : NULL;
    if (pool.multi)
        apply_limits();
    return pool.multi != NULL;
}

static void note_ends(CURLM *multi);

/* A socket that libcurl waits for. It may be gone after the call. */
static void on_socket_ready(uint32_t events, void *context)
{
    const struct loop_watch *watch = context;
    int flags = (events & EPOLLIN ? CURL_CSELECT_IN : 0) |
                (events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                (events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
    int running;

    curl.multi_socket_action(pool.fiber_multi, watch->descriptor, flags, &running);
    note_ends(pool.fiber_multi);
}

static int watch_socket(CURL *handle, curl_socket_t descriptor, int what, void *context,
                        void *known)
{
    struct loop_watch *watch = known;
    uint32_t events = (what & CURL_POLL_IN ? EPOLLIN : 0U) | (what & CURL_POLL_OUT ? EPOLLOUT : 0U);

    (void)handle;
    (void)context;
    if (what == CURL_POLL_REMOVE) {
        if (watch)
            loop_unwatch(watch);
        free(watch);
        return 0;
    }
    if (!watch) {
        watch = calloc(1, sizeof *watch);
        if (!watch)
            return -1;
        *watch = (struct loop_watch){.ready = on_socket_ready, .context = watch};
        curl.multi_assign(pool.fiber_multi, descriptor, watch);
    }
    return loop_watch(watch, descriptor, events) ? 0 : -1;
}

static void on_timer_due(void *context)
{
    int running;

    (void)context;
    curl.multi_socket_action(pool.fiber_multi, CURL_SOCKET_TIMEOUT, 0, &running);
    note_ends(pool.fiber_multi);
}

static int set_timer(CURLM *multi, long milliseconds, void *context)
{
    (void)multi;
    (void)context;
    if (milliseconds < 0)
        loop_timer_clear(&pool.timer);
    else if (!loop_timer_set(&pool.timer,
                             clock_monotonic_microseconds() + milliseconds * INT64_C(1000)))
        return -1;
    return 0;
}

static bool start_fiber_pool(void)
{
    if (!start_pool())
        return false;
    if (pool.fiber_multi)
        return true;
    pool.fiber_multi = curl.multi_init();
    if (!pool.fiber_multi)
        return false;
    pool.timer = (struct loop_timer){.due = on_timer_due};
    curl.multi_setopt(pool.fiber_multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
    curl.multi_setopt(pool.fiber_multi, CURLMOPT_TIMERFUNCTION, set_timer);
    return true;
}

void transfers_limit(uint32_t per_host, uint32_t kept)
{
    pool.per_host = per_host;
    pool.kept = kept;
    if (pool.multi && pool.owner == getpid())
        apply_limits();
}

static bool append(struct bytes *bytes, const char *more, size_t length)
{
    size_t needed = bytes->length + length + 1;

    if (needed > bytes->capacity) {
        size_t capacity = bytes->capacity ? bytes->capacity * 2 : FIRST_BUFFER;
        char *larger;

        while (capacity < needed)
            capacity *= 2;
        larger = realloc(bytes->at, capacity);
        if (!larger)
            return false;
        bytes->at = larger;
        bytes->capacity = capacity;
    }
    memcpy(bytes->at + bytes->length, more, length);
    bytes->length += length;
    bytes->at[bytes->length] = '\0';
    return true;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl calls it by this type */
static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
    struct transfer *transfer = context;
    size_t length = size * count, room = transfer->answer_max - transfer->received;
    size_t taken = length < room ? length : room;

    transfer->head_complete = true;
    pool.heard = true;
    fiber_wake(transfer->owner);
    if (!append(&transfer->body, bytes, taken)) {
        transfer->no_memory = true;
        return 0;
    }
    transfer->received += taken;
    transfer->too_large = taken < length;
    return taken;
}

/* Each status line begins a new head, so that of the answer replaces any "100 Continue". */
/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl calls it by this type */
static size_t take_header(char *bytes, size_t size, size_t count, void *context)
{
    struct transfer *transfer = context;
    size_t length = size * count;
    long status = 0;

    pool.heard = true;
    fiber_wake(transfer->owner);
    if (length > FETCH_HEADER_BYTES_MAX - transfer->head.length) {
        transfer->too_large = true;
        return 0;
    }
    if (!append(&transfer->head, bytes, length)) {
        transfer->no_memory = true;
        return 0;
    }
    if (length <= 2) {
        curl.easy_getinfo(transfer->handle, CURLINFO_RESPONSE_CODE, &status);
        transfer->head_complete = status >= 200;
        if (status < 200)
            transfer->head.length = 0;
    }
    return length;
}

static bool may_be_called(const struct transfer *transfer, const struct sockaddr *address)
{
    return address_may_be_called(address_classify(address), transfer->private_too,
                                 transfer->loopback_too);
}

/* Called with the address to be connected to, so that no second lookup can replace it. One
 * forbidden address of a name forbids the others. */
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct transfer *transfer = context;

    (void)purpose;
    transfer->forbidden = transfer->forbidden || !may_be_called(transfer, &address->addr);
    if (transfer->forbidden)
        return CURL_SOCKET_BAD;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static bool read_address(const char *text, struct sockaddr_storage *address)
{
    struct sockaddr_in *four = (struct sockaddr_in *)address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;

    *address = (struct sockaddr_storage){0};
    if (inet_pton(AF_INET, text, &four->sin_addr) == 1)
        address->ss_family = AF_INET;
    else if (inet_pton(AF_INET6, text, &six->sin6_addr) == 1)
        address->ss_family = AF_INET6;
    return address->ss_family != 0;
}

/* Called before anything is sent, also on kept connections: a call that allows more addresses than
 * this one could have opened them. */
/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl calls it by this type */
static int check_peer(void *context, char *peer, char *local, int peer_port, int local_port)
{
    struct transfer *transfer = context;
    struct sockaddr_storage address;

    (void)local;
    (void)peer_port;
    (void)local_port;
    if (read_address(peer, &address) && may_be_called(transfer, (const struct sockaddr *)&address))
        return CURL_PREREQFUNC_OK;
    transfer->forbidden = true;
    return CURL_PREREQFUNC_ABORT;
}

/* The list with one line more; NULL, and the list is freed, when there is no memory. */
static struct curl_slist *with_header(struct curl_slist *list, const char *name, const char *value)
{
    char line[FETCH_HEADER_LINE_MAX];
    int length = snprintf(line, sizeof line, "%s: %s", name, value);
    struct curl_slist *longer = NULL;

    if (list && length < (int)sizeof line)
        longer = curl.slist_append(list, line);
    if (!longer)
        curl.slist_free_all(list);
    explicit_bzero(line, sizeof line);
    return longer;
}

/* NULL when there is no memory. The caller frees it. */
static struct curl_slist *list_headers(const struct fetch_request *request, const char *trace)
{
    struct curl_slist *list = curl.slist_append(NULL, "Expect:");

    for (size_t i = 0; list && i < request->header_count; i++)
        list = with_header(list, request->headers[i].name, request->headers[i].value);
    return *trace ? with_header(list, "traceparent", trace) : list;
}

static long milliseconds(double seconds)
{
    return seconds < 0.001 ? 1 : (long)(seconds * 1000);
}

/* GET without a body and POST with one are libcurl's defaults; other methods are set by name. */
static CURLcode set_method(CURL *handle, const struct fetch_request *request)
{
    const char *method = request->method;
    CURLcode failed = CURLE_OK;

    if (request->body) {
        failed =
            curl.easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_length);
        failed = failed ? failed : curl.easy_setopt(handle, CURLOPT_POSTFIELDS, request->body);
    }
    if (failed || !method || strcmp(method, request->body ? "POST" : "GET") == 0)
        return failed;
    if (strcmp(method, "HEAD") == 0)
        return curl.easy_setopt(handle, CURLOPT_NOBODY, 1L);
    return curl.easy_setopt(handle, CURLOPT_CUSTOMREQUEST, method);
}

/* An unknown option means that libcurl is another version than at build time; it fails the
 * attempt. */
static CURLcode set_options(struct transfer *transfer, const struct fetch_request *request,
                            double seconds)
{
    CURL *handle = transfer->handle;
    double connect = request->policy.connect_seconds;
    CURLcode failed = CURLE_OK;

#define SET(option, value) failed = failed ? failed : curl.easy_setopt(handle, option, value)
    SET(CURLOPT_URL, request->url);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_QUICK_EXIT, 1L); /* does not wait for a silent name server */
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_USERAGENT, "Assay");
    SET(CURLOPT_HTTPHEADER, transfer->headers);
    SET(CURLOPT_TIMEOUT_MS, milliseconds(seconds));
    SET(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(connect < seconds ? connect : seconds));
    SET(CURLOPT_WRITEFUNCTION, take_body);
    SET(CURLOPT_WRITEDATA, transfer);
    SET(CURLOPT_HEADERFUNCTION, take_header);
    SET(CURLOPT_HEADERDATA, transfer);
    SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(CURLOPT_OPENSOCKETDATA, transfer);
    SET(CURLOPT_PREREQFUNCTION, check_peer);
    SET(CURLOPT_PREREQDATA, transfer);
    SET(CURLOPT_PRIVATE, transfer);
    SET(CURLOPT_FRESH_CONNECT, request->once ? 1L : 0L);
    if (transfer->owner)
        SET(CURLOPT_BUFFERSIZE, (long)FIBER_BUFFER);
#undef SET
    return failed ? failed : set_method(handle, request);
}

static void free_transfer(struct transfer *transfer)
{
    curl.easy_cleanup(transfer->handle);
    curl.slist_free_all(transfer->headers);
    free(transfer->head.at);
    free(transfer->body.at);
    free(transfer);
}

static CURLM *multi_of(const struct transfer *transfer)
{
    return transfer->owner ? pool.fiber_multi : pool.multi;
}

struct transfer *transfer_start(const struct fetch_request *request, const char *trace,
                                double seconds)
{
    struct fiber *owner = fiber_current();
    bool started = owner ? start_fiber_pool() : start_pool();
    struct transfer *transfer = started ? calloc(1, sizeof *transfer) : NULL;

    if (!transfer)
        return NULL;
    transfer->owner = owner;
    transfer->answer_max = request->answer_max;
    transfer->private_too = request->private_too;
    transfer->loopback_too = request->loopback_too;
    transfer->headers = list_headers(request, trace);
    transfer->handle = curl.easy_init();
    if (!transfer->headers || !transfer->handle || !append(&transfer->head, "", 0) ||
        !append(&transfer->body, "", 0) || set_options(transfer, request, seconds) ||
        curl.multi_add_handle(multi_of(transfer), transfer->handle)) {
        free_transfer(transfer);
        return NULL;
    }
    if (owner)
        return transfer;
    transfer->next = pool.all;
    pool.all = transfer;
    return transfer;
}

void transfer_end(struct transfer *transfer)
{
    if (!transfer || pool.owner != getpid())
        return;
    for (struct transfer **at = &pool.all; !transfer->owner && *at; at = &(*at)->next) {
        if (*at == transfer) {
            *at = transfer->next;
            break;
        }
    }
    curl.multi_remove_handle(multi_of(transfer), transfer->handle);
    free_transfer(transfer);
}

void transfers_end_all(void)
{
    if (pool.owner != getpid())
        return;
    while (pool.all)
        transfer_end(pool.all);
}

static void note_ends(CURLM *multi)
{
    CURLMsg *message;
    int left;

    while ((message = curl.multi_info_read(multi, &left)) != NULL) {
        struct transfer *transfer = NULL;

        curl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
        if (message->msg != CURLMSG_DONE || !transfer)
            continue;
        transfer->over = true;
        transfer->code = message->data.result;
        pool.heard = true;
        fiber_wake(transfer->owner);
    }
}

bool transfers_drive(double seconds, int fd)
{
    struct curl_waitfd watched = {.fd = fd, .events = CURL_WAIT_POLLIN};
    int running = 0, events = 0;
    int wait_ms = seconds * 1000 < WAIT_MAX_MS ? (int)(seconds * 1000 + 0.999) : WAIT_MAX_MS;

    if (!start_pool())
        return false;
    pool.heard = false;
    curl.multi_perform(pool.multi, &running);
    note_ends(pool.multi);
    if (!pool.heard) {
        curl.multi_poll(pool.multi, &watched, fd >= 0, wait_ms > 0 ? wait_ms : 0, &events);
        curl.multi_perform(pool.multi, &running);
        note_ends(pool.multi);
    }
    return watched.revents != 0;
}

static enum fetch_outcome outcome_of(const struct transfer *transfer)
{
    if (transfer->forbidden)
        return FETCH_FORBIDDEN;
    if (transfer->too_large)
        return FETCH_TOO_LARGE;
    if (transfer->no_memory)
        return FETCH_UNREACHABLE;
    switch (transfer->code) {
    case CURLE_OK:
        return FETCH_ANSWERED;
    case CURLE_OPERATION_TIMEDOUT:
        return FETCH_TIMED_OUT;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_OUT_OF_MEMORY:
        return FETCH_UNREACHABLE;
    default: /* HTTP/0.9 too, which libcurl calls an unsupported protocol */
        return FETCH_BROKEN;
    }
}

void transfer_look(const struct transfer *transfer, struct transfer_view *view)
{
    curl_off_t wait = 0;
    long status = 0;

    curl.easy_getinfo(transfer->handle, CURLINFO_RESPONSE_CODE, &status);
    curl.easy_getinfo(transfer->handle, CURLINFO_RETRY_AFTER, &wait);
    *view = (struct transfer_view){.over = transfer->over,
                                   .outcome = outcome_of(transfer),
                                   .status = transfer->head_complete ? (int)status : 0,
                                   .head = transfer->head.at,
                                   .body = transfer->body.at,
                                   .length = transfer->body.length,
                                   .received = transfer->received,
                                   .retry_after = (double)wait};
}

void transfer_drop_body(struct transfer *transfer)
{
    transfer->body.length = 0;
    transfer->body.at[0] = '\0';
}

static bool has_part(CURLU *url, CURLUPart part)
{
    char *text = NULL;
    bool found = curl.url_get(url, part, &text, 0) == CURLUE_OK;

    curl.free(text);
    return found;
}

static bool compose_origin(CURLU *url, char origin[BREAKER_NAME_MAX])
{
    char *scheme = NULL, *host = NULL, *port = NULL;
    bool good = curl.url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
                (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0) &&
                curl.url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
                curl.url_get(url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK;

    if (good) /* a long name is cut and then shares its breaker with others */
        (void)!snprintf(origin, BREAKER_NAME_MAX, "%s://%s:%s", scheme, host, port);
    curl.free(scheme);
    curl.free(host);
    curl.free(port);
    return good;
}

bool fetch_origin(const char *text, char origin[BREAKER_NAME_MAX])
{
    CURLU *url = transfers_start_library() ? curl.url() : NULL;
    bool good = url && curl.url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK &&
                !has_part(url, CURLUPART_USER) && !has_part(url, CURLUPART_PASSWORD) &&
                compose_origin(url, origin);

    if (url)
        curl.url_cleanup(url);
    return good;
}
