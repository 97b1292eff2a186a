-- When a workspace last called, as precise as the settings page shows it.
ALTER TABLE chatapp_installations ADD COLUMN last_event_at {text};
