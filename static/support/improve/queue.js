/* The review queue by question: answers to the same question are looked at together. */

/** Rows of one question together, in the order in which the first of each comes.
 *
 * @param {any[]} items
 */
export function sameQuestion(items) {
    const groups = new Map();
    for (const row of items) {
        const key = row.question?.trim().toLocaleLowerCase() ?? row.trace_id;
        groups.set(key, [...(groups.get(key) ?? []), row]);
    }
    return [...groups.values()];
}
