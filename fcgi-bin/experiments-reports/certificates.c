/* The certificate of an experiment's verdict, and the key that checks it. */
#include "experiments-reports/certificates.h"

#include "crypto/base64url.h"
#include "experiments-reports/results.h"
#include "experiments/certificates/certificate.h"
#include "experiments/certificates/signing_key.h"
#include "experiments/service.h"

struct certificate_key {
    const char *algorithm;
    const char *public_key;
    const char *fingerprint;
    const char *created_at;
};

#define OWNER struct certificate_key
static const struct field key_fields[] = {
    STRING(OWNER, algorithm, .help = "Ed25519 (RFC 8032)."),
    STRING(OWNER, public_key, .help = "32 bytes as base64url without padding."),
    STRING(OWNER, fingerprint, .help = "SHA-256 of these bytes, hexadecimal; in each certificate."),
    STRING(OWNER, created_at),
};
#undef OWNER
SCHEMA(certificate_key_schema, struct certificate_key, "CertificateKey", key_fields,
       .help = "The public key that checks the certificates of this installation.");

enum error certificate_handle(struct request *request, struct reply *reply)
{
    const struct live_results_call results = {.locale = request->locale,
                                              .arena = request->arena,
                                              .mixture_users =
                                                  service_settings(request)->live_mixture_users};
    struct signed_certificate *answer = ARENA_NEW(request->arena, struct signed_certificate);
    struct live_call call;
    enum error error = result_begin(request, &call);

    if (!error)
        error = certificate_issue(&call, &results, request->arguments[0], answer);
    reply->object = answer;
    return error;
}

enum error certificate_key_handle(struct request *request, struct reply *reply)
{
    struct certificate_key *answer = ARENA_NEW(request->arena, struct certificate_key);
    struct signing_key *key = ARENA_NEW(request->arena, struct signing_key);
    struct live_call call;
    enum error error = result_begin(request, &call);

    if (!error)
        error = signing_key_load(&call, key);
    if (error)
        return error;
    *answer = (struct certificate_key){
        "Ed25519", base64url_write(request->arena, key->public_key, sizeof key->public_key),
        key->fingerprint, key->created_at};
    reply->object = answer;
    return ERROR_NONE;
}
