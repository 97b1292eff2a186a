/* One attempt of a call, by libcurl. A handle lives for one attempt: nothing is carried over. */
#include "net/address.h"
#include "net/fetch_internal.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct attempt {
    const struct fetch_request *request;
    char *buffer;
    size_t length;
    size_t header_bytes;
    bool too_large;
    bool forbidden; /* some address of the name was refused */
};

static bool start_library(void)
{
    static bool started;

    if (!started)
        started = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    return started;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl calls it by this type */
static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
    struct attempt *attempt = context;
    size_t length = size * count;

    if (length > attempt->request->answer_max - attempt->length) {
        attempt->too_large = true;
        return 0;
    }
    memcpy(attempt->buffer + attempt->length, bytes, length);
    attempt->length += length;
    return length;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl calls it by this type */
static size_t count_header(char *bytes, size_t size, size_t count, void *context)
{
    struct attempt *attempt = context;

    (void)bytes;
    attempt->header_bytes += size * count;
    attempt->too_large = attempt->too_large || attempt->header_bytes > FETCH_HEADER_BYTES_MAX;
    return attempt->too_large ? 0 : size * count;
}

/* Called with the address that is about to be connected to, so that no second look-up can put
 * another one in its place. One forbidden address of a name forbids the others. */
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct attempt *attempt = context;
    enum address_class class = address_classify(&address->addr);

    (void)purpose;
    if (class == ADDRESS_SPECIAL || (class == ADDRESS_PRIVATE && !attempt->request->private_too))
        attempt->forbidden = true;
    if (attempt->forbidden)
        return CURL_SOCKET_BAD;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* NULL when there is no memory. The caller frees it. */
static struct curl_slist *list_headers(const struct fetch_request *request)
{
    struct curl_slist *list = curl_slist_append(NULL, "Expect:");
    char line[FETCH_HEADER_LINE_MAX];

    for (size_t i = 0; list && i < request->header_count; i++) {
        const struct fetch_header *header = &request->headers[i];
        int length = snprintf(line, sizeof line, "%s: %s", header->name, header->value);
        struct curl_slist *longer = NULL;

        if (length < (int)sizeof line)
            longer = curl_slist_append(list, line);
        if (!longer)
            curl_slist_free_all(list);
        list = longer;
    }
    explicit_bzero(line, sizeof line);
    return list;
}

static long milliseconds(double seconds)
{
    return seconds < 0.001 ? 1 : (long)(seconds * 1000);
}

/* Options that libcurl does not know would be a build against another one; they fail the attempt.
 */
static CURLcode set_options(CURL *handle, struct attempt *attempt, struct curl_slist *headers,
                            double seconds)
{
    const struct fetch_request *request = attempt->request;
    double connect = request->patience.connect_seconds;
    CURLcode failed = CURLE_OK;

#define SET(option, value) failed = failed ? failed : curl_easy_setopt(handle, option, value)
    SET(CURLOPT_URL, request->url);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_QUICK_EXIT, 1L); /* a name server that is silent is not waited for */
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_USERAGENT, "Assay");
    SET(CURLOPT_HTTPHEADER, headers);
    SET(CURLOPT_TIMEOUT_MS, milliseconds(seconds));
    SET(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(connect < seconds ? connect : seconds));
    SET(CURLOPT_WRITEFUNCTION, take_body);
    SET(CURLOPT_WRITEDATA, attempt);
    SET(CURLOPT_HEADERFUNCTION, count_header);
    SET(CURLOPT_HEADERDATA, attempt);
    SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(CURLOPT_OPENSOCKETDATA, attempt);
    if (request->body) {
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_length);
        SET(CURLOPT_POSTFIELDS, request->body);
    }
#undef SET
    return failed;
}

static enum fetch_outcome outcome_of(CURLcode code, const struct attempt *attempt)
{
    if (attempt->forbidden)
        return FETCH_FORBIDDEN;
    if (attempt->too_large)
        return FETCH_TOO_LARGE;
    switch (code) {
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

static void read_answer(CURL *handle, const struct attempt *attempt, struct fetch_answer *answer)
{
    curl_off_t wait = 0;
    long status = 0;

    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &wait);
    answer->status = answer->outcome == FETCH_ANSWERED ? (int)status : 0;
    answer->retry_after = answer->outcome == FETCH_ANSWERED ? (double)wait : 0;
    answer->length = answer->outcome == FETCH_ANSWERED ? attempt->length : 0;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): written to by take_body() */
void fetch_attempt(const struct fetch_request *request, double seconds, char *buffer,
                   struct fetch_answer *answer)
{
    struct attempt attempt = {.request = request, .buffer = buffer};
    CURL *handle = start_library() ? curl_easy_init() : NULL;
    struct curl_slist *headers = list_headers(request);
    CURLcode code = CURLE_OUT_OF_MEMORY;

    answer->outcome = FETCH_INVALID;
    if (handle && headers) {
        code = set_options(handle, &attempt, headers, seconds);
        if (!code)
            code = curl_easy_perform(handle);
        answer->outcome = outcome_of(code, &attempt);
        read_answer(handle, &attempt, answer);
    }
    curl_slist_free_all(headers);
    curl_easy_cleanup(handle);
}

static bool has_part(CURLU *url, CURLUPart part)
{
    char *text = NULL;
    bool found = curl_url_get(url, part, &text, 0) == CURLUE_OK;

    curl_free(text);
    return found;
}

static bool compose_origin(CURLU *url, char origin[BREAKER_NAME_MAX])
{
    char *scheme = NULL, *host = NULL, *port = NULL;
    bool good = curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
                (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0) &&
                curl_url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
                curl_url_get(url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK;

    if (good) /* a long name is cut: then it shares its breaker with others */
        (void)!snprintf(origin, BREAKER_NAME_MAX, "%s://%s:%s", scheme, host, port);
    curl_free(scheme);
    curl_free(host);
    curl_free(port);
    return good;
}

bool fetch_origin(const char *text, char origin[BREAKER_NAME_MAX])
{
    CURLU *url = start_library() ? curl_url() : NULL;
    bool good = url && curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK &&
                !has_part(url, CURLUPART_USER) && !has_part(url, CURLUPART_PASSWORD) &&
                compose_origin(url, origin);

    curl_url_cleanup(url);
    return good;
}
