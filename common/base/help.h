/* `--help` and `--version` of every program. */
#ifndef ASSAY_BASE_HELP_H
#define ASSAY_BASE_HELP_H

#include <stdbool.h>

/* The version of the suite, from the file VERSION. Versions in contracts (AB_APP_VERSION,
 * orch_version) are separate. */
extern const char assay_version[];

/*
 * Prints `help` for --help, and the program's name with the version for --version, on standard
 * output. True when the command line was one of them; the program then exits with 0. `help` begins
 * with "usage: NAME ...": one paragraph, an empty line, and the rest. `make man` makes the manual
 * page from it.
 */
bool help_given(int argc, char **argv, const char *help);

/* Prints the usage, which is the first paragraph of `help`, on standard error. */
void help_print_usage(const char *help);

#endif
