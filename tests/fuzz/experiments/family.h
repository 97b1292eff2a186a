/* The responders of the experiments service in one process, on one SQLite file in a temporary
 * folder that goes when the process ends. */
#ifndef ASSAY_FAMILY_H
#define ASSAY_FAMILY_H

#include "http/server.h"

extern const struct http_family *const family_advice;
extern const struct http_family *const family_analysis;
extern const struct http_family *const family_compute;
extern const struct http_family *const family_operations;
extern const struct http_family *const family_projects;
extern const struct http_family *const family_reports;
extern const struct http_family *const family_system;

/* The tokens of all of them; NULL at the end. */
extern const char family_write_token[], family_admin_token[];
extern const char *const family_secrets[];

/* The one that a path belongs to, started when first asked for; the system family answers what no
 * other does. It lives as long as the process. */
struct server *family_of_path(const char *path);

/* The database is as empty again as it was at the start, so that an input means the same whatever
 * came before it. */
void family_forget(void);

#endif
