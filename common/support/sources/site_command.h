/* The part of the program `ingest` that takes the pages of a documentation site, with a report. */
#ifndef ASSAY_SUPPORT_SOURCES_SITE_COMMAND_H
#define ASSAY_SUPPORT_SOURCES_SITE_COMMAND_H

#include <stdbool.h>

/* Whether the command line names a site. */
bool site_is_meant(int argc, char **argv);

/* Returns the exit code of the program. */
int site_main(int argc, char **argv, const char *help);

#endif
