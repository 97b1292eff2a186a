/* How old the last backup is, in words and with a tone. */
import { t } from '../shared/i18n.js';
import { formatAgo, formatBytes } from '../shared/numbers.js';
import { badge } from '../shared/ui/badge.js';

const oldAfterMs = 2 * 86400000; /* backups are made daily */

/* {made_at, size_bytes} of /backup.json; made_at is null where none was made yet. */
export function backupBadge({ made_at: at, size_bytes: size }) {
    if (at === null) return badge(t('backup.none'), 'caution');
    const old = Date.now() - Date.parse(at) > oldAfterMs;
    return badge(t('backup.last', { time: formatAgo(at), size: formatBytes(size) }), old ? 'caution' : 'good');
}
