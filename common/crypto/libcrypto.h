/* Private to common/crypto: OpenSSL's libcrypto, which is loaded for the first key. What
 * libcrypto calls EVP_DigestVerify is libcrypto.EVP_DigestVerify here. */
#ifndef ASSAY_CRYPTO_LIBCRYPTO_H
#define ASSAY_CRYPTO_LIBCRYPTO_H

#include "base/error.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <stdbool.h>

/* The functions that are used; clang-format would take the list for nested calls. */
/* clang-format off */
#define LIBCRYPTO_FUNCTIONS(X) \
    X(ERR_clear_error) \
    X(EVP_DigestSign) X(EVP_DigestSignInit) X(EVP_DigestVerify) X(EVP_DigestVerifyInit_ex) X(EVP_MD_CTX_free) X(EVP_MD_CTX_new) \
    X(EVP_PKEY_CTX_free) X(EVP_PKEY_CTX_new_from_name) X(EVP_PKEY_CTX_new_from_pkey) \
    X(EVP_PKEY_CTX_set_rsa_padding) X(EVP_PKEY_CTX_set_rsa_pss_saltlen) X(EVP_PKEY_free) \
    X(EVP_PKEY_fromdata) X(EVP_PKEY_fromdata_init) X(EVP_PKEY_get_raw_public_key) \
    X(EVP_PKEY_new_raw_private_key) X(EVP_PKEY_new_raw_public_key) X(EVP_PKEY_public_check)
/* clang-format on */

#define LIBCRYPTO_MEMBER(name) __typeof__(name) *(name);
struct libcrypto {
    LIBCRYPTO_FUNCTIONS(LIBCRYPTO_MEMBER)
};
#undef LIBCRYPTO_MEMBER

extern struct libcrypto libcrypto;

/* False if libcrypto cannot be loaded; `libcrypto` must not be used then. */
MUST_CHECK bool libcrypto_load(void);

#endif
