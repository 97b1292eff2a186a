/* A file of 400 made-up users, for people who want to see the page at work before they have a file. */
const modulus = 2 ** 31;

/* From 0 to 1: a linear congruential generator, so that the example is the same for everybody. */
function generator(seed) {
    let state = seed;
    return () => {
        state = (state * 1103515245 + 12345) % modulus;
        return state / modulus;
    };
}

export function exampleFile() {
    const draw = generator(7);
    const sum = () => draw() + draw() + draw() + draw() - 2;
    const lines = ['user_id,variant,revenue,revenue_before,orders'];
    for (let user = 1; user <= 400; user++) {
        const treated = user % 2 === 0;
        const before = 20 + 9 * sum();
        const revenue = before + (treated ? 1.5 : 0) + 5 * sum();
        const known = draw() < 0.1 ? '' : before.toFixed(2);
        lines.push([`user-${user}`, treated ? 'new checkout' : 'control', revenue.toFixed(2), known, 1 + Math.floor(4 * draw())].join(','));
    }
    return new File([`${lines.join('\n')}\n`], 'example-users.csv', { type: 'text/csv' });
}
