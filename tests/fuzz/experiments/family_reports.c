/* The responder of the family reports, its main() under another name. */
#include "family.h"

int family_reports_main(int argc, char **argv);
#define main family_reports_main
#include "experiments-reports/main.c"
#undef main

const struct http_family *const family_reports = &family;
