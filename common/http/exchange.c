/* The functions of a transport, over a request of FastCGI. */
#include "http/fastcgi.h"
#include "http/http_internal.h"

static const char *variable(void *transport, const char *name)
{
    return fastcgi_variable(transport, name);
}

static long read_body(void *transport, char *bytes, size_t size)
{
    return fastcgi_read(transport, bytes, size);
}

static bool write_answer(void *transport, const char *head, size_t head_length, const char *body,
                         size_t body_length)
{
    return fastcgi_answer(transport, head, head_length, body, body_length);
}

static bool append_bytes(void *transport, const char *bytes, size_t length)
{
    return fastcgi_append(transport, bytes, length);
}

static bool end_answer(void *transport)
{
    return fastcgi_end(transport);
}

static bool is_gone(void *transport)
{
    return fastcgi_gone(transport);
}

static int descriptor(void *transport)
{
    return ((const struct fastcgi *)transport)->connection;
}

struct exchange exchange_over(struct fastcgi *request)
{
    return (struct exchange){.transport = request,
                             .variable = variable,
                             .read = read_body,
                             .write = write_answer,
                             .append = append_bytes,
                             .end = end_answer,
                             .gone = is_gone,
                             .descriptor = descriptor};
}
