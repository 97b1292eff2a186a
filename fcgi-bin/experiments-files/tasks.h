/* Analyses of uploaded files as tasks: the order, its state and what it found, and calling it off.
 */
#ifndef ASSAY_EXPERIMENTS_FILES_TASKS_H
#define ASSAY_EXPERIMENTS_FILES_TASKS_H

#include "http/route.h"

enum error task_handle_order(struct request *request, struct reply *reply);
enum error task_handle_read(struct request *request, struct reply *reply);
enum error task_handle_delete(struct request *request, struct reply *reply);

#endif
