/*
 * Which addresses a call may go to. A name that anybody can point anywhere must not lead a call
 * into our own network; judged is the address itself, after the name was resolved.
 */
#ifndef ASSAY_NET_ADDRESS_H
#define ASSAY_NET_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

enum address_class {
    ADDRESS_PUBLIC,
    ADDRESS_LOOPBACK,
    ADDRESS_PRIVATE, /* private networks; called only if the caller allows it */
    ADDRESS_SPECIAL, /* link-local, multicast, documentation, reserved: never to be called */
    ADDRESS_CLASS__MAX
};

/* By the registries of special-purpose addresses (RFC 6890 and IANA's later entries). IPv6
 * addresses that hold an IPv4 one are judged by it. Families other than the two are special. */
enum address_class address_classify(const struct sockaddr *address);

/* Whether only this host can reach what listens there: 127.0.0.0/8, ::1 or localhost, as text. */
bool address_is_loopback(const char *host);

/* Whether a call may go there that is allowed private addresses (loopback among them), or loopback
 * ones. */
bool address_may_be_called(enum address_class class, bool private_too, bool loopback_too);

#endif
