/* What both engines share of running others' SQL: limits, answers, plans. */
#include "db/sandbox.h"

#include "base/list.h"
#include "db/db_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool sandbox_is_listed(const char *const *list, const char *name)
{
    for (; *list; list++)
        if (strcasecmp(*list, name) == 0)
            return true;
    return false;
}

struct sandbox_cell *sandbox_add_row(struct sandbox_run *run)
{
    struct sandbox_answer *answer = run->answer;

    if (answer->row_count == run->rules->rows_max) {
        answer->cut = true;
        return NULL;
    }
    return list_add(run->arena, &answer->cells, &answer->row_count,
                    answer->column_count * sizeof *answer->cells);
}

const char *sandbox_copy(struct sandbox_run *run, const char *text, size_t length)
{
    run->bytes += length;
    if (run->bytes > run->rules->bytes_max)
        return NULL;
    return arena_copy(run->arena, text, length);
}

static enum error run_in_transaction(struct sandbox_run *run)
{
    enum error error = db_begin(run->db, DB_READ, run->problem);

    if (error)
        return error;
    error = run->db->target.engine == DB_SQLITE ? sandbox_sqlite(run) : sandbox_postgres(run);
    db_rollback(run->db);
    return error;
}

enum error sandbox_query(struct db *db, struct arena *arena, const char *sql,
                         const struct sandbox_rules *rules, struct sandbox_answer *answer,
                         struct problem *problem)
{
    struct sandbox_run run = {db, arena, sql, rules, answer, .problem = problem};

    *answer = (struct sandbox_answer){0};
    return run_in_transaction(&run);
}

static void add_scan(struct sandbox_plan *plan, struct arena *arena, const char *name)
{
    char bare[64];
    size_t length = strcspn(name, " ");

    if (length >= sizeof bare || plan->scan_count == sizeof plan->scans / sizeof plan->scans[0])
        return;
    memcpy(bare, name, length);
    bare[length] = '\0';
    plan->scans[plan->scan_count++] = arena_copy_string(arena, bare);
}

/* "SCAN orders_v2" without an index; "Seq Scan on orders_v2  (cost=0.00..1.01 rows=1 width=8)". */
static void read_plan_line(struct sandbox_plan *plan, struct arena *arena, const char *line)
{
    static const char sequential[] = "Seq Scan on ";
    const char *at = strstr(line, sequential), *rows = strstr(line, " rows=");

    if (at)
        add_scan(plan, arena, at + sizeof sequential - 1);
    else if (strncmp(line, "SCAN ", 5) == 0 && !strstr(line, " USING "))
        add_scan(plan, arena, line + 5);
    if (rows && plan->rows < 0)
        plan->rows = strtoll(rows + 6, NULL, 10);
}

enum error sandbox_explain(struct db *db, struct arena *arena, const char *sql,
                           const struct sandbox_rules *rules, struct sandbox_plan *plan,
                           struct problem *problem)
{
    struct sandbox_answer answer = {0};
    struct sandbox_run run = {db, arena, sql, rules, &answer, .explain = true, .problem = problem};
    enum error error = run_in_transaction(&run);

    *plan = (struct sandbox_plan){.rows = -1};
    for (size_t i = 0; !error && i < answer.row_count; i++) {
        const struct sandbox_cell *last = &answer.cells[(i + 1) * answer.column_count - 1];

        if (last->kind == SANDBOX_TEXT)
            read_plan_line(plan, arena, last->text);
    }
    return error;
}
