/** How fresh an answer must be: one option of reads of entities, metrics, questions and batches. */

/** Milliseconds, or text as the service reads it: `200ms`, `2s`. */
export type Duration = number | string;

/** What cannot be met is a StaleDataError. */
export interface Freshness {
    /** The position of a write that the answer must include. */
    atLeast?: string;
    /** How long an acknowledged write may be missing. */
    maxStaleness?: Duration;
    /** How far the sources may lag behind. */
    maxEventAge?: Duration;
    /** How long the service waits until the bounds are met. */
    wait?: Duration;
}

const textOf = (duration: Duration | undefined) =>
    typeof duration === 'number' ? `${Math.round(duration)}ms` : duration;

/** As the service takes them, in a query or in a body. A text is a position. */
export function boundsOf(fresh: Freshness | string | undefined): Record<string, string> {
    const { atLeast, maxStaleness, maxEventAge, wait } =
        typeof fresh === 'string' ? { atLeast: fresh } as Freshness : (fresh ?? {});
    const members = {
        at_least: atLeast,
        max_staleness: textOf(maxStaleness),
        max_event_age: textOf(maxEventAge),
        wait: textOf(wait),
    };

    return Object.fromEntries(
        Object.entries(members).filter((member): member is [string, string] => member[1] !== undefined),
    );
}
