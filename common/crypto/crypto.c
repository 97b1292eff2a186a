/* Starts the cryptography library. Must not depend on the data that is signed or compared. */
#include "crypto/crypto.h"

#include <sodium.h>

enum error crypto_start(struct problem *problem)
{
    if (sodium_init() < 0)
        return problem_set(problem, ERROR_SYSTEM, "crypto_start",
                           "the system gives no random bytes");
    return ERROR_NONE;
}
