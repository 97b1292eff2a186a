/* The responder of the family compute, its main() under another name. */
#include "family.h"

int family_compute_main(int argc, char **argv);
#define main family_compute_main
#include "experiments-compute/main.c"
#undef main

const struct http_family *const family_compute = &family;
