/*
 * HTTP in memory: a request as HTTP writes it goes into a server, and the reply is looked at. Every
 * reply has a legal status below 500 (or 503), a head of clean lines, a body that is JSON where it
 * says so, and none of the secrets that a target names.
 */
#ifndef ASSAY_WIRE_H
#define ASSAY_WIRE_H

#include "http/server.h"

enum { WIRE_VARIABLES_MAX = 64 };

struct wire {
    struct arena *arena; /* of the input; also keeps what is below */
    size_t count;
    const char *names[WIRE_VARIABLES_MAX];
    const char *values[WIRE_VARIABLES_MAX];
    const char *body;
    size_t body_length;
    size_t at;
    const char *const *secrets; /* NULL-terminated, or NULL; none may be in the reply */

    /* The reply. */
    int answers;
    int status;
    const char *head;
    json_t *document; /* NULL when it is no JSON */
};

void wire_start(struct wire *wire, struct arena *arena);

/* A CGI variable; beyond WIRE_VARIABLES_MAX they are dropped. The texts stay the caller's. */
void wire_add(struct wire *wire, const char *name, const char *value);

/* `POST /path?query`, and `Name: value`; both lines are cut up in place. */
void wire_add_request_line(struct wire *wire, char *line);
void wire_add_header_line(struct wire *wire, char *line);

/* The value of a CGI variable, or NULL. */
const char *wire_value(const struct wire *wire, const char *name);

/* Serves the request with all that follows an answer, and checks the reply. */
void wire_serve(struct wire *wire, struct server *server);

#endif
