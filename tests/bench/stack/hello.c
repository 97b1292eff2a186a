/* The least that a responder can do: libfcgi alone reads the request and its body and says hello.
 * It takes the place of every family of a stack, so that what is left of the time is nginx and
 * libfcgi. */
#include <fcgiapp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char answer[] = "Content-Type: text/plain\r\nContent-Length: 6\r\n\r\nhello\n";

/* nginx/stack asks for settings and for the API description before it starts anything. */
static int answer_option(const char *option)
{
    if (strcmp(option, "--describe") == 0)
        puts("{\"openapi\":\"3.1.0\",\"paths\":{}}");
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    static char body[65536];
    FCGX_Request request;

    if (argc > 1)
        return answer_option(argv[1]);
    if (FCGX_Init() != 0 || FCGX_InitRequest(&request, 0, FCGI_FAIL_ACCEPT_ON_INTR) != 0)
        return EXIT_FAILURE;
    while (FCGX_Accept_r(&request) == 0) {
        while (FCGX_GetStr(body, sizeof body, request.in) == (int)sizeof body)
            continue;
        FCGX_PutStr(answer, sizeof answer - 1, request.out);
        FCGX_Finish_r(&request);
    }
    return EXIT_SUCCESS;
}
