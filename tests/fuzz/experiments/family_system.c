/* The responder of the family system, its main() under another name. */
#include "family.h"

int family_system_main(int argc, char **argv);
#define main family_system_main
#include "experiments-system/main.c"
#undef main

const struct http_family *const family_system = &family;
