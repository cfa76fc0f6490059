import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { uniqueName } from '../../helpers/unique-name';
import { testConnectorVerbs } from './connector-verbs';

describe('commands about connectors', () => {
  const group = uniqueName('verbs');
  let worker: StartedWorker;
  beforeAll(async () => {
    // Log lines and changes need no console.
    const settings = { 'offset.flush.interval.ms': '500', 'console.enabled': 'false' };
    worker = await startWorker({ group, settings });
    await worker.ready();
  });
  afterAll(() => worker?.stop());
  testConnectorVerbs(() => worker, group, true);
});
