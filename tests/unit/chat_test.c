/* Proofs of the chat platform, and where its messages may go. */
#include "experiments/chat/platform.h"
#include "experiments/chat/signature.h"
#include "test.h"

#include <string.h>

static const char body[] = "token=ignored&team_id=T123&text=projects";

/* The signature is `printf 'v0:1700000000:%s' BODY | openssl dgst -sha256 -hmac signing-secret`. */
TEST(a_signature_holds_for_its_body_and_its_time)
{
    const struct chat_call call = {
        "1700000000", "v0=a9489c4ae6616f1585c7c0a1a02f6a0a02e1b8a2f90a984b91ca89cb01f48207", body,
        sizeof body - 1};
    struct chat_call other = call;

    CHECK(chat_is_signed(&call, "signing-secret", 1700000020, 300));
    CHECK(chat_is_signed(&call, "signing-secret", 1700000300, 300));
    CHECK(chat_is_signed(&call, "signing-secret", 1699999700, 300));
    CHECK(!chat_is_signed(&call, "signing-secret", 1700000301, 300));
    CHECK(!chat_is_signed(&call, "signing-secret", 1700000601, 300));
    CHECK(!chat_is_signed(&call, "signing-secreT", 1700000020, 300));
    other.length--;
    CHECK(!chat_is_signed(&other, "signing-secret", 1700000020, 300));
    other = call;
    other.timestamp = "-1";
    CHECK(!chat_is_signed(&other, "signing-secret", 10, 300));
    other.timestamp = "9223372036854775807";
    CHECK(!chat_is_signed(&other, "signing-secret", 1700000020, 300));
}

/* `printf n0nce | openssl dgst -sha256 -hmac client-secret -binary | basenc --base64url`. */
TEST(a_state_is_bound_to_a_browser_and_a_time)
{
    struct arena *arena = arena_create(1 << 20);
    const char *state;

    CHECK_TEXT(chat_state_signature(arena, "client-secret", "n0nce"),
               "iBF6bzWLRHIt_vQKEk1dQzBdfeNjblnHWEBhmr7hPR8");
    state = chat_state_make(arena, "client-secret", "n0nce", 1700000000, "cookie");
    CHECK_TEXT(chat_state_nonce(arena, "client-secret", state, "cookie", 1700000600, 600), "n0nce");
    CHECK(!chat_state_nonce(arena, "client-secret", state, "cookie", 1700000601, 600));
    CHECK(!chat_state_nonce(arena, "client-secret", state, "another", 1700000000, 600));
    CHECK(!chat_state_nonce(arena, "client-secret", state, "", 1700000000, 600));
    CHECK(!chat_state_nonce(arena, "another", state, "cookie", 1700000000, 600));
    CHECK(!chat_state_nonce(arena, "client-secret",
                            "n0nce.iBF6bzWLRHIt_vQKEk1dQzBdfeNjblnHWEBhmr7hPR8", "cookie",
                            1700000000, 600));
    for (size_t i = 0; state[i]; i++) {
        char *changed = arena_copy_string(arena, state);

        changed[i] = changed[i] == 'x' ? 'y' : 'x';
        CHECK(!chat_state_nonce(arena, "client-secret", changed, "cookie", 1700000000, 600));
    }
    arena_destroy(arena);
}

TEST(messages_go_to_hosts_of_the_platform)
{
    static const char *const listed[] = {"Answers.chat.example"};
    static const struct {
        const char *url;
        bool by_base, by_list;
    } cases[] = {
        {"https://chat.example/r/1", true, false},
        {"https://hooks.chat.example/r/1", true, false},
        {"https://HOOKS.chat.example:8443/r/1", true, false},
        {"https://answers.chat.example/r", true, true},
        {"http://chat.example/r/1", false, false},
        {"https://notchat.example/r/1", false, false},
        {"https://chat.example.org/r/1", false, false},
        {"https://chat.example@127.0.0.1/r", false, false},
        {"https://127.0.0.1/r?chat.example", false, false},
        {"", false, false},
    };
    struct experiments_settings settings = {.chatapp_base_url = "https://chat.example/"};
    struct problem problem;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        settings.chatapp_response_hosts = (struct string_list){0};
        CHECK(!platform_check_response_url(&settings, cases[i].url, &problem) == cases[i].by_base);
        settings.chatapp_response_hosts = (struct string_list){1, (const char **)listed};
        CHECK(!platform_check_response_url(&settings, cases[i].url, &problem) == cases[i].by_list);
    }
}

TEST_MAIN(CASE(a_signature_holds_for_its_body_and_its_time),
          CASE(a_state_is_bound_to_a_browser_and_a_time),
          CASE(messages_go_to_hosts_of_the_platform))
