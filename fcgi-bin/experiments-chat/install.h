/* Installs the app in a workspace of the chat platform. Private to fcgi-bin/experiments-chat/. */
#ifndef ASSAY_EXPERIMENTS_CHAT_INSTALL_H
#define ASSAY_EXPERIMENTS_CHAT_INSTALL_H

#include "experiments/service.h"

extern const struct schema install_query_schema, installed_schema, chat_status_schema;

enum error install_handle(struct request *request, struct reply *reply);
enum error install_callback_handle(struct request *request, struct reply *reply);
enum error chat_status_handle(struct request *request, struct reply *reply);

#endif
