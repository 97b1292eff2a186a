/* Secrets that are stored sealed can be read where they belong, and nowhere else. */
#include "crypto/crypto.h"
#include "crypto/seal.h"
#include "test.h"

#include <string.h>

TEST(what_was_sealed_is_read_back_where_it_belongs)
{
    static const char *const texts[] = {"", "x", "token-4f1c9ab27d", "übermäßig langer Text …"};
    struct arena *arena = arena_create(1 << 20);
    unsigned char key[SEAL_KEY_BYTES], other[SEAL_KEY_BYTES];
    struct problem problem;

    CHECK_INT(crypto_start(&problem), ERROR_NONE);
    seal_key("secret", "purpose", key);
    seal_key("secret", "another purpose", other);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *sealed = seal_close(arena, key, "a place", texts[i]);

        CHECK_TEXT(seal_open(arena, key, "a place", sealed), texts[i]);
        CHECK(!seal_open(arena, key, "another place", sealed));
        CHECK(!seal_open(arena, other, "a place", sealed));
        CHECK(strcmp(sealed, seal_close(arena, key, "a place", texts[i])) != 0);
        for (size_t at = 0; sealed[at]; at++) {
            char *changed = arena_copy_string(arena, sealed);

            changed[at] = changed[at] == 'A' ? 'B' : 'A';
            CHECK(!seal_open(arena, key, "a place", changed));
            CHECK(!seal_open(arena, key, "a place", arena_copy(arena, sealed, at)));
        }
    }
    CHECK(!seal_open(arena, key, "a place", "no base64url!"));
    arena_destroy(arena);
}

TEST_MAIN(CASE(what_was_sealed_is_read_back_where_it_belongs))
