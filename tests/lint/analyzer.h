/*
 * For the static analyzer, included before every file of the suite: problem_set() returns the error
 * that it is given. Its body is in another file, where the analyzer does not look, and so it would
 * take every failure for a possible success.
 */
#ifndef ASSAY_ANALYZER_H
#define ASSAY_ANALYZER_H

#include "base/error.h"

#define problem_set(problem, error, ...) (problem_set((problem), (error), __VA_ARGS__), (error))

#endif
