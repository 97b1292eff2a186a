/* Private to common/net: libcurl, which is loaded for the first call to the outside. What libcurl
 * calls curl_easy_init is curl.easy_init here. */
#ifndef ASSAY_NET_LIBCURL_H
#define ASSAY_NET_LIBCURL_H

#include "base/error.h"

#include <curl/curl.h>
#include <stdbool.h>

/* The functions that are used; clang-format would take the list for nested calls. */
/* clang-format off */
#define LIBCURL_FUNCTIONS(X) \
    X(easy_cleanup) X(easy_getinfo) X(easy_init) X(easy_perform) X(easy_recv) X(easy_send) \
    X(easy_setopt) X(easy_strerror) X(free) X(global_init) X(multi_add_handle) X(multi_assign) \
    X(multi_info_read) X(multi_init) X(multi_perform) X(multi_poll) X(multi_remove_handle) \
    X(multi_setopt) X(multi_socket_action) X(slist_append) X(slist_free_all) X(url) \
    X(url_cleanup) X(url_get) X(url_set)
/* clang-format on */

#define LIBCURL_MEMBER(name) __typeof__(curl_##name) *(name);
struct libcurl {
    LIBCURL_FUNCTIONS(LIBCURL_MEMBER)
};
#undef LIBCURL_MEMBER

extern struct libcurl curl;

/* False if libcurl cannot be loaded; curl must not be used then. */
MUST_CHECK bool libcurl_load(void);

#endif
