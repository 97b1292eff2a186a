/* The responder of the family projects, its main() under another name. */
#include "family.h"

int family_projects_main(int argc, char **argv);
#define main family_projects_main
#include "experiments-projects/main.c"
#undef main

const struct http_family *const family_projects = &family;
