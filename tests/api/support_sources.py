"""What the tests of documents that come from folders and sites have in common."""

from support_admin_test import token


def forget_documents(support):
    """Deletes all documents, and what is known of where they came from."""
    for [name] in support.sql("SELECT doc_id FROM kb_documents"):
        assert support.send("DELETE", f"/api/documents/{name}", headers=token("admin")).status_code == 200
    for table in ("kb_sources", "kb_document_groups", "kb_upload_names"):
        support.sql(f"DELETE FROM {table}")
