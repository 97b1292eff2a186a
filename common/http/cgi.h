/*
 * Private to common/http: one request as a plain CGI program (RFC 3875). Variables come from the
 * environment, the body from standard input, and the answer goes to standard output. For hosts that
 * allow no long-running process; everywhere else FastCGI is many times faster.
 */
#ifndef ASSAY_HTTP_CGI_H
#define ASSAY_HTTP_CGI_H

#include "http/server.h"

/* Whether a web server has started this process to answer one request. */
bool cgi_is_request(void);

/* Serves that request. The server is started and ready. */
void cgi_serve(struct server *server);

#endif
