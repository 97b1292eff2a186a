/* IMAP. libcurl connects, encrypts and signs in; commands and responses are here, because its own
 * way to fetch a message marks it as seen. */
#include "net/mailbox.h"

#include "base/clock.h"
#include "base/text.h"
#include "net/libcurl.h"
#include "net/transfer.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    PORT_OF_TLS = 993,
    BUFFER_BYTES = 16384,
    LINE_MAX_BYTES = 4 << 20, /* the list of unseen messages is one line */
    COMMAND_MAX = 1024
};

struct mailbox {
    struct arena *arena;
    struct arena_guard *guard;
    CURL *handle;
    const char *host;
    double seconds;
    unsigned tag;
    int64_t deadline; /* of the command that runs */
    size_t start, end;
    char buffer[BUFFER_BYTES]; /* received, from start to end not yet read */
};

/* What a response to a command says. */
struct response {
    struct arena *arena;
    size_t literal_most; /* 0 = no literal is expected */
    struct text line;    /* the last line, without its end */
    char *literal;       /* the last literal; NULL = none */
    size_t literal_length;
    void (*on_line)(const char *line, void *context); /* of untagged lines; may be NULL */
    void *context;
};

static enum error failed(const struct mailbox *mailbox, const char *why, struct problem *problem)
{
    return problem_set(problem, ERROR_UNAVAILABLE, "mailbox_failed", "mailbox at %s: %s",
                       mailbox->host, why);
}

/* -- bytes ------------------------------------------------------------------------------------- */

/* Waits until the connection can be used again, or the command has no time left. */
static bool wait_for(struct mailbox *mailbox, short events)
{
    curl_socket_t socket = CURL_SOCKET_BAD;
    int64_t left = (mailbox->deadline - clock_monotonic_microseconds()) / 1000;
    struct pollfd wait = {.events = events};

    if (curl.easy_getinfo(mailbox->handle, CURLINFO_ACTIVESOCKET, &socket) != CURLE_OK ||
        socket == CURL_SOCKET_BAD || left <= 0)
        return false;
    wait.fd = socket;
    return poll(&wait, 1, (int)left) > 0 || errno == EINTR;
}

static enum error send_bytes(struct mailbox *mailbox, const char *bytes, size_t length,
                             struct problem *problem)
{
    while (length) {
        size_t sent = 0;
        CURLcode code = curl.easy_send(mailbox->handle, bytes, length, &sent);

        if (code == CURLE_AGAIN && wait_for(mailbox, POLLOUT))
            continue;
        if (code != CURLE_OK)
            return failed(mailbox, "a command could not be sent", problem);
        bytes += sent;
        length -= sent;
    }
    return ERROR_NONE;
}

/* Fills the empty buffer. */
static enum error receive(struct mailbox *mailbox, struct problem *problem)
{
    while (true) {
        size_t got = 0;
        CURLcode code =
            curl.easy_recv(mailbox->handle, mailbox->buffer, sizeof mailbox->buffer, &got);

        if (code == CURLE_AGAIN && wait_for(mailbox, POLLIN))
            continue;
        if (code == CURLE_AGAIN)
            return failed(mailbox, "no response in time", problem);
        if (code != CURLE_OK || !got)
            return failed(mailbox, "the connection broke", problem);
        mailbox->start = 0;
        mailbox->end = got;
        return ERROR_NONE;
    }
}

/* Adds to the line up to its end; `*whole` says whether that was reached. */
static enum error take_line(struct mailbox *mailbox, struct text *line, bool *whole)
{
    const char *from = mailbox->buffer + mailbox->start;
    size_t left = mailbox->end - mailbox->start;
    const char *newline = memchr(from, '\n', left);
    size_t taken = newline ? (size_t)(newline - from) + 1 : left;

    text_append(line, from, taken);
    mailbox->start += taken;
    *whole = newline != NULL;
    return line->overflowed ? ERROR_TOO_LARGE : ERROR_NONE;
}

static enum error read_line(struct mailbox *mailbox, struct text *line, struct problem *problem)
{
    bool whole = false;
    enum error error = ERROR_NONE;

    while (!whole && !error) {
        if (mailbox->start == mailbox->end)
            error = receive(mailbox, problem);
        if (!error && take_line(mailbox, line, &whole))
            error = failed(mailbox, "the response is too long", problem);
    }
    while (!error && line->length && strchr("\r\n", line->bytes[line->length - 1]))
        text_cut(line, line->length - 1);
    return error;
}

static enum error read_literal(struct mailbox *mailbox, struct response *response, size_t length,
                               struct problem *problem)
{
    if (!response->literal_most || length > response->literal_most)
        return failed(mailbox, "the response is too long", problem);
    response->literal = arena_alloc(response->arena, length + 1);
    response->literal_length = 0;
    while (response->literal_length < length) {
        size_t left = length - response->literal_length, taken;

        if (mailbox->start == mailbox->end && receive(mailbox, problem))
            return ERROR_UNAVAILABLE;
        taken = mailbox->end - mailbox->start < left ? mailbox->end - mailbox->start : left;
        memcpy(response->literal + response->literal_length, mailbox->buffer + mailbox->start,
               taken);
        mailbox->start += taken;
        response->literal_length += taken;
    }
    return ERROR_NONE;
}

/* -- commands ---------------------------------------------------------------------------------- */

/* Whether the line announces a literal: it ends with {length}. */
static bool announces(const struct text *line, size_t *length)
{
    const char *brace = line->length ? strrchr(line->bytes, '{') : NULL;
    char *end;

    if (!brace || line->bytes[line->length - 1] != '}' || brace[1] < '0' || brace[1] > '9')
        return false;
    *length = strtoul(brace + 1, &end, 10);
    return end[0] == '}' && !end[1];
}

/* One line of the response, with the literals in it. */
static enum error read_response(struct mailbox *mailbox, struct response *response,
                                struct problem *problem)
{
    size_t length;
    enum error error;

    text_cut(&response->line, 0);
    error = read_line(mailbox, &response->line, problem);
    while (!error && announces(&response->line, &length)) {
        error = read_literal(mailbox, response, length, problem);
        text_cut(&response->line, response->line.length - 1); /* it is not announced again */
        if (!error)
            error = read_line(mailbox, &response->line, problem);
    }
    return error;
}

static enum error run_command(struct mailbox *mailbox, const char *command,
                              struct response *response, struct problem *problem)
{
    char tag[24];
    const char *line;
    enum error error;

    (void)!snprintf(tag, sizeof tag, "A%u ", ++mailbox->tag);
    line = arena_print(mailbox->arena, "%s%s\r\n", tag, command);
    mailbox->deadline = clock_monotonic_microseconds() + (int64_t)(mailbox->seconds * 1e6);
    text_start(&response->line, response->arena, LINE_MAX_BYTES);
    error = send_bytes(mailbox, line, strlen(line), problem);
    while (!error) {
        error = read_response(mailbox, response, problem);
        line = response->line.bytes;
        if (error || strncmp(line, tag, strlen(tag)) == 0)
            break;
        if (response->on_line && strncmp(line, "* ", 2) == 0)
            response->on_line(line + 2, response->context);
    }
    if (!error && strncasecmp(line + strlen(tag), "OK", 2) != 0)
        error = problem_set(problem, ERROR_UNAVAILABLE, "mailbox_refused", "mailbox at %s: %s",
                            mailbox->host, line + strlen(tag));
    return error;
}

/* IMAP has this word, too. */
static const char open_folder[] = "SELECT";

/* -- opening ----------------------------------------------------------------------------------- */

static bool is_printable(const char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            return false;
    return true;
}

static bool is_host(const char *host)
{
    return *host && host[strspn(host, "0123456789.-:_abcdefghijklmnopqrstuvwxyz"
                                      "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '\0';
}

static const char *quoted(struct arena *arena, const char *name)
{
    struct text text;

    text_start(&text, arena, COMMAND_MAX);
    text_append_byte(&text, '"');
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            text_append_byte(&text, '\\');
        text_append_byte(&text, *name);
    }
    text_append_byte(&text, '"');
    return text.bytes;
}

static void aim(const struct mailbox *mailbox, const struct mailbox_server *server)
{
    CURL *handle = mailbox->handle;
    bool is_ipv6 = strchr(server->host, ':') != NULL;

    curl.easy_setopt(handle, CURLOPT_URL,
                     arena_print(mailbox->arena, "%s://%s%s%s:%lld/",
                                 server->port == PORT_OF_TLS ? "imaps" : "imap", is_ipv6 ? "[" : "",
                                 server->host, is_ipv6 ? "]" : "", (long long)server->port));
    curl.easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "imap,imaps");
    curl.easy_setopt(handle, CURLOPT_PROXY, "");
    curl.easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl.easy_setopt(handle, CURLOPT_CONNECT_ONLY, 1L);
    curl.easy_setopt(handle, CURLOPT_TIMEOUT_MS, (long)(server->seconds * 1000));
    curl.easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, (long)(server->seconds * 1000));
    if (server->ca_file)
        curl.easy_setopt(handle, CURLOPT_CAINFO, server->ca_file);
    if (server->user) {
        curl.easy_setopt(handle, CURLOPT_USE_SSL, (long)CURLUSESSL_ALL);
        curl.easy_setopt(handle, CURLOPT_USERNAME, server->user);
        curl.easy_setopt(handle, CURLOPT_PASSWORD, server->password ? server->password : "");
    }
}

static void release(void *handle)
{
    curl.easy_cleanup(handle);
}

enum error mailbox_open(struct arena *arena, const struct mailbox_server *server,
                        struct mailbox **opened, struct problem *problem)
{
    struct mailbox *mailbox = ARENA_NEW(arena, struct mailbox);
    struct response response = {.arena = arena};
    CURLcode code;

    *mailbox = (struct mailbox){.arena = arena, .host = server->host, .seconds = server->seconds};
    if (!is_host(server->host) || !is_printable(server->folder))
        return problem_set(problem, ERROR_INVALID, "mailbox_setting",
                           "the host or the folder of the mailbox is no such name");
    mailbox->guard = arena_guard(arena, release);
    mailbox->handle = transfers_start_library() ? curl.easy_init() : NULL;
    if (!mailbox->handle)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for a mailbox");
    mailbox->guard->thing = mailbox->handle;
    aim(mailbox, server);
    code = curl.easy_perform(mailbox->handle);
    if (code == CURLE_OK &&
        !run_command(mailbox,
                     arena_print(arena, "%s %s", open_folder, quoted(arena, server->folder)),
                     &response, problem)) {
        *opened = mailbox;
        return ERROR_NONE;
    }
    if (code != CURLE_OK)
        failed(mailbox, curl.easy_strerror(code), problem);
    arena_guard_end(mailbox->guard);
    return ERROR_UNAVAILABLE;
}

void mailbox_close(struct mailbox *mailbox)
{
    struct response response = {.arena = mailbox->arena};
    struct problem problem;

    (void)!run_command(mailbox, "LOGOUT", &response, &problem);
    arena_guard_end(mailbox->guard);
}

/* -- messages ---------------------------------------------------------------------------------- */

struct found {
    uint32_t *uids;
    size_t most, count;
};

/* Keeps the lowest ones, in order. */
static void add_uid(struct found *found, uint32_t uid)
{
    size_t at = found->count;

    while (at && found->uids[at - 1] > uid)
        at--;
    if (at == found->most)
        return;
    if (found->count < found->most)
        found->count++;
    memmove(found->uids + at + 1, found->uids + at, (found->count - 1 - at) * sizeof *found->uids);
    found->uids[at] = uid;
}

static void read_uids(const char *line, void *context)
{
    char *end;

    if (strncasecmp(line, "SEARCH", 6) != 0)
        return;
    for (const char *at = line + 6; *at == ' '; at = end) {
        unsigned long uid = strtoul(at + 1, &end, 10);

        if (uid && uid <= UINT32_MAX)
            add_uid(context, (uint32_t)uid);
    }
}

/* NOLINTNEXTLINE(readability-non-const-parameter): read_uids() writes them */
enum error mailbox_unseen(struct mailbox *mailbox, uint32_t *uids, size_t most, size_t *count,
                          struct problem *problem)
{
    struct found found = {uids, most, 0};
    struct response response = {.arena = mailbox->arena, .on_line = read_uids, .context = &found};
    enum error error = run_command(mailbox, "UID SEARCH UNSEEN", &response, problem);

    *count = found.count;
    return error;
}

enum error mailbox_fetch(struct mailbox *mailbox, struct arena *arena, uint32_t uid, size_t most,
                         const char **bytes, size_t *length, struct problem *problem)
{
    struct response response = {.arena = arena, .literal_most = most};
    enum error error = run_command(
        mailbox, arena_print(arena, "UID FETCH %u (BODY.PEEK[]<0.%zu>)", (unsigned)uid, most),
        &response, problem);

    *bytes = response.literal;
    *length = response.literal_length;
    return error;
}

enum error mailbox_mark_seen(struct mailbox *mailbox, uint32_t uid, struct problem *problem)
{
    struct response response = {.arena = mailbox->arena};

    return run_command(
        mailbox, arena_print(mailbox->arena, "UID STORE %u +FLAGS.SILENT (\\Seen)", (unsigned)uid),
        &response, problem);
}
