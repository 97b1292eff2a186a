/* Runs an action; what the API has against it is said in passing. Resolves to whether it was done. */
import { hasText, t } from '../shared/i18n.js';
import { ApiError } from '../shared/ui/errors.js';
import { toast } from '../shared/ui/toast.js';

export async function attempt(action) {
    try {
        await action();
        return true;
    } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const key = `notice.${error.kind}`;
        toast(error.message || t(hasText(key) ? key : 'notice.server'), { tone: 'danger' });
        return false;
    }
}
