/** `millrace apply` as a user starts it, on our worker. */
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { uniqueName } from '../../helpers/unique-name';
import { ApplyFixture } from './apply-fixture';

let worker: StartedWorker;
let fixture: ApplyFixture;
beforeAll(async () => {
  worker = await startWorker({ group: uniqueName('apply') });
  await worker.ready();
  fixture = await ApplyFixture.create(worker);
});
afterAll(async () => {
  await fixture?.close();
  await worker?.stop();
});

test('a folder of 50 connectors, killed and repeated: the second time there is no change', async () => {
  await fixture.appliesTwice();
});
