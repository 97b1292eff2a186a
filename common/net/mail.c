/* Mail: messages as MIME (RFC 2045, 2047), sent by libcurl. */
#include "net/mail.h"

#include "base/clock.h"
#include "base/text.h"
#include "crypto/token.h"
#include "net/libcurl.h"
#include "net/transfer.h"

#include <string.h>

enum {
    MAIL_MOST = 32 << 20,
    ADDRESS_MOST = 254,
    PORT_OF_TLS = 465,
    LINE_BYTES = 57, /* bytes per line: 76 characters of base64 */
    FOR_GOOD = 550,  /* mailbox unknown, not local, full for good, name not allowed (RFC 5321) */
    FOR_GOOD_END = 553,
    SUBJECT_BYTES = 45, /* of an encoded word, which has 75 characters at most */
};

static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

static const char *const author_lines[MAIL_AUTHOR__MAX] = {"Auto-Submitted: auto-generated\r\n",
                                                           "Auto-Submitted: auto-replied\r\n", ""};

/* The unsent rest of a message. */
struct rest {
    const char *bytes;
    size_t length;
};

/* -- the message ------------------------------------------------------------------------------- */

bool mail_is_address(const char *address)
{
    const char *at = strchr(address, '@');

    if (!at || at == address || !at[1] || strlen(address) > ADDRESS_MOST)
        return false;
    for (; *address; address++)
        if (*address <= ' ' || *address > '~' || strchr("<>,;:\"\\()[]", *address))
            return false;
    return true;
}

static bool is_host(const char *host)
{
    return *host && host[strspn(host, "0123456789.-:_abcdefghijklmnopqrstuvwxyz"
                                      "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '\0';
}

static void append_date(struct text *text)
{
    char now[CLOCK_TEXT_MAX];

    clock_format(clock_unix_microseconds(), now); /* 2026-07-30T12:00:00.000000+00:00 */
    text_append_format(text, "Date: %.2s %s %.4s %.8s +0000\r\n", now + 8,
                       months[(now[5] - '0') * 10 + now[6] - '1'], now, now + 11);
}

/* As encoded words, none of which splits a character. */
static void append_subject(struct text *text, const char *subject)
{
    text_append_string(text, "Subject:");
    while (*subject) {
        size_t length = strnlen(subject, SUBJECT_BYTES);

        while (length > 1 && ((unsigned char)subject[length] & 0xC0) == 0x80)
            length--;
        text_append_string(text, " =?utf-8?B?");
        text_append_base64(text, subject, length);
        text_append_string(text, "?=\r\n");
        subject += length;
    }
}

static void append_body(struct text *text, const char *body)
{
    for (size_t left = strlen(body); left;) {
        size_t length = left < LINE_BYTES ? left : LINE_BYTES;

        text_append_base64(text, body, length);
        text_append_string(text, "\r\n");
        body += length;
        left -= length;
    }
}

static void append_receivers(struct text *text, const struct string_list *to)
{
    for (size_t i = 0; i < to->count; i++)
        text_append_format(text, "%s<%s>", i ? ",\r\n " : "To: ", to->items[i]);
    text_append_string(text, "\r\n");
}

/* One id per line: the list may be long, and a line may not. */
static void append_references(struct text *text, const struct mail *mail)
{
    if (mail->in_reply_to)
        text_append_format(text, "In-Reply-To: <%s>\r\n", mail->in_reply_to);
    for (size_t i = 0; i < mail->references.count; i++)
        text_append_format(text, "%s<%s>\r\n", i ? " " : "References: ", mail->references.items[i]);
}

static const char *id_of(struct arena *arena, const struct mail *mail)
{
    char id[TOKEN_UUID_TEXT];

    token_uuid(id);
    return mail->id ? mail->id : arena_print(arena, "%s@%s", id, strchr(mail->from, '@') + 1);
}

static void write_message(struct text *text, const struct mail *mail)
{
    text_append_format(text, "From: <%s>\r\n", mail->from);
    append_receivers(text, &mail->to);
    append_subject(text, mail->subject);
    append_date(text);
    text_append_format(text, "Message-ID: <%s>\r\n", id_of(text->arena, mail));
    append_references(text, mail);
    text_append_format(text,
                       "%sMIME-Version: 1.0\r\n"
                       "Content-Type: text/plain; charset=utf-8\r\n"
                       "Content-Transfer-Encoding: base64\r\n\r\n",
                       author_lines[mail->author]);
    append_body(text, mail->text);
}

/* -- sending ----------------------------------------------------------------------------------- */

static size_t give(char *buffer, size_t size, size_t count, void *context)
{
    struct rest *rest = context;
    size_t length = size * count < rest->length ? size * count : rest->length;

    memcpy(buffer, rest->bytes, length);
    rest->bytes += length;
    rest->length -= length;
    return length;
}

static void aim(CURL *handle, struct arena *arena, const struct mail_server *server)
{
    bool is_ipv6 = strchr(server->host, ':') != NULL;

    curl.easy_setopt(handle, CURLOPT_URL,
                     arena_print(arena, "%s://%s%s%s:%lld",
                                 server->port == PORT_OF_TLS ? "smtps" : "smtp", is_ipv6 ? "[" : "",
                                 server->host, is_ipv6 ? "]" : "", (long long)server->port));
    curl.easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    curl.easy_setopt(handle, CURLOPT_PROXY, "");
    curl.easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
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

static CURLcode deliver(CURL *handle, struct arena *arena, const struct mail *mail,
                        struct rest *rest)
{
    struct curl_slist *receivers = NULL;
    CURLcode code = CURLE_OK;

    for (size_t i = 0; i < mail->to.count && code == CURLE_OK; i++) {
        struct curl_slist *longer =
            curl.slist_append(receivers, arena_print(arena, "<%s>", mail->to.items[i]));

        code = longer ? CURLE_OK : CURLE_OUT_OF_MEMORY;
        receivers = longer ? longer : receivers;
    }
    curl.easy_setopt(handle, CURLOPT_MAIL_FROM, arena_print(arena, "<%s>", mail->from));
    curl.easy_setopt(handle, CURLOPT_MAIL_RCPT, receivers);
    curl.easy_setopt(handle, CURLOPT_UPLOAD, 1L);
    curl.easy_setopt(handle, CURLOPT_READFUNCTION, give);
    curl.easy_setopt(handle, CURLOPT_READDATA, rest);
    curl.easy_setopt(handle, CURLOPT_INFILESIZE_LARGE, (curl_off_t)rest->length);
    if (code == CURLE_OK)
        code = curl.easy_perform(handle);
    curl.slist_free_all(receivers);
    return code;
}

static enum error check(const struct mail_server *server, const struct mail *mail,
                        struct problem *problem)
{
    if (!is_host(server->host))
        return problem_set(problem, ERROR_INVALID, "mail_host", "%s is no name of a host",
                           server->host);
    if (!mail_is_address(mail->from))
        return problem_set(problem, ERROR_INVALID, "mail_address", "%s is no address of mail",
                           mail->from);
    for (size_t i = 0; i < mail->to.count; i++)
        if (!mail_is_address(mail->to.items[i]))
            return problem_set(problem, ERROR_INVALID, "mail_address", "%s is no address of mail",
                               mail->to.items[i]);
    return ERROR_NONE;
}

enum error mail_send(struct arena *arena, const struct mail_server *server, const struct mail *mail,
                     struct problem *problem)
{
    enum error error = check(server, mail, problem);
    struct text text;
    struct rest rest;
    CURL *handle;
    CURLcode code;
    long reply = 0;

    if (error)
        return error;
    text_start(&text, arena, MAIL_MOST);
    write_message(&text, mail);
    handle = transfers_start_library() ? curl.easy_init() : NULL;
    if (!handle)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for a letter");
    rest = (struct rest){text.bytes, text.length};
    aim(handle, arena, server);
    code = deliver(handle, arena, mail, &rest);
    curl.easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &reply);
    curl.easy_cleanup(handle);
    return code == CURLE_OK ? ERROR_NONE
                            : problem_set(problem, ERROR_UNAVAILABLE,
                                          code != CURLE_LOGIN_DENIED && reply >= FOR_GOOD &&
                                                  reply <= FOR_GOOD_END
                                              ? "mail_refused"
                                              : "mail_not_sent",
                                          "%s has not taken the letter: %s (%ld)", server->host,
                                          curl.easy_strerror(code), reply);
}
