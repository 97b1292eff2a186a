/* A whole conversation, FastCGI variables to answers, with all responders of the service in one
 * process and a database. The input is one request after the other: a request line, header lines,
 * an empty line and a body, up to a line that holds a form feed. In a path `~` stands for the last
 * id that a reply has told. `As: nobody`, `As: write` and `As: admin` choose the token; without it
 * the one that may do most. */
#include "experiments/family.h"
#include "fuzz.h"
#include "wire.h"

#include <string.h>

enum { INPUT_MEMORY_MAX = 1 << 28, REQUESTS_MAX = 16, ID_MAX = 64 };

static const char *token_for(const struct wire *wire, const char *path)
{
    const char *as = wire_value(wire, "HTTP_AS");

    if (as && strcmp(as, "nobody") == 0)
        return NULL;
    if (as && strcmp(as, "write") == 0)
        return family_write_token;
    if ((as && strcmp(as, "admin") == 0) || strncmp(path, "/api/v1/keys", 12) == 0 ||
        strncmp(path, "/api/v1/admin", 13) == 0)
        return family_admin_token;
    return family_write_token;
}

/* The path with every `~` replaced by the id. */
static const char *fill_path(struct arena *arena, const char *path, const char *id)
{
    struct text filled;

    text_start(&filled, arena, 1 << 20);
    for (; *path; path++) {
        if (*path == '~')
            text_append_string(&filled, id);
        else
            text_append_byte(&filled, *path);
    }
    return filled.bytes;
}

/* Takes the line off the front of the text. */
static char *take_line(char **text, char *end)
{
    char *line = *text;
    char *stop = memchr(line, '\n', (size_t)(end - line));

    *text = stop ? stop + 1 : end;
    *(stop ? stop : end) = '\0';
    return line;
}

/* One request of the input; where the next one begins. */
static char *read_request(struct wire *wire, char *text, char *end)
{
    char *separator = memmem(text, (size_t)(end - text), "\n\f\n", 3);
    char *stop = separator ? separator : end;
    char *line;

    *stop = '\0';
    wire_add_request_line(wire, take_line(&text, stop));
    while (text < stop && *(line = take_line(&text, stop)))
        wire_add_header_line(wire, line);
    wire->body = text;
    wire->body_length = (size_t)(stop - text);
    return separator ? separator + 3 : end;
}

static void converse(struct wire *wire, char id[ID_MAX])
{
    const char *path = fill_path(wire->arena, wire_value(wire, "DOCUMENT_URI"), id);
    const char *token = token_for(wire, path);
    const char *told;

    for (size_t i = 0; i < wire->count; i++)
        if (strcmp(wire->names[i], "DOCUMENT_URI") == 0)
            wire->values[i] = path;
    if (token)
        wire_add(wire, "HTTP_AUTHORIZATION", arena_print(wire->arena, "Bearer %s", token));
    wire_serve(wire, family_of_path(path));
    told = json_string_value(json_object_get(wire->document, "id"));
    if (told)
        snprintf(id, ID_MAX, "%s", told);
}

static bool holds_secret(const uint8_t *data, size_t size)
{
    for (const char *const *secret = family_secrets; *secret; secret++)
        if (size && memmem(data, size, *secret, strlen(*secret)))
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_create(INPUT_MEMORY_MAX);
    char *text = arena_copy(arena, (const char *)data, size);
    char *end = text + size;
    char id[ID_MAX] = "nothing";
    bool changed = false;

    for (int requests = 0; requests < REQUESTS_MAX && (text < end || !requests); requests++) {
        struct wire wire;
        const char *method;

        wire_start(&wire, arena);
        if (!holds_secret(data, size)) /* what a client sends it may get back */
            wire.secrets = family_secrets;
        text = read_request(&wire, text, end);
        method = wire_value(&wire, "REQUEST_METHOD");
        changed = changed || strcmp(method, "GET") != 0;
        converse(&wire, id);
    }
    if (changed)
        family_forget();
    arena_destroy(arena);
    return 0;
}
