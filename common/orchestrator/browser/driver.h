/*
 * Drives the web provider's page in Chromium as a user would: one session, one job at a time. Every
 * wait is bounded by the job's deadline and by a limit of its own.
 */
#ifndef ASSAY_ORCHESTRATOR_BROWSER_DRIVER_H
#define ASSAY_ORCHESTRATOR_BROWSER_DRIVER_H

#include "base/json.h"
#include "browser/launcher.h"
#include "browser/page.h"
#include "orchestrator/browser/attachments.h"
#include "orchestrator/browser/site.h"
#include "orchestrator/settings.h"

/* Why an operation failed; driver->message has the text. */
enum driver_error {
    DRIVER_OK,
    DRIVER_TIMED_OUT,      /* a time limit was reached */
    DRIVER_NOT_SIGNED_IN,  /* a user has to sign in first */
    DRIVER_PROFILE_IN_USE, /* another browser has the profile */
    DRIVER_UNAVAILABLE, /* no browser, or it does not start; or the page shows a robot challenge */
    DRIVER_CANCELLED,   /* the client has disconnected */
    DRIVER_WRONG_MODEL, /* the page shows another model than was requested */
    DRIVER_OTHER_ERROR
};

enum { DRIVER_LABEL_MAX = 200, DRIVER_MESSAGE_MAX = 400, DRIVER_JSON_MAX = 8192 };

/* How a model was chosen. */
struct selection {
    char actual[DRIVER_LABEL_MAX];
    const char *label_source;  /* "button", "option_state", "picker_unavailable"... */
    const char *lookup_source; /* how the option was found; NULL = it was not */
    bool verified, attempted, went_home, picker_unavailable;
    int waits;
    char before[DRIVER_LABEL_MAX], after[DRIVER_LABEL_MAX];
    const char *indicator;      /* an attribute of the option; NULL = none */
    char menu[DRIVER_JSON_MAX]; /* content of the menu, a JSON array */
};

/* How an answer was read from the page. */
struct reading {
    const char *text; /* of the job's arena */
    char source[DRIVER_LABEL_MAX];
    int candidates;
    bool from_body;
};

struct driver {
    const struct orchestrator_settings *settings;
    struct launcher *launcher;
    struct cdp_listener watch; /* of the job server; on_event is not used */
    struct arena *arena;       /* of the job */
    struct arena *polls[2];    /* of this poll and the previous one */
    double seconds;            /* of the job */
    double last_limit;         /* seconds of the last wait */
    int64_t deadline;          /* of the job */
    char message[DRIVER_MESSAGE_MAX];
    int lock;                     /* of the profile; -1 = not locked yet */
    const char *file_directory;   /* folder of the attachments during a job; NULL = attachments are
                                     disabled */
    struct string_list job_files; /* paths in it, of the job's arena */

    /* State of the session. */
    struct arena *session_arena;
    struct site site;
    struct cdp *cdp;
    struct page *page;
    bool active;

    /* Health of the driver. */
    char last_error[DRIVER_MESSAGE_MAX];
    bool signed_out;            /* at the last poll */
    bool thinking_missed;       /* in this session */
    char menu[DRIVER_JSON_MAX]; /* last seen */
    int64_t menu_at;            /* Unix microseconds; 0 = never */
    int64_t picker_missed_at;
};

/* Memory for the driver's life; false when there is none. */
bool driver_open(struct driver *driver, const struct orchestrator_settings *settings,
                 struct launcher *launcher);
/* Ends the browser too. */
void driver_close(struct driver *driver);

/* Resets the state of the previous job; the new job may take that many seconds. */
void driver_begin_job(struct driver *driver, double seconds);

/* session.c: starts the browser and shows the provider's page. */
enum driver_error driver_ensure_session(struct driver *driver);
void driver_end_session(struct driver *driver);
enum driver_error driver_go_home(struct driver *driver);

/* Best effort: accepts the cookie dialog, dismisses overlays. */
enum driver_error driver_dismiss_popups(struct driver *driver);
enum driver_error driver_check_signed_in(struct driver *driver);

/* menu.c. Selecting a model does not fail when its label cannot be verified; `selection` shows the
 * result. */
enum driver_error driver_select_model(struct driver *driver, const char *label,
                                      struct selection *selection);
/* Opens the menu; writes its first line to `first`, "" when it did not open. A wrong menu begins
 * with the page's own texts: then the next button is tried. */
enum driver_error driver_open_menu(struct driver *driver, struct selection *selection,
                                   char first[DRIVER_LABEL_MAX]);
/* The model names in the menu, as a JSON array from the job's arena. */
enum driver_error driver_read_labels(struct driver *driver, const char **labels);
enum driver_error driver_enable_thinking(struct driver *driver, const char *label);

/* attach.c: copies files to where the browser can read them, and selects them in the page.
 * driver_drop_files() deletes them after the job. */
enum driver_error driver_attach(struct driver *driver, const struct attachments *attachments);
void driver_drop_files(struct driver *driver);

/* prompt.c */
enum driver_error driver_submit(struct driver *driver, const char *prompt);
enum driver_error driver_wait_answer(struct driver *driver, const char *prompt,
                                     struct reading *reading);

/* Shared by the files above. */
MUST_CHECK enum driver_error driver_fail(struct driver *driver, enum driver_error failure,
                                         const char *format, ...)
    __attribute__((format(printf, 3, 4)));
MUST_CHECK enum driver_error driver_outcome(struct driver *driver, enum cdp_outcome outcome);
/* The deadline in that many seconds, but not after the job's deadline. */
int64_t driver_until(struct driver *driver, double seconds);
enum driver_error driver_ask(struct driver *driver, const char *question, json_t **value);
enum driver_error driver_poll(struct driver *driver, json_t **value);
enum driver_error driver_wait(struct driver *driver, double seconds);

/* Finds an element by its name in the script and clicks it, by mouse, or by script when something
 * covers it. *found is false when there is none. */
enum driver_error driver_click(struct driver *driver, const char *what, const char *label, int turn,
                               bool *found);
void driver_screenshot(struct driver *driver, const char *step, const char *label);
bool driver_flag(const json_t *view, const char *key);

#endif
