/*
 * Reads a mailbox by IMAP (RFC 3501): the messages that nobody has seen, by their UIDs. Fetching
 * leaves a message unseen; the caller marks it when he has stored it. With a user it signs in, and
 * then only over TLS (STARTTLS, or from the first byte on port 993) with a trusted certificate.
 */
#ifndef ASSAY_NET_MAILBOX_H
#define ASSAY_NET_MAILBOX_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mailbox_server {
    const char *host;
    int64_t port;
    const char *user, *password; /* NULL = no sign-in */
    const char *folder;          /* printable ASCII, such as INBOX */
    const char *ca_file;         /* trusted certificates; NULL = the system's */
    double seconds;              /* time limit of connecting, and of each command */
};

struct mailbox;

/* Connects and opens the folder. The mailbox is the arena's and closes at the latest with it.
 * ERROR_INVALID mailbox_setting, ERROR_UNAVAILABLE mailbox_failed. */
MUST_CHECK enum error mailbox_open(struct arena *arena, const struct mailbox_server *server,
                                   struct mailbox **mailbox, struct problem *problem);
void mailbox_close(struct mailbox *mailbox);

/* The lowest UIDs of unseen messages, at most `most`. ERROR_UNAVAILABLE, as for all of these:
 * mailbox_refused when the server refuses the command, mailbox_failed when the mailbox can only be
 * closed. */
MUST_CHECK enum error mailbox_unseen(struct mailbox *mailbox, uint32_t *uids, size_t most,
                                     size_t *count, struct problem *problem);

/* The first `most` bytes of a message. `*bytes` is NULL when it is not there any more. */
MUST_CHECK enum error mailbox_fetch(struct mailbox *mailbox, struct arena *arena, uint32_t uid,
                                    size_t most, const char **bytes, size_t *length,
                                    struct problem *problem);

MUST_CHECK enum error mailbox_mark_seen(struct mailbox *mailbox, uint32_t uid,
                                        struct problem *problem);

#endif
