-- What has caused a job: the request's id, and the span in which the job was added (a traceparent of W3C Trace
-- Context). NULL = no request has, or its trace is not recorded.
ALTER TABLE jobs ADD COLUMN request_id {text};
ALTER TABLE jobs ADD COLUMN trace {text};
