/* Rules for the texts of the provider's pages. Does not depend on the browser. */
#include "orchestrator/browser/site.h"

#include "base/schema.h"
#include "base/string_list.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { FILE_MAX = 1 << 20, LABEL_MAX = 48, LABEL_WORDS_MAX = 5, WORDS_MAX = 500 };

/* Schema of the whole document, so that an incomplete file is refused before a page is opened. */
struct words {
    const char *composer, *composer_input, *menu_button, *menu_button_not_part, *more_button;
    const char *submit_button, *stop_button, *close_button, *file_input, *attach_button,
        *upsell_plan_phrase, *thinking;
    struct string_list menu_button_not, cookie_buttons, new_thread_buttons, answers;
    struct string_list menu_containers, menu_items, ready_phrases, signed_out_markers;
    struct string_list onboarding_phrases, upsell_phrases, challenge_phrases, known_labels;
    struct string_list noise_lines, noise_prefixes, blocked_labels;
};

#define OWNER struct words
#define WORD(member) STRING(OWNER, member, .required = true, .min_length = 1, .max_length = 300)
#define WORDS(member) STRINGS(OWNER, member, .required = true, .max_length = WORDS_MAX)
static const struct field word_fields[] = {
    WORD(composer),
    WORD(composer_input),
    WORD(menu_button),
    WORDS(menu_button_not),
    WORD(menu_button_not_part),
    WORD(more_button),
    WORD(submit_button),
    WORD(stop_button),
    WORD(close_button),
    WORD(file_input),
    WORD(attach_button),
    WORDS(cookie_buttons),
    WORDS(new_thread_buttons),
    WORDS(answers),
    WORDS(menu_containers),
    WORDS(menu_items),
    WORDS(ready_phrases),
    WORDS(signed_out_markers),
    WORDS(onboarding_phrases),
    WORDS(upsell_phrases),
    WORD(upsell_plan_phrase),
    WORDS(challenge_phrases),
    WORD(thinking),
    WORDS(known_labels),
    WORDS(noise_lines),
    WORDS(noise_prefixes),
    WORDS(blocked_labels),
};
#undef OWNER
static SCHEMA(words_schema, struct words, "WebProvider", word_fields);

static enum error read_text(struct arena *arena, const char *path, const char **text,
                            struct problem *problem)
{
    char *bytes = arena_alloc(arena, FILE_MAX + 1); /* before anything is open */
    FILE *file = fopen(path, "re");
    size_t length;

    if (!file)
        return problem_set(problem, ERROR_NOT_FOUND, "site_file", "%s: %s", path, strerror(errno));
    length = fread(bytes, 1, FILE_MAX, file);
    fclose(file);
    if (!length || length == FILE_MAX)
        return problem_set(problem, ERROR_MALFORMED, "site_file", "%s: empty or too long", path);
    bytes[length] = 0;
    *text = bytes;
    return ERROR_NONE;
}

enum error site_load(struct arena *arena, const char *directory, struct site *site,
                     struct problem *problem)
{
    const char *path = arena_print(arena, "%s/web-provider.json", directory);
    struct words *words = ARENA_NEW(arena, struct words);
    struct schema_errors errors = {.arena = arena};
    json_t *document;
    enum error error = read_text(arena, path, &site->json, problem);

    if (!error)
        error = json_read_file(arena, path, &document, problem);
    if (error)
        return error;
    if (schema_decode(&words_schema, document, "site", words, &errors, arena)) {
        const struct schema_path *at = errors.items[0].path;

        return problem_set(problem, ERROR_INVALID, "site_file", "%s: %s is wrong or missing", path,
                           at && at->key ? at->key : "the document");
    }
    site->known_labels = words->known_labels;
    site->noise_lines = words->noise_lines;
    site->noise_prefixes = words->noise_prefixes;
    site->blocked_labels = words->blocked_labels;
    site->thinking = words->thinking;
    return read_text(arena, arena_print(arena, "%s/web-provider.js", directory), &site->script,
                     problem);
}

static bool is_label_of(const struct site *site, const char *line)
{
    for (size_t i = 0; i < site->known_labels.count; i++) {
        const char *label = site->known_labels.items[i];
        size_t length = strlen(label);

        if (strncmp(line, label, length) == 0 &&
            (!line[length] ||
             (line[length] == ' ' && strcmp(line + length + 1, site->thinking) == 0)))
            return true;
    }
    return false;
}

bool site_is_noise(const struct site *site, const char *line)
{
    if (string_list_has(&site->noise_lines, line) || is_label_of(site, line))
        return true;
    for (size_t i = 0; i < site->noise_prefixes.count; i++)
        if (strncmp(line, site->noise_prefixes.items[i], strlen(site->noise_prefixes.items[i])) ==
            0)
            return true;
    return false;
}

const char *site_behind(const char *text, const char *prompt)
{
    const char *behind = NULL;

    for (const char *at = *prompt ? strstr(text, prompt) : NULL; at; at = strstr(at + 1, prompt))
        behind = at + strlen(prompt);
    return behind;
}

/* After the first occurrence of the prompt on lines of its own. */
static const char *skip_prompt(const char *text, const char *prompt)
{
    size_t length = strlen(prompt);

    for (const char *at = length ? strstr(text, prompt) : NULL; at; at = strstr(at + 1, prompt))
        if ((at == text || at[-1] == '\n') && (!at[length] || at[length] == '\n'))
            return at + length;
    return text;
}

const char *site_clean(struct arena *arena, const struct site *site, const char *text,
                       const char *prompt)
{
    struct text clean;

    text = skip_prompt(text, text_trimmed(arena, prompt, strlen(prompt)));
    text_start(&clean, arena, strlen(text) + 1);
    while (*text) {
        size_t length = strcspn(text, "\n");
        const char *line = text_trimmed(arena, text, length);

        if (!site_is_noise(site, line)) {
            text_append(&clean, text, length);
            text_append_byte(&clean, '\n');
        }
        text += length + (text[length] == '\n');
    }
    return text_trimmed(arena, clean.bytes, clean.length);
}

static bool is_model_word(const char *word, size_t length)
{
    static const char *const sizes[] = {"mini",   "pro",   "max",     "small",
                                        "medium", "large", "preview", "flash"};

    if (isupper((unsigned char)word[0]))
        return true;
    for (size_t i = 0; i < length; i++)
        if (isdigit((unsigned char)word[i]))
            return true;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (strlen(sizes[i]) == length && strncmp(word, sizes[i], length) == 0)
            return true;
    return false;
}

bool site_is_label(const struct site *site, const char *line)
{
    size_t words = 0;

    if (!*line || utf8_count(line) > LABEL_MAX)
        return false;
    for (size_t i = 0; i < site->blocked_labels.count; i++)
        if (strcasecmp(site->blocked_labels.items[i], line) == 0)
            return false;
    while (*line) {
        size_t length = strcspn(line, " ");

        if (length && (++words > LABEL_WORDS_MAX || !is_model_word(line, length)))
            return false;
        line += length + (line[length] == ' ');
    }
    return words > 0;
}
