/* Landlock restricts files, a seccomp filter restricts system calls. The caller passes the writable
 * directories; this file must not depend on the program. */
#include "base/confine.h"
#include "base/sanitized.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *const confine_mode_names[CONFINE__MAX + 1] = {"auto", "on", "off", NULL};

static struct confinement state;

/* Newer than the headers of Debian 12: truncation, since version 3 of Landlock. */
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

/* The rights to change files or run them. Reading is not listed and therefore allowed. */
static const uint64_t file_changes =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
    LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
    LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
/* The rights of a worker below its directories; devices, pipes and links are not included. */
static const uint64_t file_work = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                  LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                  LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                                  LANDLOCK_ACCESS_FS_TRUNCATE;

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* Calls that fail with EPERM. */
static const int denied[] = {
    /* other programs, and other processes' memory */
    __NR_execve,
    __NR_execveat,
    __NR_ptrace,
    __NR_process_vm_readv,
    __NR_process_vm_writev,
    __NR_pidfd_getfd,
    __NR_kcmp,
    __NR_process_madvise,
    /* what Landlock does not cover: owners, modes and attributes of files, by name */
    __NR_fchmodat,
    __NR_fchownat,
    __NR_setxattr,
    __NR_lsetxattr,
    __NR_removexattr,
    __NR_lremovexattr,
    __NR_mknodat,
    __NR_name_to_handle_at,
    __NR_open_by_handle_at,
    /* namespaces and file systems */
    __NR_unshare,
    __NR_setns,
    __NR_mount,
    __NR_umount2,
    __NR_pivot_root,
    __NR_chroot,
    __NR_open_tree,
    __NR_move_mount,
    __NR_fsopen,
    __NR_fsconfig,
    __NR_fsmount,
    __NR_fspick,
    __NR_mount_setattr,
    __NR_swapon,
    __NR_swapoff,
    __NR_quotactl,
    __NR_acct,
    /* ways around a filter of calls, and large attack surfaces of the kernel */
    __NR_io_uring_setup,
    __NR_io_uring_enter,
    __NR_io_uring_register,
    __NR_bpf,
    __NR_perf_event_open,
    __NR_userfaultfd,
    __NR_add_key,
    __NR_request_key,
    __NR_keyctl,
    __NR_personality,
    /* the machine */
    __NR_init_module,
    __NR_finit_module,
    __NR_delete_module,
    __NR_kexec_load,
    __NR_reboot,
    __NR_settimeofday,
    __NR_clock_settime,
    __NR_adjtimex,
    __NR_clock_adjtime,
    __NR_sethostname,
    __NR_setdomainname,
    __NR_syslog,
    __NR_vhangup,
    /* other identities */
    __NR_setuid,
    __NR_setgid,
    __NR_setreuid,
    __NR_setregid,
    __NR_setresuid,
    __NR_setresgid,
    __NR_setgroups,
    __NR_capset,
#if defined(__x86_64__)
    __NR_fork,
    __NR_vfork,
    __NR_chmod,
    __NR_chown,
    __NR_lchown,
    __NR_mknod,
    __NR_iopl,
    __NR_ioperm,
    __NR_modify_ldt,
    __NR_kexec_file_load,
#endif
};

/* Calls above this are newer than the headers of Debian 12 (or x32's); libc works without them. */
enum { LAST_KNOWN_CALL = __NR_set_mempolicy_home_node };

enum { DENIED = sizeof denied / sizeof denied[0] };

static void note_missing(const char *what, const char *why)
{
    size_t length = strlen(state.missing);

    snprintf(state.missing + length, sizeof state.missing - length, "%s%s: %s", length ? "; " : "",
             what, why);
}

#ifdef ARCHITECTURE
#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define GIVE(verdict) BPF_STMT(BPF_RET | BPF_K, (verdict))
/* Continues with the next instruction if the test holds, else with the one after that. */
#define WHEN(test, value) BPF_JUMP(BPF_JMP | (test) | BPF_K, (uint32_t)(value), 0, 1)
#define UNLESS(test, value) BPF_JUMP(BPF_JMP | (test) | BPF_K, (uint32_t)(value), 1, 0)
#define REFUSE(code) GIVE(SECCOMP_RET_ERRNO | (code))

/* The same numbers are other calls on another architecture, so such a process is killed. clone()
 * may create threads only. The flags of clone3() are in memory, where the filter cannot read them;
 * it fails with ENOSYS and libc uses clone(). */
static const struct sock_filter filter_head[] = {
    LOAD(arch),
    UNLESS(BPF_JEQ, ARCHITECTURE),
    GIVE(SECCOMP_RET_KILL_PROCESS),
    LOAD(nr),
    WHEN(BPF_JGT, LAST_KNOWN_CALL),
    REFUSE(ENOSYS),
    WHEN(BPF_JEQ, __NR_clone3),
    REFUSE(ENOSYS),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 4),
    LOAD(args[0]),
    WHEN(BPF_JSET, CLONE_THREAD),
    GIVE(SECCOMP_RET_ALLOW),
    REFUSE(EPERM),
};

enum { FILTER_HEAD = sizeof filter_head / sizeof filter_head[0] };

static void confine_calls(void)
{
    struct sock_filter filter[FILTER_HEAD + 2 * DENIED + 1];
    struct sock_fprog program = {.len = sizeof filter / sizeof filter[0], .filter = filter};
    struct sock_filter *next = filter + FILTER_HEAD;

    memcpy(filter, filter_head, sizeof filter_head);
    for (size_t i = 0; i < DENIED; i++) {
        *next++ = (struct sock_filter)WHEN(BPF_JEQ, denied[i]);
        *next++ = (struct sock_filter)REFUSE(EPERM);
    }
    *next = (struct sock_filter)GIVE(SECCOMP_RET_ALLOW);
    state.calls =
        syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
    if (!state.calls)
        note_missing("seccomp", strerror(errno));
}
#else
static void confine_calls(void)
{
    note_missing("seccomp", "not for this processor");
}
#endif

/* Makes the directory and its parents. Errors show when it is opened. */
static void make_directory(const char *path)
{
    char part[4096];

    for (const char *end = path; *end; end++) {
        if (end[1] && end[1] != '/')
            continue;
        snprintf(part, sizeof part, "%.*s", (int)(end + 1 - path), path);
        (void)!mkdir(part, 0750);
    }
}

static bool allow_below(int rules, uint64_t handled, const char *directory)
{
    struct landlock_path_beneath_attr rule = {.allowed_access = handled & file_work};
    bool allowed;
    int fd;

    fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    rule.parent_fd = fd;
    allowed = fd >= 0 &&
              syscall(__NR_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    if (!allowed)
        note_missing(directory, strerror(errno));
    if (fd >= 0)
        close(fd);
    return allowed;
}

static void confine_files(const char *const *directories)
{
    struct landlock_ruleset_attr attributes = {.handled_access_fs = file_changes};
    long version = syscall(__NR_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    bool allowed = true;
    int rules;

    if (version >= 3)
        attributes.handled_access_fs |= LANDLOCK_ACCESS_FS_TRUNCATE;
    rules = version < 1 ? -1
                        : (int)syscall(__NR_landlock_create_ruleset, &attributes,
                                       sizeof attributes.handled_access_fs, 0);
    if (rules < 0) {
        note_missing("Landlock", strerror(errno));
        return;
    }
    for (size_t i = 0; directories[i] && allowed; i++)
        allowed = allow_below(rules, attributes.handled_access_fs, directories[i]);
    if (allowed) {
        state.files = syscall(__NR_landlock_restrict_self, rules, 0) == 0;
        if (!state.files)
            note_missing("Landlock", strerror(errno));
    }
    close(rules);
}

enum error confine_process(enum confine_mode mode, const char *const *directories,
                           struct problem *problem)
{
    state = (struct confinement){0};
    for (size_t i = 0; directories[i]; i++)
        make_directory(directories[i]);
    if (mode == CONFINE_OFF)
        return ERROR_NONE;
    if (SANITIZED) {
        note_missing("confinement", "this build has sanitizers");
    } else if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        note_missing("no_new_privs", strerror(errno));
    } else {
        confine_files(directories);
        confine_calls();
    }
    if (state.files && directories[0])
        setenv("TMPDIR", directories[0], 1);
    if (mode == CONFINE_ON && !(state.files && state.calls))
        return problem_set(problem, ERROR_SYSTEM, "not_confined",
                           "this process cannot be confined (%s)", state.missing);
    return ERROR_NONE;
}

const struct confinement *confine_state(void)
{
    return &state;
}
