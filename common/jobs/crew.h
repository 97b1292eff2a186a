/*
 * Processes side by side for a program that stays: one per place, each replaced when it dies, all
 * of them gone when the program is told to stop or dies itself.
 */
#ifndef ASSAY_JOBS_CREW_H
#define ASSAY_JOBS_CREW_H

#include <stddef.h>

enum { CREW_PLACES_MAX = 66 };

/* What the process in a place does until it is told to stop; its exit code. */
typedef int crew_place(void *context, size_t place);

/* Keeps `count` places manned until the program is told to stop, and waits for the end of all. */
void crew_keep(crew_place *const *places, size_t count, void *context);

#endif
