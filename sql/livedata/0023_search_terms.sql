-- The words of a document are found by its tenant and the words themselves: nothing reads them by its number alone.
DROP INDEX search_terms_by_doc;
