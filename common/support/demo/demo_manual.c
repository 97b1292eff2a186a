/* Writes the manual with the suite's own report writer, and ingests it. It is a PDF, but for a
 * language whose letters cannot be read back from one: a name that ends in .html is HTML. */
#include "support/demo/demo.h"

#include "documents/reader.h"
#include "i18n/i18n.h"
#include "report/document.h"
#include "support/documents/ingest.h"
#include "support/programs/data_files.h"

enum { PDF_MAX = 4 * 1024 * 1024, PAGES_MAX = 20, TEXT_MAX = 256 * 1024, SECONDS_MAX = 20 };

static void compose(struct report_document *document, const struct demo_manual *manual,
                    const char *language)
{
    const struct demo_section *sections = manual->sections.items;

    document->language = language;
    document->right_to_left = locale_is_right_to_left(locale_get(language_find(language)));
    document->title = manual->title;
    document->subtitle = manual->subtitle;
    document->page = "{{page}} / {{pages}}";
    document->mark = "";
    document->none = "";
    document->contents = "";
    for (size_t i = 0; i < manual->sections.count; i++) {
        document_heading(document, 1, sections[i].heading);
        document_text(document, sections[i].text);
        if (sections[i].steps.count)
            document_bullets(document, &sections[i].steps);
    }
}

static enum error write(const struct demo_call *call, const struct demo_manual *manual,
                        const char *path)
{
    const struct report_limits limits = {PAGES_MAX, TEXT_MAX, SECONDS_MAX};
    const struct document_call *documents = call->documents;
    struct report_document document;
    struct text bytes;
    enum error error = ERROR_NONE;

    document_start(&document, documents->arena);
    compose(&document, manual, call->files->language);
    text_start(&bytes, documents->arena, PDF_MAX);
    if (file_type_of(path) == FILE_HTML)
        document_write_html(&document, &bytes);
    else
        error = document_write_pdf(&document, &limits, &bytes, documents->problem);
    return error ? error
                 : data_file_write(documents->arena, path, bytes.bytes, bytes.length,
                                   documents->problem);
}

enum error demo_add_manual(const struct demo_call *call, const struct demo_manual *manual,
                           bool *written)
{
    const struct document_call *documents = call->documents;
    const struct ingest_request request = {
        .path =
            arena_print(documents->arena, "%s/%s",
                        ingest_upload_folder(documents->arena, call->settings, documents->tenant),
                        manual->file),
        .doc_id = manual->file,
        .title = manual->title};
    struct ingest_result result;
    struct document_row row;
    bool found;
    enum error error = document_find(documents, manual->file, &row, &found);

    *written = !error && !found;
    if (!*written)
        return error;
    error = write(call, manual, request.path);
    return error ? error : ingest_document(documents, call->settings, &request, &result);
}
