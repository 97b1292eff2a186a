/* The responder of the family advice, its main() under another name. */
#include "family.h"

int family_advice_main(int argc, char **argv);
#define main family_advice_main
#include "experiments-advice/main.c"
#undef main

const struct http_family *const family_advice = &family;
