/*
 * Sends a letter of plain text by SMTP (RFC 5321), for programs: it waits until the server has
 * taken it. Where there is a user, it signs in, and then over TLS alone (STARTTLS, or from the
 * first byte on port 465), with a certificate that is trusted.
 */
#ifndef ASSAY_NET_MAIL_H
#define ASSAY_NET_MAIL_H

#include "base/arena.h"
#include "base/error.h"
#include "base/optional.h"

struct mail_server {
    const char *host;
    int64_t port;
    const char *user, *password; /* NULL = no signing in */
    const char *ca_file;         /* whose certificates are trusted; NULL = the system's */
    double seconds;              /* the longest that all of it takes */
};

struct mail {
    const char *from;
    struct string_list to; /* at least one */
    const char *subject;   /* UTF-8, one line */
    const char *text;      /* UTF-8, lines end with LF */
};

/* All receivers have to be accepted. ERROR_INVALID mail_address or mail_host, ERROR_UNAVAILABLE
 * mail_not_sent. */
MUST_CHECK enum error mail_send(struct arena *arena, const struct mail_server *server,
                                const struct mail *mail, struct problem *problem);

#endif
