/*
 * Transactions of fibers that share a commit (db_begin_together()). The members wait until the
 * loop calls their turn; then one transaction is begun, each member does its statements in a
 * savepoint of it, and all wait for its commit. One member that is rolled back hinders no other.
 * What is not a member does not see what is not committed: it commits the group first.
 */
#include "db/db_internal.h"

#include "base/clock.h"
#include "base/fiber.h"

enum { GROUP_MICROSECONDS = 10000 }; /* others wait for the file meanwhile */

/* A fiber that waits for its turn, or for the commit. It lives on the stack of that fiber. */
struct group_member {
    struct group_member *next;
    struct fiber *fiber;
    bool over; /* the wait */
    enum error error;
    struct problem problem;
};

/* By itself, because the compiler warns of the address, which is taken off again before the member
 * goes out of scope. */
static __attribute__((noinline)) void append(struct group_list *list, struct group_member *member)
{
    if (list->last)
        list->last->next = member;
    else
        list->first = member;
    list->last = member;
}

static struct group_member *take_first(struct group_list *list)
{
    struct group_member *member = list->first;

    list->first = member->next;
    if (!list->first)
        list->last = NULL;
    return member;
}

static enum error wait_in(struct group_list *list, struct problem *problem)
{
    struct group_member member = {.fiber = fiber_current()};

    append(list, &member);
    while (!member.over)
        (void)fiber_wait(-1, 0, 0);
    if (member.error)
        *problem = member.problem;
    return member.error;
}

static void end_wait(struct group_member *member, enum error error, const struct problem *problem)
{
    member->error = error;
    if (error)
        member->problem = *problem;
    member->over = true;
}

static void answer_all(struct group_list *list, enum error error, const struct problem *problem)
{
    while (list->first) {
        struct group_member *member = take_first(list);
        struct fiber *fiber = member->fiber;

        end_wait(member, error, problem);
        fiber_wake(fiber);
    }
}

/* The transaction of the group is set aside while members run: each of them has its own. */
static void set_aside(struct db *db)
{
    db->group.begun = db->transaction;
    db->group.begun.of_group = true;
    db->transaction = (struct transaction){0};
    db->group.open = true;
    db->group.held = fiber_set_aside();
}

static void take_back(struct db *db)
{
    db->transaction = db->group.begun;
    db->group.open = false;
    fiber_take_back(db->group.held);
}

void group_commit(struct db *db)
{
    struct problem problem;
    enum error error;

    if (!db->group.open || db->transaction.depth)
        return;
    take_back(db);
    error = db_commit(db, &problem);
    answer_all(&db->group.written, error, &problem);
}

void group_lose(struct db *db, const struct problem *cause)
{
    struct problem problem;

    if (!db->group.open)
        return;
    db->group.open = false;
    fiber_take_back(db->group.held);
    if (cause->error)
        problem = *cause;
    else
        problem_set(&problem, ERROR_UNAVAILABLE, "database_io", "the transaction was given up");
    if (db->connection && !db->engine->rollback(db))
        db->suspect = true;
    fiber_release();
    answer_all(&db->group.written, problem.error, &problem);
}

static bool is_long(const struct db *db)
{
    return clock_monotonic_microseconds() - db->group.begun.began > GROUP_MICROSECONDS;
}

/* Gives one member its turn. Its fiber runs until it waits, which it does not while it has its
 * transaction. */
static enum error call(struct db *db, struct group_member *member, struct problem *problem)
{
    struct fiber *fiber = member->fiber;
    enum error error = ERROR_NONE;

    if (!db->group.open) {
        error = db_begin(db, DB_WRITE, problem);
        if (!error)
            set_aside(db);
    }
    end_wait(member, error, problem);
    fiber_run(fiber);
    if (is_long(db))
        group_commit(db);
    return error;
}

static void call_all(struct db *db, struct group_list *called)
{
    struct problem problem = {0};
    enum error error = ERROR_NONE;

    while (called->first && error != ERROR_BUSY)
        error = call(db, take_first(called), &problem);
    answer_all(called, error, &problem); /* that wait is long enough for all of them */
}

/* Those that come meanwhile have the next turn. */
static void turn(void *context)
{
    struct db *db = context;
    struct group *group = &db->group;

    do {
        struct group_list called = group->waiting;

        group->waiting = (struct group_list){0};
        call_all(db, &called);
        group_commit(db);
    } while (group->waiting.first &&
             !loop_timer_set(&group->timer, clock_monotonic_microseconds()));
}

static bool can_wait(struct db *db)
{
    struct group *group = &db->group;

    if (!db->engine->nest || !fiber_may_wait())
        return false;
    group->timer.due = turn;
    group->timer.context = db;
    return group->timer.position || loop_timer_set(&group->timer, clock_monotonic_microseconds());
}

enum error db_begin_together_at(struct db *db, const char *file, int line, struct problem *problem)
{
    struct problem own;
    enum error error;

    if (db->transaction.depth || !can_wait(db))
        return db_begin_at(db, DB_WRITE, file, line, problem);
    error = wait_in(&db->group.waiting, &own);
    if (!error)
        error = db->engine->nest(db, NEST_BEGIN, &own);
    if (error)
        return problem_set(problem, error, own.reason, "%s:%d: %.400s", file, line, own.text);
    db->transaction = (struct transaction){.intent = DB_WRITE,
                                           .file = file,
                                           .line = line,
                                           .began = clock_monotonic_microseconds(),
                                           .depth = 1,
                                           .in_group = true};
    fiber_hold("a transaction");
    return ERROR_NONE;
}

enum error group_wait_for_commit(struct db *db, struct problem *problem)
{
    return wait_in(&db->group.written, problem);
}

void group_undo_member(struct db *db)
{
    struct problem own;

    if (!db->connection || db->engine->nest(db, NEST_UNDO, &own))
        group_lose(db, &db->transaction.cause);
}
