/*
 * Classifies the addresses that a call may go to. A name under foreign control must not lead a call
 * into the internal network, so the address is checked after the name was resolved.
 */
#ifndef ASSAY_NET_ADDRESS_H
#define ASSAY_NET_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

enum address_class {
    ADDRESS_PUBLIC,
    ADDRESS_LOOPBACK,
    ADDRESS_PRIVATE, /* private networks; called only if the caller allows it */
    ADDRESS_SPECIAL, /* link-local, multicast, documentation, reserved: never called */
    ADDRESS_CLASS__MAX
};

/* By the registries of special-purpose addresses (RFC 6890 and IANA's later entries). IPv6
 * addresses that embed an IPv4 address are classified by it. Other address families are special. */
enum address_class address_classify(const struct sockaddr *address);

/* Whether only this host can reach a listener at that address: 127.0.0.0/8, ::1 or localhost, as
 * text. */
bool address_is_loopback(const char *host);

/* Whether a call may go to an address of that class, if private addresses (with loopback) or
 * loopback addresses are allowed. */
bool address_may_be_called(enum address_class class, bool private_too, bool loopback_too);

#endif
