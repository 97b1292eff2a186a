/* Ed25519 through the functions of libcrypto that sign a whole message at once. */
#include "crypto/ed25519.h"

#include "crypto/libcrypto.h"

static enum error fail(struct problem *problem)
{
    libcrypto.ERR_clear_error();
    return problem_set(problem, ERROR_SYSTEM, "signing_failed", "libcrypto cannot sign");
}

static enum error private_key(const unsigned char seed[ED25519_KEY_BYTES], EVP_PKEY **key,
                              struct problem *problem)
{
    *key = NULL;
    if (!libcrypto_load())
        return problem_set(problem, ERROR_SYSTEM, "libcrypto_missing",
                           "libcrypto.so.3 cannot be loaded");
    *key = libcrypto.EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, ED25519_KEY_BYTES);
    return *key ? ERROR_NONE : fail(problem);
}

enum error ed25519_public_key(const unsigned char seed[ED25519_KEY_BYTES],
                              unsigned char public_key[ED25519_KEY_BYTES], struct problem *problem)
{
    size_t size = ED25519_KEY_BYTES;
    EVP_PKEY *key;
    enum error error = private_key(seed, &key, problem);

    if (error)
        return error;
    if (libcrypto.EVP_PKEY_get_raw_public_key(key, public_key, &size) != 1)
        error = fail(problem);
    libcrypto.EVP_PKEY_free(key);
    return error;
}

enum error ed25519_sign(const unsigned char seed[ED25519_KEY_BYTES], const void *message,
                        size_t length, unsigned char signature[ED25519_SIGNATURE_BYTES],
                        struct problem *problem)
{
    size_t size = ED25519_SIGNATURE_BYTES;
    EVP_MD_CTX *context;
    EVP_PKEY *key;
    enum error error = private_key(seed, &key, problem);

    if (error)
        return error;
    context = libcrypto.EVP_MD_CTX_new();
    if (!context || libcrypto.EVP_DigestSignInit(context, NULL, NULL, NULL, key) != 1 ||
        libcrypto.EVP_DigestSign(context, signature, &size, message, length) != 1)
        error = fail(problem);
    libcrypto.EVP_MD_CTX_free(context);
    libcrypto.EVP_PKEY_free(key);
    return error;
}

bool ed25519_verify(const unsigned char public_key[ED25519_KEY_BYTES],
                    const unsigned char signature[ED25519_SIGNATURE_BYTES], const void *message,
                    size_t length)
{
    EVP_MD_CTX *context;
    EVP_PKEY *key;
    bool good;

    if (!libcrypto_load())
        return false;
    key = libcrypto.EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, public_key,
                                                ED25519_KEY_BYTES);
    context = libcrypto.EVP_MD_CTX_new();
    good = key && context &&
           libcrypto.EVP_DigestVerifyInit_ex(context, NULL, NULL, NULL, NULL, key, NULL) == 1 &&
           libcrypto.EVP_DigestVerify(context, signature, ED25519_SIGNATURE_BYTES, message,
                                      length) == 1;
    libcrypto.EVP_MD_CTX_free(context);
    libcrypto.EVP_PKEY_free(key);
    libcrypto.ERR_clear_error();
    return good;
}
