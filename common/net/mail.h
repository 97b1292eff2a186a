/*
 * Sends a plain-text e-mail by SMTP (RFC 5321) and waits until the server has accepted it. With a
 * user it authenticates, and then only over TLS (STARTTLS, or from the first byte on port 465) with
 * a trusted certificate.
 */
#ifndef ASSAY_NET_MAIL_H
#define ASSAY_NET_MAIL_H

#include "base/arena.h"
#include "base/error.h"
#include "base/optional.h"

#include <stdbool.h>

struct mail_server {
    const char *host;
    int64_t port;
    const char *user, *password; /* NULL = no authentication */
    const char *ca_file;         /* trusted certificates; NULL = the system's */
    double seconds;              /* time limit of the whole exchange */
};

/* Who wrote it, so that programs do not answer programs (Auto-Submitted, RFC 3834). */
enum mail_author { MAIL_OF_PROGRAM, MAIL_REPLY_OF_PROGRAM, MAIL_OF_PERSON, MAIL_AUTHOR__MAX };

struct mail {
    const char *from;
    struct string_list to; /* at least one */
    const char *subject;   /* UTF-8, one line */
    const char *text;      /* UTF-8, lines end with LF */
    const char *id;        /* Message-ID without brackets; NULL = a new one */
    /* Of a reply: the message it answers, and the messages before, as ids without brackets that
     * have no blanks; NULL and none otherwise. */
    const char *in_reply_to;
    struct string_list references;
    enum mail_author author;
};

/* Whether it can be written to: local part, @ and domain in printable ASCII, nothing that could end
 * a line or an address. */
bool mail_is_address(const char *address);

/* The server has to accept all recipients. ERROR_INVALID mail_address or mail_host,
 * ERROR_UNAVAILABLE mail_not_sent, or mail_refused when the server will never take it. */
MUST_CHECK enum error mail_send(struct arena *arena, const struct mail_server *server,
                                const struct mail *mail, struct problem *problem);

#endif
