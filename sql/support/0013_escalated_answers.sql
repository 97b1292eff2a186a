-- Which answers went to a person as a ticket that a tool made: the builder of review looks each of them up.

CREATE INDEX escalated_tickets_of_trace ON escalated_tickets (trace_id);
