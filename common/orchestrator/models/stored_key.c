/* Encryption of providers' keys. */
#include "orchestrator/models/stored_key.h"

#include "crypto/digest.h"
#include "crypto/seal.h"

#include <string.h>

enum { ENDING = 4, SHOWN_FROM = 16, SECRET_ID = 12 /* characters */ };

static const char purpose[] = "assay orchestrator model keys";
static const char id_purpose[] = "assay orchestrator secret id";

static const char *id_of(struct arena *arena, const char *secret)
{
    char digits[DIGEST_SHA256_TEXT];

    digest_hmac_sha256_hex(secret, strlen(secret), id_purpose, strlen(id_purpose), digits);
    return arena_copy(arena, digits, SECRET_ID);
}

static const char *place_of(struct arena *arena, const char *model_id)
{
    return arena_print(arena, "key of %s", model_id);
}

struct stored_key stored_key_close(struct arena *arena, const char *secret, const char *model_id,
                                   const char *key)
{
    unsigned char bytes[SEAL_KEY_BYTES];
    size_t length = strlen(key);

    seal_key(secret, purpose, bytes);
    return (struct stored_key){
        .sealed = seal_close(arena, bytes, place_of(arena, model_id), key),
        .secret_id = id_of(arena, secret),
        .ending = length < SHOWN_FROM ? "" : arena_copy_string(arena, key + length - ENDING)};
}

const char *stored_key_open(struct arena *arena, const char *secret, const char *model_id,
                            const struct stored_key *stored)
{
    unsigned char bytes[SEAL_KEY_BYTES];

    if (!secret || strcmp(id_of(arena, secret), stored->secret_id) != 0)
        return NULL;
    seal_key(secret, purpose, bytes);
    return seal_open(arena, bytes, place_of(arena, model_id), stored->sealed);
}
