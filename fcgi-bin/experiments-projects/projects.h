/* Handlers of the project routes: they call the store and contain no SQL and no rules. */
#ifndef ASSAY_EXPERIMENTS_PROJECTS_PROJECTS_H
#define ASSAY_EXPERIMENTS_PROJECTS_PROJECTS_H

#include "http/route.h"

enum error projects_list(struct request *request, struct reply *reply);
enum error projects_create(struct request *request, struct reply *reply);
enum error projects_read(struct request *request, struct reply *reply);
enum error projects_update(struct request *request, struct reply *reply);
enum error projects_delete(struct request *request, struct reply *reply);
enum error projects_archive(struct request *request, struct reply *reply);
enum error projects_restore(struct request *request, struct reply *reply);
enum error projects_add_analysis(struct request *request, struct reply *reply);
enum error projects_add_export(struct request *request, struct reply *reply);
enum error projects_history(struct request *request, struct reply *reply);
enum error projects_revisions(struct request *request, struct reply *reply);

#endif
