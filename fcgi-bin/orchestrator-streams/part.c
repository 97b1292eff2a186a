/* Parts of messages, out of JSON. */
#include "orchestrator-streams/part.h"

#include "orchestrator-streams/parameters.h"

#include <string.h>

bool part_set_url(struct arena *arena, const char *url, struct llm_part *part)
{
    const char *mark;

    if (!url || !*url)
        return false;
    if (strncmp(url, "data:", 5) != 0) {
        part->url = url;
        return strncmp(url, "https://", 8) == 0 || strncmp(url, "http://", 7) == 0;
    }
    mark = strstr(url, ";base64,");
    if (!mark || mark == url + 5)
        return false;
    part->media_type = arena_copy(arena, url + 5, (size_t)(mark - url - 5));
    part->data = mark + 8;
    return *part->data != '\0';
}

static bool read_text(const json_t *json, struct llm_part *part)
{
    static const char *const members[] = {"type", "text", "annotations", "logprobs", NULL};

    part->text = json_string_value(json_object_get(json, "text"));
    return part->text && !first_beyond(json, members);
}

/* The URL is a member of an object in chats, and a text in responses. */
static bool read_image(struct arena *arena, const json_t *json, struct llm_part *part)
{
    static const char *const outer[] = {"type", "image_url", "detail", NULL};
    static const char *const inner[] = {"url", "detail", NULL};
    static const char *const address[] = {"url", "type", "image_url", NULL};
    const json_t *image = json_object_get(json, "image_url");
    const json_t *url = json_is_object(image) ? json_object_get(image, "url") : image;

    part->kind = LLM_PART_IMAGE;
    part->more = members_beyond(arena, json_is_object(image) ? image : json, address);
    return !first_beyond(json, outer) && (!json_is_object(image) || !first_beyond(image, inner)) &&
           part_set_url(arena, json_string_value(url), part);
}

/* Data as a URL, or as base64 alone: then it is a PDF, which is what OpenAI takes. */
static bool read_file(struct arena *arena, const json_t *json, struct llm_part *part)
{
    static const char *const members[] = {"type",     "file",     "file_data",
                                          "filename", "file_url", NULL};
    static const char *const inner[] = {"file_data", "filename", NULL};
    const json_t *file = json_object_get(json, "file");
    const char *data = json_string_value(json_object_get(file ? file : json, "file_data"));
    const char *url = json_string_value(json_object_get(json, "file_url"));

    part->kind = LLM_PART_FILE;
    part->name = json_string_value(json_object_get(file ? file : json, "filename"));
    if (first_beyond(json, members) || (file && first_beyond(file, inner)) || !data == !url)
        return false;
    if (url || strncmp(data, "data:", 5) == 0)
        return part_set_url(arena, url ? url : data, part);
    part->media_type = "application/pdf";
    part->data = data;
    return *data != '\0';
}

bool part_read(struct arena *arena, const json_t *json, struct llm_part *part)
{
    static const struct {
        const char *type;
        enum llm_part_kind kind;
    } kinds[] = {{"text", LLM_PART_TEXT},         {"input_text", LLM_PART_TEXT},
                 {"output_text", LLM_PART_TEXT},  {"image_url", LLM_PART_IMAGE},
                 {"input_image", LLM_PART_IMAGE}, {"file", LLM_PART_FILE},
                 {"input_file", LLM_PART_FILE}};
    const char *type = json_string_value(json_object_get(json, "type"));

    *part = (struct llm_part){0};
    for (size_t i = 0; type && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(type, kinds[i].type) != 0)
            continue;
        return kinds[i].kind == LLM_PART_IMAGE  ? read_image(arena, json, part)
               : kinds[i].kind == LLM_PART_FILE ? read_file(arena, json, part)
                                                : read_text(json, part);
    }
    return !type && read_text(json, part);
}
