/* The keys and tenants of live data. */
import '../../shared/shell.js';
import { currentPerson } from '../../shared/person.js';
import { mount } from '../../shared/ui/app.js';
import { createKeys } from './keys.js';

let app = null;
const keys = createKeys(() => app?.update());
app = mount(document.getElementById('page'), () => keys.view());
await currentPerson();
app.update();
keys.load();
