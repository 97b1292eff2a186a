/* An answer goes into the review queue by one press, wherever it is seen. */
import { t } from '../shared/i18n.js';
import { ApiError } from '../shared/ui/errors.js';
import { toast } from '../shared/ui/toast.js';
import { addresses } from './service.js';

/* The page with a case open. */
function caseAddress(id, status) {
    return `${addresses.improve}?${new URLSearchParams({ status, case: String(id) })}`;
}

async function caseOf(client, trace) {
    const { items } = (await client.get('/api/admin/review-queue', { query: { status: '*', trace_id: trace } })).data;
    return items[0] ?? null;
}

/* The address of the case of an answer, which is made if there is none yet; another reader may be faster. */
export async function reviewAddress(client, trace) {
    const found = await caseOf(client, trace);
    if (found !== null) return caseAddress(found.id, found.status);
    try {
        const { data } = await client.post('/api/admin/review-queue', { trace_id: trace });
        return caseAddress(data.id, data.status);
    } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 409) throw error;
    }
    const made = await caseOf(client, trace);
    return made === null ? addresses.improve : caseAddress(made.id, made.status);
}

/* Answers that are in the queue already are as welcome there. */
export async function sendToReview(client, trace) {
    const address = await reviewAddress(client, trace);
    toast(t('review.sent'), { action: { title: t('review.open'), run: () => location.assign(address) } });
}
