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

struct mail_server {
    const char *host;
    int64_t port;
    const char *user, *password; /* NULL = no authentication */
    const char *ca_file;         /* trusted certificates; NULL = the system's */
    double seconds;              /* time limit of the whole exchange */
};

struct mail {
    const char *from;
    struct string_list to; /* at least one */
    const char *subject;   /* UTF-8, one line */
    const char *text;      /* UTF-8, lines end with LF */
};

/* The server has to accept all recipients. ERROR_INVALID mail_address or mail_host,
 * ERROR_UNAVAILABLE mail_not_sent. */
MUST_CHECK enum error mail_send(struct arena *arena, const struct mail_server *server,
                                const struct mail *mail, struct problem *problem);

#endif
