/** The console of a worker whose group has a worker of Java's. */
import { startJavaConnect } from '../../../dev/services/java-connect';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import type { Overview } from '@millrace/console';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const group = uniqueName('console-java');
let workers: StartedWorker[] = [];

beforeAll(async () => {
  workers = [await startWorker({ group }), await startJavaConnect({ group })];
  await Promise.all(workers.map((worker) => worker.ready()));
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
});

test("Java's worker is a member without figures", async () => {
  const [ours, java] = workers as [StartedWorker, StartedWorker];
  const rows = await waitFor('both workers', async () => {
    const { json } = await ours.request('GET', '/ui/api/overview');
    const found = (json as Overview).workers;
    return found.length === 2 && found;
  });
  expect(Object.fromEntries(rows.map(({ id, state, problem, isThis }) => [id, [state, problem, isThis]]))).toEqual({
    [new URL(ours.url).host]: ['answering', null, true],
    [new URL(java.url).host]: ['other', null, false],
  });
});
