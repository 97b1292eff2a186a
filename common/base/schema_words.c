/* The message of each fault of a document. */
#include "base/schema_words.h"

const char *const schema_fault_words[FAULT__MAX] = {
    [FAULT_MISSING] = "is missing",
    [FAULT_EXTRA] = "is not known",
    [FAULT_STRING_TYPE] = "is not a text",
    [FAULT_LIST_TYPE] = "is not a list",
    [FAULT_INTEGER_TYPE] = "is not an integer",
    [FAULT_NUMBER_TYPE] = "is not a number",
    [FAULT_BOOLEAN_TYPE] = "is not true or false",
    [FAULT_OBJECT_TYPE] = "is not an object",
    [FAULT_DICTIONARY_TYPE] = "is not an object",
    [FAULT_INTEGER_PARSING] = "does not read as an integer",
    [FAULT_NUMBER_PARSING] = "does not read as a finite number",
    [FAULT_BOOLEAN_PARSING] = "does not read as true or false",
    [FAULT_INTEGER_FROM_FRACTION] = "has a fraction",
    [FAULT_MOMENT] = "does not read as a point in time",
    [FAULT_CHOICE] = "is none of the words allowed",
    [FAULT_LOWER_BOUND] = "is too small",
    [FAULT_UPPER_BOUND] = "is too large",
    [FAULT_STRING_TOO_SHORT] = "is too short",
    [FAULT_STRING_TOO_LONG] = "is too long",
    [FAULT_LIST_TOO_SHORT] = "has too few items",
    [FAULT_LIST_TOO_LONG] = "has too many items",
    [FAULT_RULE] = "breaks a rule",
};
