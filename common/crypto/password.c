/* Password hashes, on libxcrypt. */
#include "crypto/password.h"
#include "crypto/digest.h"

#include <crypt.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The hash of no password, for the comparison when there is no hash. */
static const char dummy[] = "$2b$10$abcdefghijklmnopqrstuuQ0rbbDgTtYMsVq0pZ6nVq7QhR4r1m9W";

bool password_is_hash(const char *hash)
{
    static const char *const kinds[] = {"$2a$", "$2b$", "$2y$", "$y$"};

    for (size_t i = 0; hash && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strncmp(hash, kinds[i], strlen(kinds[i])) == 0)
            return true;
    return false;
}

enum error password_matches(const char *password, const char *hash, bool *matches,
                            struct problem *problem)
{
    bool known = password_is_hash(hash) && strlen(password) <= PASSWORD_BYTES_MAX;
    const char *against = known ? hash : dummy;
    struct crypt_data *data = calloc(1, sizeof *data);
    const char *made;
    bool memory;

    *matches = false;
    if (!data)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for a password");
    errno = 0;
    made = crypt_r(known ? password : "", against, data);
    memory = errno != ENOMEM; /* yescrypt allocates its own memory */
    *matches = known && made && made[0] == '$' && digest_equal_secret(made, against);
    explicit_bzero(data, sizeof *data);
    free(data);
    return *matches || memory
               ? ERROR_NONE
               : problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for a password");
}

enum error password_hash(struct arena *arena, const char *password, const char **hash,
                         struct problem *problem)
{
    char setting[CRYPT_GENSALT_OUTPUT_SIZE];
    struct crypt_data *data = calloc(1, sizeof *data);
    const char *made = NULL;

    if (data && crypt_gensalt_rn("$y$", 0, NULL, 0, setting, sizeof setting))
        made = crypt_r(password, setting, data);
    *hash = made && made[0] == '$' ? arena_copy_string(arena, made) : NULL;
    if (data)
        explicit_bzero(data, sizeof *data);
    free(data);
    return *hash ? ERROR_NONE
                 : problem_set(problem, ERROR_SYSTEM, "password_not_hashed",
                               "the password could not be hashed");
}
