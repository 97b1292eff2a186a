/* The state of the installation: whether all services and their pools answer, and what each says of its parts. */
import '../../shared/shell.js';
import { currentPerson } from '../../shared/person.js';
import { mount } from '../../shared/ui/app.js';
import { createClient } from '../../shared/ui/client.js';
import { createResource } from '../../shared/ui/resource.js';
import { partsOf } from './parts.js';
import { checkServices, listedServices } from './services.js';
import { view } from './view.js';

const checkEveryMs = 30000;
const client = createClient();
let app = null;

const services = createResource(
    () => app?.update(),
    async (signal) => {
        const listed = await listedServices(client, signal);
        const [checks, ...parts] = await Promise.all([
            checkServices(client, listed, signal),
            ...listed.map(({ name }) => partsOf(name, signal)),
        ]);
        return listed.map((service, index) => ({ ...service, ...checks[service.name], parts: parts[index] }));
    },
);

await currentPerson();
app = mount(document.getElementById('page'), view, { services });
await services.load();
services.every(checkEveryMs);
