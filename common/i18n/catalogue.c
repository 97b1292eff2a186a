/* The list of languages and their catalogs: a JSON file becomes one block of memory with a sorted
 * array of (key, text), and the JSON tree is freed. Nothing changes after loading. */
#include "base/json.h"
#include "base/log.h"
#include "i18n/i18n.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    FILE_LIMIT = 1024 * 1024,         /* bytes of a catalog; real ones stay far below */
    SCRATCH_LIMIT = 16 * 1024 * 1024, /* of the text and tree during reading */
    KEY_MAX = 200,                    /* bytes of a dot path */
    TAG_MAX = 3,                      /* of a tag of two letters */
    NAME_MAX_BYTES = 64,              /* of a placeholder name */
    TEXT_LIMIT = 4 * 1024 * 1024,     /* of a rendered entry, which may contain user text */
    PATH_BYTES = 4096
};

struct entry {
    const char *key;
    const char *text;
};

struct locale {
    enum language language;
    bool right_to_left;
    size_t count;
    struct entry *entries; /* sorted by key; the strings follow them in the same block */
};

/* Counts the space for the entries of a tree, and then stores them. */
struct flattening {
    char key[KEY_MAX];
    size_t count;
    size_t bytes;
    struct entry *entries; /* NULL while counting */
    char *strings;
    enum language language;
    struct problem *problem;
};

static const char *catalogue_directory;
static struct arena *scratch; /* kept: Jansson allocates from the last arena */
static char tags[LANGUAGES_MAX][TAG_MAX] = {"en"};
static int tag_count = 1;
static struct locale *loaded[LANGUAGES_MAX];
static bool failed[LANGUAGES_MAX];

int language_count(void)
{
    return tag_count;
}

const char *language_tag(enum language language)
{
    return tags[language];
}

enum language language_find(const char *tag)
{
    for (int i = 0; i < tag_count; i++)
        if (strcmp(tags[i], tag) == 0)
            return (enum language)i;
    return LANGUAGE_NONE;
}

static const char *store(struct flattening *state, const char *string, size_t length)
{
    char *place = state->strings + state->bytes;

    memcpy(place, string, length + 1);
    return place;
}

static void add_entry(struct flattening *state, size_t key_length, const char *text, size_t length)
{
    if (state->entries)
        state->entries[state->count].key = store(state, state->key, key_length);
    state->bytes += key_length + 1;
    if (state->entries)
        state->entries[state->count].text = store(state, text, length);
    state->bytes += length + 1;
    state->count++;
}

static enum error refuse(struct flattening *state, const char *what)
{
    return problem_set(state->problem, ERROR_MALFORMED, "catalogue_malformed", "%s.json: %s: %s",
                       tags[state->language], state->key, what);
}

/* Appends a segment to the key. Returns 0 when it is not valid or does not fit. */
static size_t extend_key(struct flattening *state, size_t length, const char *segment)
{
    size_t segment_length = strlen(segment);
    size_t dot = length ? 1 : 0;

    if (!segment_length || strchr(segment, '.') || length + dot + segment_length >= KEY_MAX)
        return 0;
    if (dot)
        state->key[length] = '.';
    memcpy(state->key + length + dot, segment, segment_length + 1);
    return length + dot + segment_length;
}

/* Sections of a catalog that are not texts of the services. */
static bool is_for_others(const char *section)
{
    return strcmp(section, "language") == 0 || strcmp(section, "pages") == 0;
}

/* Visits an object whose path is the first `length` bytes of the key. */
static enum error flatten(struct flattening *state, json_t *object, size_t length)
{
    const char *segment;
    json_t *value;

    json_object_foreach(object, segment, value)
    {
        size_t key_length = extend_key(state, length, segment);
        enum error error = ERROR_NONE;

        if (!length && is_for_others(segment))
            continue;
        if (!key_length)
            return refuse(state, "a key below this one is empty, too long or has a dot");
        if (json_is_string(value) && json_string_length(value) > 0)
            add_entry(state, key_length, json_string_value(value), json_string_length(value));
        else if (json_is_object(value))
            error = flatten(state, value, key_length);
        else
            error = refuse(state, "neither a text nor an object");
        if (error)
            return error;
        state->key[length] = '\0';
    }
    return ERROR_NONE;
}

static int compare_entries(const void *left, const void *right)
{
    return strcmp(((const struct entry *)left)->key, ((const struct entry *)right)->key);
}

static enum error build_locale(json_t *tree, enum language language, struct locale **locale,
                               struct problem *problem)
{
    struct flattening state = {.language = language, .problem = problem};
    const char *direction;
    bool right_to_left;
    enum error error;
    size_t header;

    if (!json_is_object(tree))
        return refuse(&state, "a catalogue is an object");
    direction = json_string_value(json_object_get(json_object_get(tree, "language"), "direction"));
    right_to_left = direction && strcmp(direction, "rtl") == 0;
    error = flatten(&state, tree, 0);
    if (error)
        return error;
    header = sizeof(struct locale) + state.count * sizeof(struct entry);
    *locale = malloc(header + state.bytes);
    if (!*locale)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for a catalogue");
    **locale = (struct locale){.language = language,
                               .right_to_left = right_to_left,
                               .entries = (struct entry *)(*locale + 1)};
    state = (struct flattening){.language = language,
                                .problem = problem,
                                .entries = (*locale)->entries,
                                .strings = (char *)*locale + header};
    error = flatten(&state, tree, 0);
    (*locale)->count = state.count;
    qsort((*locale)->entries, state.count, sizeof(struct entry), compare_entries);
    return error;
}

static enum error read_catalogue(enum language language, struct problem *problem)
{
    char path[PATH_BYTES];
    json_t *tree;
    struct stat file;
    enum error error;
    int length = snprintf(path, sizeof path, "%s/%s.json", catalogue_directory, tags[language]);

    if (length < 0 || length >= PATH_BYTES)
        return problem_set(problem, ERROR_TOO_LARGE, "path_too_long", "catalogue path too long");
    if (stat(path, &file) == 0 && file.st_size > FILE_LIMIT)
        return problem_set(problem, ERROR_TOO_LARGE, "catalogue_too_large",
                           "%s: %lld bytes are more than a catalogue may have", path,
                           (long long)file.st_size);
    error = json_read_file(scratch, path, &tree, problem);
    if (!error)
        error = build_locale(tree, language, &loaded[language], problem);
    return error;
}

/* Reads a catalog with the scratch arena, which is reset afterwards. */
static enum error load(enum language language, struct problem *problem)
{
    jmp_buf recovery;
    enum error error;

    if (!scratch)
        scratch = arena_create(SCRATCH_LIMIT);
    if (!scratch)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for a catalogue");
    if (setjmp(recovery)) {
        error = problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory to read %s.json",
                            tags[language]);
    } else {
        arena_on_exhausted(scratch, &recovery);
        error = read_catalogue(language, problem);
    }
    arena_on_exhausted(scratch, NULL);
    arena_reset(scratch);
    return error;
}

/* The tag of a file named `xx.json`, except English. */
static bool read_tag(const char *file, char tag[TAG_MAX])
{
    if (strlen(file) != strlen("xx.json") || strcmp(file + 2, ".json") != 0 ||
        strncmp(file, "en", 2) == 0)
        return false;
    tag[0] = file[0];
    tag[1] = file[1];
    tag[2] = '\0';
    return islower((unsigned char)tag[0]) && islower((unsigned char)tag[1]);
}

static int compare_tags(const void *left, const void *right)
{
    return strcmp(left, right);
}

static enum error list_languages(const char *directory, struct problem *problem)
{
    DIR *folder = opendir(directory);
    const struct dirent *file;

    if (!folder)
        return problem_set(problem, ERROR_NOT_FOUND, "no_catalogues", "%s: %s", directory,
                           strerror(errno));
    while ((file = readdir(folder)) != NULL && tag_count < LANGUAGES_MAX)
        tag_count += read_tag(file->d_name, tags[tag_count]);
    closedir(folder);
    qsort(tags + 1, (size_t)tag_count - 1, TAG_MAX, compare_tags);
    return ERROR_NONE;
}

enum error locale_open_catalogues(const char *directory, struct problem *problem)
{
    enum error error;

    locale_close_catalogues();
    catalogue_directory = directory;
    error = list_languages(directory, problem);
    return error ? error : load(LANGUAGE_EN, problem);
}

void locale_close_catalogues(void)
{
    for (int language = 0; language < tag_count; language++) {
        free(loaded[language]);
        loaded[language] = NULL;
        failed[language] = false;
    }
    tag_count = 1;
}

const struct locale *locale_get(enum language language)
{
    struct problem problem;

    if (language == LANGUAGE_NONE)
        return loaded[LANGUAGE_EN];
    if (!loaded[language] && !failed[language] && load(language, &problem)) {
        failed[language] = true;
        log_event(LOG_ERROR, "catalogue_replaced_by_english", problem.text);
    }
    return loaded[language] ? loaded[language] : loaded[LANGUAGE_EN];
}

enum language locale_language(const struct locale *locale)
{
    return locale->language;
}

bool locale_is_right_to_left(const struct locale *locale)
{
    return locale->right_to_left;
}

static const char *find_text(const struct locale *locale, const char *key)
{
    const struct entry wanted = {.key = key};
    const struct entry *entry =
        bsearch(&wanted, locale->entries, locale->count, sizeof(struct entry), compare_entries);

    return entry ? entry->text : NULL;
}

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Reads the placeholder at `at`, which starts with "{{". Returns its length in the template and
 * copies its name; 0 when it is not a placeholder. */
static size_t read_placeholder(const char *at, char name[NAME_MAX_BYTES])
{
    const char *start = at + 2 + strspn(at + 2, " ");
    const char *end = start;
    const char *close;

    while (is_name_byte(*end))
        end++;
    close = end + strspn(end, " ");
    if (end == start || end - start >= NAME_MAX_BYTES || strncmp(close, "}}", 2) != 0)
        return 0;
    memcpy(name, start, (size_t)(end - start));
    name[end - start] = '\0';
    return (size_t)(close + 2 - at);
}

static const char *find_argument(const struct text_argument *arguments, size_t count,
                                 const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(arguments[i].name, name) == 0)
            return arguments[i].value;
    return NULL;
}

const char *locale_format(const struct locale *locale, struct arena *arena, const char *key,
                          const struct text_argument *arguments, size_t count)
{
    const char *template = find_text(locale, key);
    struct text out;

    if (!template)
        return arena_copy_string(arena, key);
    text_start(&out, arena, TEXT_LIMIT);
    for (const char *open; (open = strstr(template, "{{")) != NULL;) {
        char name[NAME_MAX_BYTES];
        size_t length = read_placeholder(open, name);
        const char *value = length ? find_argument(arguments, count, name) : NULL;

        text_append(&out, template, (size_t)(open - template));
        if (value)
            text_append_string(&out, value);
        else
            text_append(&out, open, length ? length : 1);
        template = open + (length ? length : 1);
    }
    text_append_string(&out, template);
    return out.bytes;
}
