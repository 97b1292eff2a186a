/* Prints the statements of a storage file, one per line: name, tab, SQL for SQLite. The file is
 * included whole, by -DSTORAGE='"experiments/....c"', because its statements are its own. */
#ifndef STORAGE
#define STORAGE "experiments/audit/audit_store.c"
#endif
#include STORAGE

#include <stdio.h>

static void print(const struct statement *statement)
{
    const char *sql = statement->sqlite ? statement->sqlite : statement->sql;

    if (sql)
        printf("%s\t%s\n", statement->name, sql);
}

#define PRINT_ALL(table)                                                                           \
    for (size_t i = 0; i < sizeof(table) / sizeof(struct statement); i++)                          \
    print((const struct statement *)(table) + i)

int main(void)
{
#ifdef PROJECT_LISTS
    PRINT_ALL(list_projects);
    print(&total_projects);
    print(&count_runs);
    print(&list_runs);
    print(&count_events);
    print(&list_events);
    print(&count_revisions);
    print(&list_revisions);
#elif defined(DELIVERIES)
    print(&list_deliveries);
    print(&list_deliveries_of);
    print(&count_deliveries);
    print(&count_deliveries_of);
#else
    PRINT_ALL(list_entries);
    PRINT_ALL(stream_entries);
    PRINT_ALL(count_entries);
    print(&sum_entries);
    print(&sum_entries_of);
    print(&find_cursor);
#endif
    return 0;
}
