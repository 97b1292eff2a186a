/* Folders: reading them, taking their files, removing documents whose file is gone. */
#include "support/sources/folder.h"
#include "accounts/groups.h"
#include "base/clock.h"
#include "base/disk.h"
#include "base/list.h"
#include "base/string_list.h"
#include "support/documents/host.h"
#include "support/documents/upload_name.h"
#include "support/programs/data_files.h"
#include "support/sources/source_store.h"
#include "support/sources/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SNIFFED = 4096, COPY_AT_ONCE = 1 << 20, SECOND_US = 1000000, CHANGED = -1 };

struct scan {
    const struct document_call *call;
    const struct folder_plan *plan;
    struct folder_result *result;
    const char *origin;
    struct object_list rows; /* struct source_row, by name: what was taken before */
    struct tree tree;
};

/* One file on its way. */
struct file {
    const char *path;
    const struct source_row *before; /* NULL = new */
    int fd;
    struct stat status;
    const char *doc_id;
    const char *stored; /* path of its copy */
    struct problem problem;
    struct document_call call; /* in the memory of one file */
};

static int64_t changed_at(const struct stat *status)
{
    return (int64_t)status->st_mtim.tv_sec * SECOND_US + status->st_mtim.tv_nsec / 1000;
}

static void report(const struct scan *scan, enum folder_outcome outcome, const char *path,
                   const char *why)
{
    scan->result->counts[outcome]++;
    if (scan->plan->report)
        scan->plan->report(scan->plan->context, outcome, path, why);
}

static enum error refuse(struct file *file, const char *why)
{
    return problem_set(&file->problem, ERROR_INVALID, "file_refused", "%s", why);
}

static enum error not_read(struct file *file)
{
    return problem_set(&file->problem, ERROR_UNAVAILABLE, "file_not_read", "%s", strerror(errno));
}

/* A lease for reading is granted only while nobody has the file open for writing (fcntl(2)). File
 * systems without leases, and files of others, are judged by their age alone. */
static bool is_being_written(int fd)
{
    if (fcntl(fd, F_SETLEASE, F_RDLCK) == 0) {
        (void)fcntl(fd, F_SETLEASE, F_UNLCK);
        return false;
    }
    return errno == EAGAIN;
}

static bool is_stable(const struct scan *scan, const struct file *file)
{
    int64_t age = clock_unix_microseconds() - changed_at(&file->status);

    return (age < 0 || age >= scan->plan->quiet_seconds * SECOND_US) && !is_being_written(file->fd);
}

static enum error check(const struct scan *scan, struct file *file, const char **clean)
{
    struct arena *arena = file->call.arena;
    const char *name = upload_base_name(file->path);
    enum file_type type = file_type_of(name);
    char bytes[SNIFFED];
    ssize_t got;

    *clean = upload_clean_name(arena, name);
    if (!*clean)
        return refuse(file, "the name cannot be that of a document");
    if (!upload_is_allowed(type))
        return refuse(file, arena_print(arena, "unsupported file type %s", upload_extension(name)));
    if (file->status.st_size > scan->plan->settings->max_upload_bytes)
        return refuse(file, "the file is larger than MAX_UPLOAD_BYTES");
    got = pread(file->fd, bytes, sizeof bytes, 0);
    if (got < 0)
        return not_read(file);
    return file_has_type_of(type, bytes, (size_t)got)
               ? ERROR_NONE
               : refuse(file, "the content is not what the name says");
}

/* The folder below the root that the file is in; NULL for files of the root itself. */
static const char *top_folder(const struct scan *scan, struct arena *arena, const char *path)
{
    const char *below = path + strlen(scan->plan->root) + 1, *slash = strchr(below, '/');

    return slash ? arena_copy(arena, below, (size_t)(slash - below)) : NULL;
}

/* The groups that a new document of this file gets. */
static enum error groups_of(const struct scan *scan, const struct document_call *call,
                            const char *path, struct string_list *groups)
{
    const char *folder = scan->plan->group_by_folder ? top_folder(scan, call->arena, path) : NULL;
    struct string_list names = {0};

    for (size_t i = 0; i < scan->plan->groups.count; i++)
        *ARRAY_ADD(call->arena, names.items, names.count) = scan->plan->groups.items[i];
    if (folder)
        *ARRAY_ADD(call->arena, names.items, names.count) = folder;
    return groups_read(call->arena, &names, groups, call->problem);
}

static enum error claim(const struct scan *scan, struct file *file, const char *clean)
{
    struct string_list groups;
    enum error error = groups_of(scan, &file->call, file->path, &groups);

    return error ? error
                 : source_claim(&file->call, scan->origin, file->path, clean, file->before, &groups,
                                &file->doc_id);
}

static enum error not_copied(struct file *file, int code)
{
    return problem_set(&file->problem, ERROR_UNAVAILABLE, disk_reason(code, "file_not_copied"),
                       "it cannot be copied: %s",
                       code == CHANGED ? "it changed meanwhile" : strerror(code));
}

/* 0, the errno, or CHANGED. */
static int copy_bytes(const struct file *file, int to)
{
    struct stat now;
    off_t at = 0;

    while (at < file->status.st_size) {
        ssize_t sent = sendfile(to, file->fd, &at, COPY_AT_ONCE);

        if (sent <= 0)
            return sent < 0 ? errno : CHANGED; /* shorter than it was: somebody writes it */
    }
    if (fsync(to) != 0 || fstat(file->fd, &now) != 0)
        return errno;
    return now.st_size == file->status.st_size && changed_at(&now) == changed_at(&file->status)
               ? 0
               : CHANGED;
}

/* The copy takes the place of the last one at once and whole. */
static enum error copy(const struct scan *scan, struct file *file)
{
    struct arena *arena = file->call.arena;
    const char *folder = ingest_upload_folder(arena, scan->plan->settings, file->call.tenant);
    const char *beside = arena_print(arena, "%s/.new-%ld", folder, (long)getpid());
    int to = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    int code;

    file->stored = arena_print(arena, "%s/%s", folder, file->doc_id);
    if (to < 0)
        return not_copied(file, errno);
    code = copy_bytes(file, to);
    close(to);
    if (!code && rename(beside, file->stored) != 0)
        code = errno;
    if (code) {
        unlink(beside);
        return not_copied(file, code);
    }
    data_file_sync_name(arena, file->stored);
    return ERROR_NONE;
}

static enum error ingest(const struct scan *scan, struct file *file, struct ingest_result *done)
{
    const struct ingest_request request = {.path = file->stored,
                                           .doc_id = file->doc_id,
                                           .title = upload_base_name(file->path),
                                           .models = scan->plan->models};
    enum error error = ingest_document(&file->call, scan->plan->settings, &request, done);

    if (!error && !done->documents)
        return refuse(file, *done->unread ? done->unread : "no text could be extracted");
    return error;
}

static enum error take(const struct scan *scan, struct file *file, struct ingest_result *done)
{
    const char *clean;
    enum error error = check(scan, file, &clean);

    if (!error)
        error = claim(scan, file, clean);
    if (!error)
        error = copy(scan, file);
    return error ? error : ingest(scan, file, done);
}

/* What became of it is stored, so that a restart does not try it again. An old version of a
 * document stays when the new one is refused. */
static enum error keep(const struct scan *scan, struct file *file, enum error error)
{
    const char *before = file->before ? file->before->doc_id : NULL;
    const struct source_row row = {.name = file->path,
                                   .doc_id = error ? before : file->doc_id,
                                   .size_bytes = file->status.st_size,
                                   .modified_at = changed_at(&file->status),
                                   .problem = error ? file->problem.text : NULL,
                                   .mount = tree_mount_of(&scan->tree, file->path)};

    return source_put(scan->call, scan->origin, &row);
}

static enum error take_open(const struct scan *scan, struct file *file)
{
    struct ingest_result done = {0};
    enum error error = take(scan, file, &done);

    if (error && source_may_pass(error)) {
        report(scan, FOLDER_FAILED, file->path, file->problem.text);
        return ERROR_NONE;
    }
    report(scan,
           error               ? FOLDER_REFUSED
           : done.deduplicated ? FOLDER_SAME
                               : FOLDER_TAKEN,
           file->path, error ? file->problem.text : NULL);
    return keep(scan, file, error);
}

static bool is_unchanged(const struct file *file)
{
    return file->before && file->before->size_bytes == file->status.st_size &&
           file->before->modified_at == changed_at(&file->status);
}

/* Storage that has moved: its files are known already. */
static enum error keep_mount(const struct scan *scan, const struct source_row *before)
{
    const char *mount = tree_mount_of(&scan->tree, before->name);
    struct source_row row = *before;

    if (before->mount && strcmp(before->mount, mount) == 0)
        return ERROR_NONE;
    row.mount = mount;
    return source_put(scan->call, scan->origin, &row);
}

static enum error take_path(const struct scan *scan, const char *path)
{
    struct file file = {.path = path, .before = source_find(&scan->rows, path)};
    enum error error = ERROR_NONE;

    file.call = (struct document_call){.db = scan->call->db,
                                       .arena = scan->plan->work,
                                       .tenant = scan->call->tenant,
                                       .problem = &file.problem};
    file.fd = tree_open_file(&scan->tree, path);
    if (file.fd < 0 || fstat(file.fd, &file.status) != 0) {
        if (!tree_means_gone(errno))
            report(scan, FOLDER_FAILED, path, strerror(errno));
    } else if (S_ISREG(file.status.st_mode)) {
        if (is_unchanged(&file))
            error = keep_mount(scan, file.before);
        else if (is_stable(scan, &file))
            error = take_open(scan, &file);
        else
            scan->result->waiting++;
    }
    if (file.fd >= 0)
        close(file.fd);
    arena_reset(scan->plan->work);
    return error;
}

static enum error start(struct scan *scan)
{
    const char *host;
    enum error error =
        host_name(scan->call->arena, scan->plan->settings, &host, scan->call->problem);

    if (error)
        return error;
    scan->tree = (struct tree){.arena = scan->call->arena,
                               .root = scan->plan->root,
                               .fd = -1,
                               .folder = scan->plan->folder,
                               .unread = scan->plan->unread,
                               .context = scan->plan->context};
    signal(SIGIO, SIG_IGN); /* a lease may be broken while it is held for a moment */
    scan->origin = arena_print(scan->call->arena, "folder:%s", host);
    return source_list(scan->call, scan->origin, scan->plan->root, &scan->rows);
}

static enum error remove_file(const struct scan *scan, const struct source_row *row)
{
    struct string_list groups;
    enum error error = groups_of(scan, scan->call, row->name, &groups);

    if (!error)
        error = source_remove(scan->call, scan->origin, row, &groups);
    if (!error && row->doc_id)
        report(scan, FOLDER_REMOVED, row->name, NULL);
    return error;
}

static void leave_out(const struct scan *scan, const char *path, const char *why)
{
    if (scan->plan->unread)
        scan->plan->unread(scan->plan->context, path, why);
}

/* An empty folder may be the place of storage that is not mounted. */
static bool is_away(const struct scan *scan, const struct source_row *row)
{
    bool is_away = row->mount && !string_list_has(&scan->tree.mounts, row->mount);

    if (is_away)
        leave_out(scan, row->name, "its file system is not mounted");
    return is_away;
}

static bool is_gone(const struct scan *scan, const struct source_row *row)
{
    return !tree_has(&scan->tree, row->name) && tree_lacks(&scan->tree, row->name) &&
           !is_away(scan, row);
}

static enum error remove_gone(const struct scan *scan)
{
    const struct source_row *rows = scan->rows.items;
    enum error error = ERROR_NONE;

    if (!scan->plan->removes || !scan->rows.count)
        return ERROR_NONE;
    if (!scan->tree.paths.count) {
        leave_out(scan, scan->plan->root, "no file is there; nothing is removed");
        return ERROR_NONE;
    }
    for (size_t i = 0; !error && i < scan->rows.count; i++)
        if (is_gone(scan, &rows[i]))
            error = remove_file(scan, &rows[i]);
    return error;
}

static enum error take_all(struct scan *scan)
{
    enum error error = ERROR_NONE;

    tree_read(&scan->tree);
    scan->result->found = (int64_t)scan->tree.paths.count;
    for (size_t i = 0; !error && i < scan->tree.paths.count; i++) {
        if (scan->plan->must_stop && scan->plan->must_stop())
            return ERROR_NONE;
        error = take_path(scan, scan->tree.paths.items[i]);
    }
    return error ? error : remove_gone(scan);
}

static enum error open_root(struct scan *scan)
{
    enum error error = start(scan);

    if (!error && !tree_open(&scan->tree))
        error = problem_set(scan->call->problem, ERROR_UNAVAILABLE, "folder_unreadable", "%s: %s",
                            scan->plan->root, strerror(errno));
    return error;
}

enum error folder_scan(const struct document_call *call, const struct folder_plan *plan,
                       struct folder_result *result)
{
    struct scan scan = {.call = call, .plan = plan, .result = result};
    enum error error = open_root(&scan);

    *result = (struct folder_result){0};
    if (error)
        return error;
    error = take_all(&scan);
    tree_close(&scan.tree);
    return error;
}

enum error folder_take(const struct document_call *call, const struct folder_plan *plan,
                       const char *path, struct folder_result *result)
{
    struct scan scan = {.call = call, .plan = plan, .result = result};
    enum error error = open_root(&scan);

    *result = (struct folder_result){.found = 1};
    if (error)
        return error;
    error = take_path(&scan, path);
    tree_close(&scan.tree);
    return error;
}
