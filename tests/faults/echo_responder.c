/*
 * A responder that shows what reaches it. The tests of nginx/stack run it under the names of real
 * responders, because only a program behind the socket can tell which parameters nginx passes, take
 * its time, or die while it answers. It knows nothing of the product.
 *
 * Below /health and /api/: ?param=NAME and ?env=NAME print a value, ?slow=MS takes that long,
 * ?die ends the process in mid-request, ?events=MS sends three events with pauses of that length.
 * Other paths get a 404.
 */
#include <fcgiapp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BODY_CAP = 1048576, ANSWER_MAX = 4096 };

/* The value of a query such as ?param=HTTP_HOST, or NULL. Several in one query are not needed. */
static const char *query_value(const char *query, const char *name)
{
    size_t length = strlen(name);
    return strncmp(query, name, length) == 0 && query[length] == '=' ? query + length + 1 : NULL;
}

static long read_body(FCGX_Request *request)
{
    char buffer[8192];
    long total = 0;
    int got;
    while ((got = FCGX_GetStr(buffer, sizeof buffer, request->in)) > 0)
        total += got;
    return total;
}

static void answer(FCGX_Request *request, int status, const char *body)
{
    FCGX_FPrintF(request->out,
                 "Status: %d\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"
                 "X-Content-Type-Options: nosniff\r\nX-Request-ID: %s\r\n\r\n",
                 status, (int)strlen(body), FCGX_GetParam("HTTP_X_REQUEST_ID", request->envp));
    FCGX_PutS(body, request->out);
}

static void answer_events(FCGX_Request *request, unsigned long pause)
{
    char event[1024];

    FCGX_PutS("Content-Type: text/event-stream\r\n\r\n", request->out);
    for (int i = 1; i <= 3; i++) {
        snprintf(event, sizeof event, "data: %0800d\n\n", i);
        FCGX_PutS(event, request->out);
        FCGX_FFlush(request->out);
        usleep((useconds_t)pause * 1000);
    }
}

static void serve(FCGX_Request *request)
{
    const char *path = FCGX_GetParam("DOCUMENT_URI", request->envp);
    const char *query = FCGX_GetParam("QUERY_STRING", request->envp);
    const char *shown = NULL, *name;
    char body[ANSWER_MAX];
    long length = read_body(request);

    if (path == NULL || query == NULL)
        abort();
    if ((name = query_value(query, "slow")) != NULL)
        usleep((useconds_t)strtoul(name, NULL, 10) * 1000);
    if ((name = query_value(query, "events")) != NULL) {
        answer_events(request, strtoul(name, NULL, 10));
        return;
    }
    if (strcmp(query, "die") == 0)
        raise(SIGKILL);
    if ((name = query_value(query, "param")) != NULL)
        shown = FCGX_GetParam(name, request->envp);
    else if ((name = query_value(query, "env")) != NULL)
        shown = getenv(name);

    int status = 200;
    if (length > BODY_CAP)
        status = 413;
    else if (strncmp(path, "/api/", 5) != 0 && strcmp(path, "/health") != 0)
        status = 404;
    snprintf(body, sizeof body,
             "{\"status_code\":%d,\"path\":\"%s\",\"pid\":%d,\"length\":%ld,\"value\":%s%s%s}",
             status, path, (int)getpid(), length, shown != NULL ? "\"" : "",
             shown != NULL ? shown : "null", shown != NULL ? "\"" : "");
    answer(request, status, body);
}

static int describe(const char *program)
{
    const char *family = strrchr(program, '/');
    family = family != NULL ? family + 1 : program;
    printf("{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"echo\",\"version\":\"1\"},"
           "\"tags\":[{\"name\":\"all\"}],"
           "\"paths\":{\"/api/%s\":{\"get\":{}}},"
           "\"components\":{\"schemas\":{\"%s\":{\"type\":\"object\"}}}}\n",
           family, family);
    return 0;
}

static int check_config(void)
{
    const char *level = getenv("AB_LOG_LEVEL"), *origins = getenv("AB_CORS_ORIGINS");
    if (origins != NULL)
        printf("AB_CORS_ORIGINS=%s\n", origins);
    if (level == NULL || strcmp(level, "LOUD") != 0)
        return 0;
    fprintf(stderr, "AB_LOG_LEVEL must be one of DEBUG, INFO, WARNING, ERROR\n");
    return 1;
}

/* The names by which the launcher knows settings of the service in its own environment. */
static int describe_settings(void)
{
    puts("| setting | default | |\n|---|---|---|\n| `AB_API_TOKEN` | | |\n| `AB_LOG_LEVEL` | | |\n"
         "| `AB_HOST` | | |\n| `AB_PORT` | | |\n| `AB_ENV` | | |\n| `AB_FRONTEND_DIST_PATH` | | |\n"
         "| `AB_SERVE_FRONTEND_DIST` | | |\n| `AB_MAX_REQUEST_BODY_BYTES` | | |\n"
         "| `AB_TRUSTED_PROXY_HOPS` | | |\n| `AB_CORS_ORIGINS` | | |\n| `UNPREFIXED` | | |");
    return 0;
}

int main(int count, char **arguments)
{
    if (count > 1 && strcmp(arguments[1], "--describe") == 0)
        return describe(arguments[0]);
    if (count > 1 && strcmp(arguments[1], "--check-config") == 0)
        return check_config();
    if (count > 1 && strcmp(arguments[1], "--describe-settings") == 0)
        return describe_settings();

    FCGX_Request request;
    FCGX_Init();
    FCGX_InitRequest(&request, 0, 0);
    while (FCGX_Accept_r(&request) == 0) {
        serve(&request);
        FCGX_Finish_r(&request);
    }
    return 0;
}
