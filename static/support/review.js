/* An answer goes into the review queue by one press, wherever it is seen. */
import { t } from '../shared/i18n.js';
import { ApiError } from '../shared/ui/errors.js';
import { toast } from '../shared/ui/toast.js';
import { addresses } from './service.js';

/* Answers that are in the queue already are as welcome there. */
export async function sendToReview(client, trace) {
    try {
        await client.post('/api/admin/review-queue', { trace_id: trace });
    } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 409) throw error;
    }
    toast(t('review.sent'), { action: { title: t('review.open'), run: () => location.assign(addresses.improve) } });
}
