/* The command line of `ingest` for folders and files: importing them once, or following a folder.
 */
#ifndef ASSAY_SUPPORT_SOURCES_COMMAND_H
#define ASSAY_SUPPORT_SOURCES_COMMAND_H

#include <stdbool.h>

/* Whether the command line names files, a folder or an option of this part. */
bool sources_are_meant(int argc, char **argv);

/* The exit code: 0 done, 1 failed, 2 the command line is wrong, 3 files were refused. */
int sources_main(int argc, char **argv, const char *help);

#endif
