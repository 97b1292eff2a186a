/* Private to common/db: libpq, which is loaded when the first connection to a server is made. What
 * libpq calls PQexec is pq.exec here. */
#ifndef ASSAY_DB_LIBPQ_H
#define ASSAY_DB_LIBPQ_H

#include "base/error.h"

#include <stdbool.h>

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h> /* where Debian puts it */
#endif

/* What is called of it; clang-format would take the list for nested calls. */
/* clang-format off */
#define LIBPQ_FUNCTIONS(X) \
    X(backendPID) X(clear) X(cmdStatus) X(cmdTuples) X(connectPoll) X(connectStartParams) X(consumeInput) \
    X(enterPipelineMode) X(errorMessage) X(exitPipelineMode) X(finish) X(flush) X(fname) \
    X(freemem) X(ftype) X(getResult) X(getisnull) X(getlength) X(getvalue) X(isBusy) X(nfields) \
    X(notifies) X(ntuples) X(parameterStatus) X(pipelineSync) X(resultErrorField) \
    X(resultMemorySize) X(resultStatus) X(sendPrepare) X(sendQuery) X(sendQueryParams) \
    X(sendQueryPrepared) X(serverVersion) X(setErrorVerbosity) X(setNoticeReceiver) \
    X(setnonblocking) X(socket) X(status) X(transactionStatus) X(unescapeBytea)
/* clang-format on */

#define LIBPQ_MEMBER(name) __typeof__(PQ##name) *(name);
struct libpq {
    LIBPQ_FUNCTIONS(LIBPQ_MEMBER)
};
#undef LIBPQ_MEMBER

extern struct libpq pq;

/* False where libpq cannot be loaded; pq may not be used then. */
MUST_CHECK bool libpq_load(void);

#endif
