/*
 * A GET to a family of routes of the same stack, over the family's own socket, for programs of the
 * stack: no web server, no port and no credentials are needed. The family admits the call where
 * its route says so (`for_programs`, http/route.h).
 */
#ifndef ASSAY_NET_FAMILY_CALL_H
#define ASSAY_NET_FAMILY_CALL_H

#include "base/arena.h"
#include "base/error.h"
#include "net/fastcgi_records.h"

/* Whoever can open the socket may call as a program: web servers pass this parameter on from
 * nobody. Its value is the name of the program. */
#define FAMILY_CALL_PARAMETER "STACK_PROGRAM"

struct family_call {
    const char *socket;  /* the path of the family's socket */
    const char *path;    /* of the route */
    const char *program; /* who calls, for the log of the family */
    size_t answer_max;   /* bytes of the answer, with its head */
    double seconds;      /* for the whole of it */
};

/* ERROR_UNAVAILABLE when the family does not run or does not answer in time, ERROR_TOO_LARGE. The
 * answer is the arena's. */
MUST_CHECK enum error family_get(struct arena *arena, const struct family_call *call,
                                 struct fastcgi_answer *answer, struct problem *problem);

#endif
