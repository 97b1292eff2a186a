/*
 * Whether this program was built with the address, thread or memory sanitizer. Such a process needs
 * terabytes of address space, replaces malloc() itself, and starts a process to symbolize its
 * reports.
 */
#ifndef ASSAY_BASE_SANITIZED_H
#define ASSAY_BASE_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#endif
