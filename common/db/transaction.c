/*
 * Transactions: counted nesting, where the outermost began, and dooming. Knows no SQL; what BEGIN
 * and COMMIT mean is the engine's affair.
 */
#include "db/db_internal.h"

#include "base/cause.h"
#include "base/clock.h"
#include "base/fiber.h"

#include <string.h>

void transaction_doom(struct db *db, const struct problem *cause)
{
    struct transaction *transaction = &db->transaction;

    if (!transaction->depth || transaction->doomed)
        return;
    transaction->doomed = true;
    transaction->cause = *cause;
}

/* A doomed transaction says first why it is doomed. */
static enum error doomed(const struct transaction *transaction, struct problem *problem)
{
    const struct problem *cause = &transaction->cause;

    return problem_set(problem, cause->error, cause->reason,
                       "the transaction begun at %s:%d is undone: %.380s", transaction->file,
                       transaction->line, cause->text);
}

enum error transaction_refusal(const struct db *db, struct problem *problem)
{
    return db->transaction.doomed ? doomed(&db->transaction, problem) : ERROR_NONE;
}

static enum error join(struct db *db, enum db_intent intent, const char *file, int line,
                       struct problem *problem)
{
    struct transaction *transaction = &db->transaction;

    if (transaction->doomed)
        return doomed(transaction, problem);
    if (intent == DB_WRITE && transaction->intent == DB_READ)
        return problem_set(problem, ERROR_SYSTEM, "statement_misused",
                           "%s:%d: a writing transaction cannot begin inside the reading one begun "
                           "at %s:%d",
                           file, line, transaction->file, transaction->line);
    transaction->depth++;
    return ERROR_NONE;
}

/* Nothing is lost when BEGIN meets a connection that died while idle: it is tried once more. */
static enum error begin_now(struct db *db, enum db_intent intent, struct problem *problem)
{
    enum error error;

    if (db_fails_now(db, problem))
        return problem->error;
    error = db->engine->begin(db, intent, problem);
    if (error != ERROR_UNAVAILABLE || !db->suspect)
        return error;
    db_drop_connection(db);
    error = db_ready(db, problem);
    return error ? error : db->engine->begin(db, intent, problem);
}

enum error db_begin_at(struct db *db, enum db_intent intent, const char *file, int line,
                       struct problem *problem)
{
    struct problem own;
    enum error error;

    if (db->transaction.depth)
        return join(db, intent, file, line, problem);
    group_commit(db);
    error = db_ready(db, problem);
    if (error)
        return error;
    db->transaction = (struct transaction){
        .intent = intent, .file = file, .line = line, .began = clock_monotonic_microseconds()};
    error = begin_now(db, intent, &own);
    if (error) {
        db->counters.failures++;
        return problem_set(problem, error, own.reason, "%s:%d: %.400s", file, line, own.text);
    }
    db->counters.microseconds += clock_monotonic_microseconds() - db->transaction.began;
    db->counters.transactions++;
    db->transaction.depth = 1;
    fiber_hold("a transaction");
    return ERROR_NONE;
}

/* A long transaction keeps others waiting; the log names the line that holds it. */
static void warn_when_slow(const struct db *db)
{
    int64_t milliseconds = (clock_monotonic_microseconds() - db->transaction.began) / 1000;

    if (db->options.slow_transaction_ms && db->transaction.intent == DB_WRITE &&
        milliseconds >= db->options.slow_transaction_ms)
        db_warn("the transaction begun at %s:%d was open for %lld ms", db->transaction.file,
                db->transaction.line, (long long)milliseconds);
}

/* Members of a group tell of themselves; the transaction around them belongs to no request. */
static void tell(const struct db *db, const struct transaction *transaction)
{
    const struct cause_database use = {.name = "transaction",
                                       .system = db_system_name(db),
                                       .started_at = transaction->began,
                                       .ended_at = clock_monotonic_microseconds(),
                                       .statements = transaction->statements,
                                       .failure =
                                           transaction->doomed ? transaction->cause.reason : NULL};

    if (cause_current() && !transaction->of_group)
        cause_database_used(&use);
}

static void leave(struct db *db)
{
    warn_when_slow(db);
    fiber_release();
    db->transaction = (struct transaction){0};
}

static void end(struct db *db)
{
    tell(db, &db->transaction);
    leave(db);
}

static void roll_back_outermost(struct db *db)
{
    queries_fail_all(db, "its transaction was rolled back");
    if (db->transaction.in_group)
        group_undo_member(db);
    else if (db->connection && !db->engine->rollback(db))
        db->suspect = true;
    end(db);
    if (db->suspect)
        db_drop_connection(db);
}

static enum error commit_failed(struct db *db, struct transaction *transaction,
                                const struct problem *cause, struct problem *problem)
{
    db->counters.failures++;
    transaction->doomed = true;
    transaction->cause = *cause;
    return problem_set(problem, cause->error, cause->reason,
                       "the transaction begun at %s:%d: %.400s", transaction->file,
                       transaction->line, cause->text);
}

/* Part of the group's transaction, and then with it in the file. */
static enum error commit_member(struct db *db, struct problem *problem)
{
    struct transaction transaction;
    struct problem own;
    enum error error = db->engine->nest(db, NEST_KEEP, &own);

    if (error) {
        error = commit_failed(db, &db->transaction, &own, problem);
        roll_back_outermost(db);
        return error;
    }
    transaction = db->transaction;
    leave(db);
    error = group_wait_for_commit(db, &own);
    if (error)
        error = commit_failed(db, &transaction, &own, problem);
    tell(db, &transaction);
    return error;
}

static enum error commit_outermost(struct db *db, struct problem *problem)
{
    int64_t start = clock_monotonic_microseconds();
    struct problem own;
    enum error error;

    if (db->transaction.doomed) {
        error = doomed(&db->transaction, problem);
        roll_back_outermost(db);
        return error;
    }
    if (db->transaction.in_group)
        return commit_member(db, problem);
    error = db_fails_now(db, &own) ? own.error : db->engine->commit(db, &own);
    db->counters.microseconds += clock_monotonic_microseconds() - start;
    if (!error) {
        end(db);
        return ERROR_NONE;
    }
    error = commit_failed(db, &db->transaction, &own, problem);
    roll_back_outermost(db);
    return error;
}

enum error db_commit(struct db *db, struct problem *problem)
{
    struct transaction *transaction = &db->transaction;
    int open;

    if (!transaction->depth)
        return problem_set(problem, ERROR_SYSTEM, "statement_misused",
                           "a commit outside a transaction");
    if (transaction->depth > 1) {
        transaction->depth--;
        return transaction_refusal(db, problem);
    }
    open = queries_fail_all(db, "its transaction was committed");
    if (open)
        db_warn("%d statements were open when the transaction begun at %s:%d was committed", open,
                transaction->file, transaction->line);
    return commit_outermost(db, problem);
}

void db_rollback(struct db *db)
{
    struct transaction *transaction = &db->transaction;
    struct problem cause;

    if (!transaction->depth)
        return;
    if (transaction->depth == 1) {
        roll_back_outermost(db);
        return;
    }
    transaction->depth--;
    problem_set(&cause, ERROR_SYSTEM, "transaction_doomed", "an inner part of it was rolled back");
    transaction_doom(db, &cause);
}

enum error db_finish(struct db *db, enum error error, struct problem *problem)
{
    if (!error)
        return db_commit(db, problem);
    db_rollback(db);
    return error;
}

enum error db_lock(struct db *db, const char *name, struct problem *problem)
{
    struct problem own;
    enum error error = transaction_refusal(db, problem);

    if (error)
        return error;
    if (!db->transaction.depth || db->transaction.intent != DB_WRITE)
        return problem_set(problem, ERROR_SYSTEM, "statement_misused",
                           "the lock %s was asked for outside a writing transaction", name);
    error = db->engine->lock(db, name, &own);
    if (!error)
        return ERROR_NONE;
    transaction_doom(db, &own);
    return problem_set(problem, error, own.reason, "the lock %s: %.400s", name, own.text);
}

enum error db_take_time(struct db *db, bool on, struct problem *problem)
{
    if (db->transaction.depth)
        return problem_set(problem, ERROR_SYSTEM, "statement_misused",
                           "limits cannot be changed inside a transaction");
    if (!db->connection)
        return ERROR_NONE;
    return db->engine->set_time(db, on ? 0 : db->options.statement_timeout_ms, problem);
}
