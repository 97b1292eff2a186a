/* The responder of the family analysis, its main() under another name. */
#include "family.h"

int family_analysis_main(int argc, char **argv);
#define main family_analysis_main
#include "experiments-analysis/main.c"
#undef main

const struct http_family *const family_analysis = &family;
