/* Starting the cryptography kit. Must not know what is signed or compared with it. */
#include "crypto/crypto.h"

#include <sodium.h>

enum error crypto_start(struct problem *problem)
{
    if (sodium_init() < 0)
        return problem_set(problem, ERROR_SYSTEM, "crypto_start",
                           "the system gives no random bytes");
    return ERROR_NONE;
}
