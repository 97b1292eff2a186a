/*
 * Asks the questions of tests/data/answers and prints the answers, to be read as a customer would.
 *
 *   sample_answers FOLDER...
 *
 * A folder has documents of Markdown and `questions.txt`: one question a line, then `=>` and what
 * the answer must contain, separated by `;`, or REFUSE. `+ ` begins a question that follows the one
 * before in the same conversation. The exit status is 1 when fewer than 80 of 100 answers of a
 * folder contain what they must.
 */
#include "../unit/answer_base.h"
#include "support/questions/small_talk.h"

#include <dirent.h>

enum { FILES_MAX = 50, PERCENT_LEAST = 80 };

static struct arena *arena;
static struct synonyms synonyms;

static const char *read_file(const char *folder, const char *name)
{
    FILE *file = fopen(arena_print(arena, "%s/%s", folder, name), "re");
    struct text text;
    char buffer[4096];
    size_t length;

    BASE_NEEDS(file);
    text_start(&text, arena, 1 << 20);
    while ((length = fread(buffer, 1, sizeof buffer, file)) > 0)
        text_append(&text, buffer, length);
    fclose(file);
    return text.bytes;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

static size_t read_documents(const char *folder, struct file *files)
{
    DIR *directory = opendir(folder);
    const struct dirent *entry;
    size_t count = 0;

    BASE_NEEDS(directory);
    while ((entry = readdir(directory)) && count < FILES_MAX) {
        if (strstr(entry->d_name, ".md"))
            files[count++] = (struct file){arena_copy_string(arena, entry->d_name),
                                           read_file(folder, entry->d_name)};
    }
    closedir(directory);
    qsort(files, count, sizeof *files, by_name);
    return count;
}

static bool holds_all(const struct answer *answer, const char *expected)
{
    if (strncmp(expected, "REFUSE", 6) == 0 || answer->refused)
        return answer->refused && strncmp(expected, "REFUSE", 6) == 0;
    while (*expected) {
        size_t length = strcspn(expected, ";");

        if (!strstr(answer->text, text_trimmed(arena, expected, length)))
            return false;
        expected += length + (expected[length] == ';');
    }
    return true;
}

struct turn {
    const char *question, *expected;
    bool follows;
};

static struct turn read_turn(const char *line, size_t length)
{
    const char *arrow = memmem(line, length, "=>", 2);
    struct turn turn = {.follows = strncmp(line, "+ ", 2) == 0};

    BASE_NEEDS(arrow);
    if (turn.follows)
        line += 2, length -= 2;
    turn.question = text_trimmed(arena, line, (size_t)(arrow - line));
    turn.expected = text_trimmed(arena, arrow + 2, (size_t)(line + length - arrow - 2));
    return turn;
}

/* Whether the answers of the folder are good enough. */
static bool ask_all(const char *folder)
{
    struct file files[FILES_MAX];
    struct base base = {.files = files, .file_count = read_documents(folder, files)};
    const char *lines = read_file(folder, "questions.txt"), *before = NULL;
    int asked_count = 0, right = 0;

    base_make(&base, arena);
    printf("\n# %s\n", folder);
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        struct turn turn = read_turn(lines, length);
        struct asked asked;
        bool is_right;

        before = turn.follows ? before : NULL;
        base_ask(&base, arena, &synonyms, small_talk_strip(arena, turn.question), before, 0.45,
                 &asked);
        is_right =
            holds_all(&asked.answer, turn.expected) && !base_broken_promise(arena, &asked.answer);
        printf("\n> %s%s\n\n%s\n", turn.question, is_right ? "" : "   <-- ???", asked.answer.text);
        asked_count++;
        right += is_right;
        before = turn.question;
        lines += length + (lines[length] == '\n');
    }
    base_drop(&base);
    printf("\n%s: %d of %d as expected\n", folder, right, asked_count);
    return right * 100 >= asked_count * PERCENT_LEAST;
}

int main(int count, char **arguments)
{
    bool good = true;

    arena = arena_create((size_t)1 << 28);
    synonyms = synonyms_read(arena, synonyms_built_in);
    for (int i = 1; i < count; i++)
        good &= ask_all(arguments[i]);
    arena_destroy(arena);
    return !good;
}
