/* The responder of the family operations, its main() under another name. */
#include "family.h"

int family_operations_main(int argc, char **argv);
#define main family_operations_main
#include "experiments-operations/main.c"
#undef main

const struct http_family *const family_operations = &family;
