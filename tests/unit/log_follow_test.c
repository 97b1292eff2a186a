/* Every line of a log is read, whatever becomes of its file. */
#include "telemetry/log_follow.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], all[8192];
static struct log_follower *follower;

static const char *path_of(const char *name)
{
    static char path[128];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void append(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "a");

    CHECK(file != NULL);
    fputs(text, file);
    fclose(file);
}

static void follow(void)
{
    struct problem problem;
    char positions[128];

    (void)snprintf(positions, sizeof positions, "%s", path_of("positions"));
    CHECK_INT(log_follower_open(folder, positions, &follower, &problem), ERROR_NONE);
}

static void begin(void)
{
    (void)snprintf(folder, sizeof folder, "/tmp/assay-follow-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    append("a-b.log", "old\n");
    append("other.txt", "no log\n");
    follow();
}

static void end(void)
{
    static const char *const names[] = {"a-b.log", "a-b.log.1", "c.log", "other.txt", "positions"};

    log_follower_close(follower);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        (void)unlink(path_of(names[i]));
    CHECK_INT(rmdir(folder), 0);
}

/* All that is there to be read, twice through the files. */
static const char *read_all(bool keep)
{
    struct log_piece piece;

    *all = '\0';
    for (int round = 0; round < 3; round++) {
        while (log_follower_read(follower, &piece) && (keep || !*all)) {
            (void)snprintf(all + strlen(all), sizeof all - strlen(all), "%s: %.*s", piece.name,
                           (int)piece.length, piece.lines);
            if (keep)
                log_follower_keep(follower);
        }
        if (!keep)
            break;
    }
    log_follower_save(follower);
    return all;
}

TEST(whole_lines_are_read_once_from_the_end_that_was_there)
{
    begin();
    CHECK_TEXT(read_all(true), "");
    append("a-b.log", "one\ntwo\nthr");
    CHECK_TEXT(read_all(false), "a-b: one\ntwo\n");
    CHECK_TEXT(read_all(true), "a-b: one\ntwo\n");
    append("a-b.log", "ee\n");
    append("c.log", "new\n");
    CHECK_TEXT(read_all(true), "a-b: three\nc: new\n");
    CHECK_TEXT(read_all(true), "");
    end();
}

TEST(a_log_that_is_renamed_is_read_to_its_end)
{
    char before[128];

    begin();
    append("a-b.log", "one\n");
    (void)snprintf(before, sizeof before, "%s", path_of("a-b.log"));
    CHECK_INT(rename(before, path_of("a-b.log.1")), 0);
    append("a-b.log.1", "two\n");
    append("a-b.log", "three\n");
    CHECK_TEXT(read_all(true), "a-b: one\ntwo\na-b: three\n");
    append("a-b.log", "four\n");
    CHECK_TEXT(read_all(true), "a-b: four\n");
    end();
}

/* Processes of before finish what they have begun. */
TEST(a_log_that_was_renamed_is_read_further)
{
    char before[128];

    begin();
    append("a-b.log", "one\n");
    (void)snprintf(before, sizeof before, "%s", path_of("a-b.log"));
    CHECK_INT(rename(before, path_of("a-b.log.1")), 0);
    append("a-b.log", "new\n");
    CHECK_TEXT(read_all(true), "a-b: one\na-b: new\n");
    append("a-b.log.1", "late\n");
    CHECK_TEXT(read_all(true), "a-b: late\n");
    log_follower_close(follower);
    append("a-b.log.1", "later\n");
    append("a-b.log", "newer\n");
    follow();
    CHECK(strstr(read_all(true), "a-b: later\n") != NULL);
    CHECK(strstr(all, "a-b: newer\n") != NULL);
    CHECK_INT(strlen(all), strlen("a-b: later\na-b: newer\n"));
    end();
}

TEST(a_log_that_is_emptied_is_read_from_its_begin)
{
    begin();
    append("a-b.log", "one\n");
    CHECK_TEXT(read_all(true), "a-b: one\n");
    CHECK_INT(truncate(path_of("a-b.log"), 0), 0);
    append("a-b.log", "2\n");
    CHECK_TEXT(read_all(true), "a-b: 2\n");
    end();
}

TEST(another_process_goes_on_where_the_last_one_was)
{
    char before[128];

    begin();
    append("a-b.log", "one\n");
    CHECK_TEXT(read_all(true), "a-b: one\n");
    log_follower_close(follower);
    append("a-b.log", "two\n");
    (void)snprintf(before, sizeof before, "%s", path_of("a-b.log"));
    CHECK_INT(rename(before, path_of("a-b.log.1")), 0);
    append("a-b.log", "three\n");
    append("c.log", "new\n");
    follow();
    CHECK_TEXT(read_all(true), "a-b: two\nc: new\na-b: three\n");
    end();
}

TEST(a_log_that_nobody_has_begun_again_is_not_forgotten)
{
    char before[128];

    begin();
    append("a-b.log", "one\n");
    log_follower_close(follower);
    (void)snprintf(before, sizeof before, "%s", path_of("a-b.log"));
    CHECK_INT(rename(before, path_of("a-b.log.1")), 0);
    follow();
    CHECK_TEXT(read_all(true), "");
    append("a-b.log", "two\n");
    CHECK_TEXT(read_all(true), "a-b: one\na-b: two\n");
    end();
}

TEST(a_line_longer_than_a_piece_comes_in_parts)
{
    struct log_piece piece;
    char *line = malloc(LOG_PIECE_MAX + 10);

    begin();
    memset(line, 'x', LOG_PIECE_MAX + 8);
    memcpy(line + LOG_PIECE_MAX + 8, "\n", 2);
    append("a-b.log", line);
    CHECK(log_follower_read(follower, &piece));
    CHECK_INT(piece.length, LOG_PIECE_MAX);
    log_follower_keep(follower);
    CHECK(log_follower_read(follower, &piece));
    CHECK_INT(piece.length, 9);
    free(line);
    end();
}

TEST_MAIN(CASE(whole_lines_are_read_once_from_the_end_that_was_there),
          CASE(a_log_that_is_renamed_is_read_to_its_end),
          CASE(a_log_that_was_renamed_is_read_further),
          CASE(a_log_that_is_emptied_is_read_from_its_begin),
          CASE(another_process_goes_on_where_the_last_one_was),
          CASE(a_log_that_nobody_has_begun_again_is_not_forgotten),
          CASE(a_line_longer_than_a_piece_comes_in_parts))
