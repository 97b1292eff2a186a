/* Public keys and signatures, on OpenSSL's libcrypto. */
#include "crypto/public_key.h"

#include "crypto/base64url.h"
#include "crypto/jwt.h"
#include "crypto/libcrypto.h"

#include <string.h>

enum {
    P256_BYTES = 32,
    P256_POINT_BYTES = 1 + 2 * P256_BYTES,
    RSA_EXPONENT_BYTES_MAX = 4,
    /* SEQUENCE of two INTEGERs, each with a sign byte at most. */
    DER_SIGNATURE_MAX = 2 + 2 * (2 + 1 + P256_BYTES)
};

const char *const signature_algorithm_names[SIGNATURE__MAX] = {"RS256", "PS256", "ES256"};

static const char *const key_types[SIGNATURE__MAX] = {"RSA", "RSA", "EC"};

enum signature_algorithm signature_algorithm_of(const char *name)
{
    enum signature_algorithm algorithm = 0;

    while (algorithm < SIGNATURE__MAX &&
           (!name || strcmp(name, signature_algorithm_names[algorithm]) != 0))
        algorithm++;
    return algorithm;
}

/* Whether a member is absent, or that text. */
static bool agrees(const json_t *key, const char *member, const char *text)
{
    const char *value = jwt_text(key, member);

    return !json_object_get(key, member) || (value && strcmp(value, text) == 0);
}

static bool is_text(const json_t *key, const char *member, const char *text)
{
    return json_object_get(key, member) && agrees(key, member, text);
}

bool public_key_fits(const json_t *key, enum signature_algorithm algorithm)
{
    return is_text(key, "kty", key_types[algorithm]) && agrees(key, "use", "sig") &&
           agrees(key, "alg", signature_algorithm_names[algorithm]) &&
           (algorithm != SIGNATURE_ES256 || is_text(key, "crv", "P-256"));
}

static unsigned char *read_member(struct arena *arena, const json_t *key, const char *member,
                                  size_t *size)
{
    const char *text = jwt_text(key, member);

    return text ? base64url_read(arena, text, strlen(text), size) : NULL;
}

/* A positive number as libcrypto takes it: in the byte order of the machine, which is little endian
 * wherever we run. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are passed little endian");

static unsigned char *read_number(struct arena *arena, const json_t *key, const char *member,
                                  size_t *size)
{
    unsigned char *bytes = read_member(arena, key, member, size);

    while (bytes && *size && !bytes[0]) {
        bytes++;
        --*size;
    }
    for (size_t i = 0; bytes && i < *size / 2; i++) {
        unsigned char byte = bytes[i];

        bytes[i] = bytes[*size - 1 - i];
        bytes[*size - 1 - i] = byte;
    }
    return bytes;
}

static EVP_PKEY *make_key(const char *type, OSSL_PARAM *parameters)
{
    EVP_PKEY_CTX *context = libcrypto.EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    EVP_PKEY *key = NULL;

    if (context && libcrypto.EVP_PKEY_fromdata_init(context) == 1 &&
        libcrypto.EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
        key = NULL;
    libcrypto.EVP_PKEY_CTX_free(context);
    return key;
}

#define PARAMETER(name, type, bytes, size)                                                         \
    {                                                                                              \
        (name), (type), (bytes), (size), OSSL_PARAM_UNMODIFIED                                     \
    }
#define LAST_PARAMETER                                                                             \
    {                                                                                              \
        NULL, 0, NULL, 0, 0                                                                        \
    }

static EVP_PKEY *make_rsa_key(struct arena *arena, const json_t *key)
{
    size_t modulus_size, exponent_size;
    unsigned char *modulus = read_number(arena, key, "n", &modulus_size);
    unsigned char *exponent = read_number(arena, key, "e", &exponent_size);

    if (!modulus || !exponent || modulus_size * 8 < PUBLIC_KEY_RSA_BITS_MIN ||
        modulus_size * 8 > PUBLIC_KEY_RSA_BITS_MAX || !exponent_size ||
        exponent_size > RSA_EXPONENT_BYTES_MAX)
        return NULL;
    return make_key(
        "RSA",
        (OSSL_PARAM[]){
            PARAMETER(OSSL_PKEY_PARAM_RSA_N, OSSL_PARAM_UNSIGNED_INTEGER, modulus, modulus_size),
            PARAMETER(OSSL_PKEY_PARAM_RSA_E, OSSL_PARAM_UNSIGNED_INTEGER, exponent, exponent_size),
            LAST_PARAMETER});
}

static EVP_PKEY *make_p256_key(struct arena *arena, const json_t *key)
{
    static char curve[] = "P-256";
    size_t x_size, y_size;
    const unsigned char *x = read_member(arena, key, "x", &x_size);
    const unsigned char *y = read_member(arena, key, "y", &y_size);
    unsigned char point[P256_POINT_BYTES] = {POINT_CONVERSION_UNCOMPRESSED};

    if (!x || !y || x_size != P256_BYTES || y_size != P256_BYTES)
        return NULL;
    memcpy(point + 1, x, P256_BYTES);
    memcpy(point + 1 + P256_BYTES, y, P256_BYTES);
    return make_key("EC", (OSSL_PARAM[]){PARAMETER(OSSL_PKEY_PARAM_GROUP_NAME,
                                                   OSSL_PARAM_UTF8_STRING, curve, sizeof curve - 1),
                                         PARAMETER(OSSL_PKEY_PARAM_PUB_KEY, OSSL_PARAM_OCTET_STRING,
                                                   point, sizeof point),
                                         LAST_PARAMETER});
}

/* Whether the key is one at all: the point on its curve, the modulus odd. */
static bool is_valid(EVP_PKEY *key)
{
    EVP_PKEY_CTX *context = key ? libcrypto.EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL) : NULL;
    bool valid = context && libcrypto.EVP_PKEY_public_check(context) == 1;

    libcrypto.EVP_PKEY_CTX_free(context);
    return valid;
}

/* An INTEGER of ASN.1's DER: no leading zeros, but one before a set highest bit. */
static size_t write_integer(unsigned char *der, const unsigned char *number)
{
    size_t skipped = 0, size, sign;

    while (skipped < P256_BYTES - 1 && !number[skipped])
        skipped++;
    size = P256_BYTES - skipped;
    sign = number[skipped] & 0x80 ? 1 : 0;
    der[0] = 2;
    der[1] = (unsigned char)(size + sign);
    der[2] = 0;
    memcpy(der + 2 + sign, number + skipped, size);
    return 2 + sign + size;
}

static size_t write_der_signature(unsigned char der[DER_SIGNATURE_MAX], const unsigned char *pair)
{
    size_t length = 2;

    length += write_integer(der + length, pair);
    length += write_integer(der + length, pair + P256_BYTES);
    der[0] = 0x30;
    der[1] = (unsigned char)(length - 2);
    return length;
}

static bool check_signature(EVP_PKEY *key, const struct signature *signature, const void *message,
                            size_t length)
{
    EVP_MD_CTX *context = libcrypto.EVP_MD_CTX_new();
    EVP_PKEY_CTX *padding;
    bool good = context && libcrypto.EVP_DigestVerifyInit_ex(context, &padding, "SHA256", NULL,
                                                             NULL, key, NULL) == 1;

    if (good && signature->algorithm == SIGNATURE_PS256)
        good = libcrypto.EVP_PKEY_CTX_set_rsa_padding(padding, RSA_PKCS1_PSS_PADDING) == 1 &&
               libcrypto.EVP_PKEY_CTX_set_rsa_pss_saltlen(padding, RSA_PSS_SALTLEN_DIGEST) == 1;
    good = good && libcrypto.EVP_DigestVerify(context, signature->bytes, signature->size, message,
                                              length) == 1;
    libcrypto.EVP_MD_CTX_free(context);
    return good;
}

static bool verify(struct arena *arena, const json_t *jwk, struct signature signature,
                   const void *message, size_t length)
{
    bool is_p256 = signature.algorithm == SIGNATURE_ES256;
    unsigned char der[DER_SIGNATURE_MAX];
    EVP_PKEY *key;
    bool good;

    if (is_p256) {
        if (signature.size != 2 * P256_BYTES)
            return false;
        signature.size = write_der_signature(der, signature.bytes);
        signature.bytes = der;
    }
    key = is_p256 ? make_p256_key(arena, jwk) : make_rsa_key(arena, jwk);
    good = is_valid(key) && check_signature(key, &signature, message, length);
    libcrypto.EVP_PKEY_free(key);
    libcrypto.ERR_clear_error();
    return good;
}

enum error public_key_verify(struct arena *arena, const json_t *key,
                             const struct signature *signature, const void *message, size_t length,
                             struct problem *problem)
{
    if (!libcrypto_load())
        return problem_set(problem, ERROR_SYSTEM, "libcrypto_missing",
                           "libcrypto.so.3 cannot be loaded");
    if (public_key_fits(key, signature->algorithm) &&
        verify(arena, key, *signature, message, length))
        return ERROR_NONE;
    return problem_set(problem, ERROR_FORBIDDEN, "signature_refused", "The signature is not valid");
}
