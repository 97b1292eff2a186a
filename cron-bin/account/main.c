/* Administers the people of the suite from a shell. `--help` lists the commands and exit codes. */
#include "accounts/account_audit.h"
#include "accounts/groups.h"
#include "accounts/invitations.h"
#include "accounts/people.h"
#include "accounts/sessions.h"
#include "accounts/settings.h"
#include "accounts/tokens.h"
#include "base/clock.h"
#include "base/help.h"
#include "base/list.h"
#include "base/log.h"
#include "base/string_list.h"
#include "base/timestamp.h"
#include "crypto/crypto.h"
#include "crypto/token.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: account COMMAND [ARGUMENT...]\n"
    "\n"
    "Administers the people of the suite.\n"
    "\n"
    "  list                            People with their roles.\n"
    "  add NAME [ROLES] [EMAIL]        Add a person; prints a first password, unless standard\n"
    "                                  input has one.\n"
    "  invite EMAIL ROLES              Print a link with which a person makes an account.\n"
    "  role NAME ROLES                 Change roles; areas that are not named keep theirs.\n"
    "  groups [NAME GROUPS]            Set the groups of a person, such as \"Sales, Personnel\";\n"
    "                                  `none` takes all away. Without a name: list the groups.\n"
    "  tenant NAME TENANT              Change whose data the person sees.\n"
    "  password NAME                   Set a new password, as `add` does; ends all sessions\n"
    "                                  and deletes the person's tokens.\n"
    "  off NAME                        Switch a person off; ends all sessions and tokens.\n"
    "  on NAME                         Switch a person on again.\n"
    "  token NAME TOKEN-NAME [DAYS]    Print a personal token, which expires after DAYS.\n"
    "\n"
    "ROLES are AREA=ROLE pairs with commas, such as support=agent,data=viewer; =none takes a\n"
    "role away. Areas and roles: experiments (viewer, analyst, admin), support (viewer, agent,\n"
    "reviewer, admin), models (viewer, analyst, admin), data (viewer, operator, admin), suite\n"
    "(admin).\n"
    "\n"
    "A password on standard input is its first line; a terminal is not read.\n"
    "\n"
    "Exit codes: 0 done; 1 the settings are wrong; 2 the command line is wrong; 3 the\n"
    "database failed; 4 refused, as the message says.\n";

enum { EXIT_DONE, EXIT_SETTINGS, EXIT_USAGE, EXIT_DATABASE, EXIT_REFUSED };
enum {
    MEMORY_MAX = 64 * 1024 * 1024,
    PASSWORD_BYTES = 12, /* random, of a first password */
    DAYS_MAX = 3650
};

struct job {
    struct accounts_call call;
    const struct accounts_service_settings *settings;
    int argc;
    char **argv; /* of the command, without its name */
};

struct command {
    const char *name;
    int least, most; /* arguments */
    enum error (*run)(struct job *job);
};

static void note(struct job *job, const char *action, const char *what, const char *detail)
{
    account_audit_note(&job->call, &(struct account_event){
                                       .actor = "program account",
                                       .action = action,
                                       .resource = arena_print(job->call.arena, "person:%s", what),
                                       .detail = detail});
}

/* The first line of standard input, or a new one that is printed. */
static const char *read_password(struct job *job)
{
    char line[512] = "", made[TOKEN_TEXT_MAX];

    if (!isatty(STDIN_FILENO) && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (*line)
            return arena_copy_string(job->call.arena, line);
    }
    token_random_text(PASSWORD_BYTES, made, sizeof made);
    printf("password: %s\n", made);
    return arena_copy_string(job->call.arena, made);
}

static enum error find(struct job *job, struct person *person)
{
    return person_find(&job->call, job->argv[0], person);
}

static enum error run_list(struct job *job)
{
    struct object_list people;
    char seen[CLOCK_TEXT_MAX];
    enum error error = people_list(&job->call, &people);
    const struct person *person = people.items;

    for (size_t i = 0; !error && i < people.count; i++, person++) {
        if (person->last_seen_at)
            timestamp_to_z(person->last_seen_at, false, seen);
        printf("%-24s %-4s %-12s %-20s %s\n", person->username, person->is_active ? "on" : "off",
               person->tenant, person->last_seen_at ? seen : "never",
               roles_text(job->call.arena, person->roles));
    }
    return error;
}

static enum error run_add(struct job *job)
{
    struct new_person wanted = {.username = job->argv[0],
                                .email = job->argc > 2 ? job->argv[2] : NULL,
                                .roles = PERSON_ROLES_NONE,
                                .must_change_password = true,
                                .source = "local"};
    struct person person;
    enum error error = ERROR_NONE;

    if (!person_is_username(wanted.username))
        return problem_set(job->call.problem, ERROR_INVALID, "person_invalid",
                           "a username may hold letters, digits and . _ @ + -");
    if (job->argc > 1)
        error = roles_read(job->argv[1], &wanted.roles, job->call.problem);
    if (!error)
        error = person_hash_password(&job->call, read_password(job), &wanted.password_hash);
    if (!error)
        error = person_add(&job->call, &wanted, &person);
    if (!error)
        note(job, "person_added", person.username, roles_text(job->call.arena, person.roles));
    return error;
}

/* The address of the portal as the settings give it. */
static const char *portal(struct job *job)
{
    const char *origin = getenv("ASSAY_ORIGIN_PORTAL"), *port = getenv("ASSAY_PORT_PORTAL");

    if (origin && *origin)
        return origin;
    return arena_print(job->call.arena, "http://%s:%s", job->settings->host,
                       port && *port ? port : "8080");
}

static enum error run_invite(struct job *job)
{
    struct person_roles roles = PERSON_ROLES_NONE;
    struct invitation invitation = {.email = job->argv[0],
                                    .tenant = "default",
                                    .roles = &roles,
                                    .invited_by = "program account",
                                    .expires_at =
                                        clock_unix_microseconds() +
                                        job->settings->invitation_hours * 3600 * INT64_C(1000000)};
    const char *secret;
    enum error error = roles_read(job->argv[1], &roles, job->call.problem);

    if (!error)
        error = invitation_add(&job->call, &invitation, &secret);
    if (error)
        return error;
    note(job, "person_invited", invitation.email, roles_text(job->call.arena, &roles));
    printf("%s/sign-in?invitation=%s\n", portal(job), secret);
    return ERROR_NONE;
}

/* Finds the person of the command line and changes it. */
static enum error edit_named(struct job *job, person_editor *edit, struct person *person)
{
    enum error error = find(job, person);

    return error ? error : person_edit(&job->call, person->id, edit, job, person);
}

static void edit_roles(void *context, struct person *person)
{
    struct job *job = context;
    struct person_roles *roles = ARENA_NEW(job->call.arena, struct person_roles);
    struct problem unused = {0};

    *roles = *person->roles;
    if (!roles_read(job->argv[1], roles, &unused)) /* run_role() has refused what is wrong */
        person->roles = roles;
}

static enum error run_role(struct job *job)
{
    struct person person;
    struct person_roles named = PERSON_ROLES_NONE;
    enum error error = roles_read(job->argv[1], &named, job->call.problem);

    if (!error)
        error = edit_named(job, edit_roles, &person);
    if (!error)
        note(job, "person_changed", person.username, roles_text(job->call.arena, person.roles));
    return error;
}

static void edit_groups(void *context, struct person *person)
{
    struct job *job = context;
    struct problem unused = {0};

    if (groups_of_text(job->call.arena, job->argv[1], &person->groups, &unused))
        return; /* run_groups() has refused what is wrong */
}

static void print_group(const struct object_list *people, const char *name)
{
    const struct person *person = people->items;

    printf("%s:", name);
    for (size_t i = 0; i < people->count; i++, person++)
        if (string_list_has(&person->groups, name))
            printf(" %s", person->username);
    printf("\n");
}

static enum error list_groups(struct job *job)
{
    struct object_list people;
    struct string_list names = {0};
    enum error error = people_list(&job->call, &people);
    const struct person *person = people.items;

    for (size_t i = 0; !error && i < people.count; i++, person++) {
        for (size_t k = 0; k < person->groups.count; k++) {
            const char *name = person->groups.items[k];

            if (string_list_has(&names, name))
                continue;
            *ARRAY_ADD(job->call.arena, names.items, names.count) = name;
            print_group(&people, name);
        }
    }
    return error;
}

static enum error run_groups(struct job *job)
{
    struct person person;
    struct string_list groups;
    enum error error;

    if (job->argc == 0)
        return list_groups(job);
    if (job->argc == 1)
        return problem_set(job->call.problem, ERROR_INVALID, "group_invalid",
                           "name the groups as well; `none` takes all away");
    error = groups_of_text(job->call.arena, job->argv[1], &groups, job->call.problem);
    if (!error)
        error = edit_named(job, edit_groups, &person);
    if (!error)
        note(job, "person_changed", person.username,
             arena_print(job->call.arena, "groups: %s",
                         groups_text(job->call.arena, &person.groups)));
    return error;
}

static void edit_tenant(void *context, struct person *person)
{
    person->tenant = ((struct job *)context)->argv[1];
}

static enum error run_tenant(struct job *job)
{
    struct person person;
    enum error error = edit_named(job, edit_tenant, &person);

    if (!error)
        note(job, "person_changed", person.username,
             arena_print(job->call.arena, "tenant %s", person.tenant));
    return error;
}

static enum error run_password(struct job *job)
{
    struct password_setting setting = {.must_change = true, .ends_tokens = true};
    struct person person;
    int64_t tokens_ended;
    enum error error = find(job, &person);

    if (error)
        return error;
    setting.person_id = person.id;
    setting.password = read_password(job);
    error = person_set_password(&job->call, &setting, &tokens_ended);
    if (!error)
        note(job, "password_set", person.username,
             personal_tokens_deleted_text(job->call.arena, tokens_ended));
    return error;
}

static void edit_off(void *context, struct person *person)
{
    (void)context;
    person->is_active = false;
}

static void edit_on(void *context, struct person *person)
{
    (void)context;
    person->is_active = true;
}

static enum error run_switch(struct job *job, person_editor *edit, const char *done)
{
    struct person person;
    enum error error = edit_named(job, edit, &person);

    if (!error)
        note(job, "person_changed", person.username, done);
    return error;
}

static enum error run_off(struct job *job)
{
    return run_switch(job, edit_off, "switched off");
}

static enum error run_on(struct job *job)
{
    return run_switch(job, edit_on, "switched on");
}

/* Microseconds since 1970; 0 for never. */
static enum error read_expiry(struct job *job, int64_t *expires_at)
{
    char *end;
    long days;

    *expires_at = 0;
    if (job->argc < 3)
        return ERROR_NONE;
    days = strtol(job->argv[2], &end, 10);
    if (*end || days < 1 || days > DAYS_MAX)
        return problem_set(job->call.problem, ERROR_INVALID, "days_invalid",
                           "DAYS must be a whole number between 1 and %d", DAYS_MAX);
    *expires_at = clock_unix_microseconds() + days * 86400 * INT64_C(1000000);
    return ERROR_NONE;
}

static enum error run_token(struct job *job)
{
    struct new_token wanted = {.name = job->argv[1]};
    struct personal_token token;
    struct person person;
    const char *secret;
    enum error error = read_expiry(job, &wanted.expires_at);

    if (!error)
        error = find(job, &person);
    if (error)
        return error;
    wanted.person_id = person.id;
    error = personal_token_add(&job->call, &wanted, &token, &secret);
    if (error)
        return error;
    note(job, "token_added", person.username, token.name);
    printf("%s\n", secret);
    return ERROR_NONE;
}

static const struct command commands[] = {
    {"list", 0, 0, run_list},     {"add", 1, 3, run_add},           {"invite", 2, 2, run_invite},
    {"role", 2, 2, run_role},     {"tenant", 2, 2, run_tenant},     {"off", 1, 1, run_off},
    {"on", 1, 1, run_on},         {"password", 1, 1, run_password}, {"token", 2, 3, run_token},
    {"groups", 0, 2, run_groups},
};

static const struct command *find_command(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < COUNT_OF(commands); i++)
        if (strcmp(argv[1], commands[i].name) == 0 && argc - 2 >= commands[i].least &&
            argc - 2 <= commands[i].most)
            return &commands[i];
    return NULL;
}

static int complain(enum error error, const struct problem *problem)
{
    bool is_refusal = error == ERROR_INVALID || error == ERROR_NOT_FOUND || error == ERROR_CONFLICT;

    fprintf(stderr, "account: %s\n", problem->text);
    return is_refusal ? EXIT_REFUSED : EXIT_DATABASE;
}

static int run(struct arena *arena, const struct command *command, int argc, char **argv)
{
    struct accounts_service_settings *settings = ARENA_NEW(arena, struct accounts_service_settings);
    struct problem problem = {0};
    struct job job = {.settings = settings, .argc = argc - 2, .argv = argv + 2};
    struct accounts *accounts;
    enum error error;

    if (crypto_start(&problem) || accounts_settings_load(settings, arena, NULL, &problem)) {
        fprintf(stderr, "account: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    log_open("assay.account", (enum log_level)settings->log_level,
             (enum log_format)settings->log_format);
    /* With the run directory of a stack its workers forget at once what changes here. */
    if (accounts_open(arena, &settings->accounts, settings->sql_directory,
                      settings->state_directory, getenv("ASSAY_RUN_DIR"), &accounts, &problem)) {
        fprintf(stderr, "account: %s\n", problem.text);
        return EXIT_SETTINGS;
    }
    error = accounts_prepare(accounts, &problem);
    if (!error)
        error = accounts_begin(accounts, arena, &problem, &job.call);
    if (!error)
        error = command->run(&job);
    accounts_close(accounts);
    return error ? complain(error, &problem) : EXIT_DONE;
}

int main(int argc, char **argv)
{
    const struct command *command = find_command(argc, argv);
    struct arena *arena;
    int status;

    if (help_given(argc, argv, help))
        return EXIT_DONE;
    if (!command) {
        help_print_usage(help);
        return EXIT_USAGE;
    }
    arena = arena_create(MEMORY_MAX);
    if (!arena)
        return EXIT_DATABASE;
    status = run(arena, command, argc, argv);
    arena_destroy(arena);
    return status;
}
