/* Calls of the chat platform: commands, buttons, events. Private to fcgi-bin/experiments-chat/. */
#ifndef ASSAY_EXPERIMENTS_CHAT_CALLS_H
#define ASSAY_EXPERIMENTS_CHAT_CALLS_H

#include "experiments/service.h"

extern const struct schema chat_reply_schema, chat_event_reply_schema;

enum error chat_command_handle(struct request *request, struct reply *reply);
enum error chat_interactive_handle(struct request *request, struct reply *reply);
enum error chat_event_handle(struct request *request, struct reply *reply);

#endif
