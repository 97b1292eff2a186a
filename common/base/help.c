/* Prints the output of --help and --version; each program provides its help text. */
#include "base/help.h"

#include <stdio.h>
#include <string.h>

/* The Makefile defines it; tools that read this file alone do not. */
#ifndef ASSAY_VERSION
#define ASSAY_VERSION "unknown"
#endif

const char assay_version[] = ASSAY_VERSION;

bool help_given(int argc, char **argv, const char *help)
{
    const char *name = help + strlen("usage: ");

    if (argc != 2)
        return false;
    if (strcmp(argv[1], "--help") == 0)
        fputs(help, stdout);
    else if (strcmp(argv[1], "--version") == 0)
        printf("%.*s (Assay) %s\n", (int)strcspn(name, " \n"), name, assay_version);
    else
        return false;
    return true;
}

void help_print_usage(const char *help)
{
    const char *end = strstr(help, "\n\n");

    fwrite(help, 1, end ? (size_t)(end + 1 - help) : strlen(help), stderr);
}
