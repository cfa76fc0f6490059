/** connect-rest §7, case 87: needs a worker that these tests may stop. */
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { uniqueName } from '../../helpers/unique-name';

const given = process.env.CONFORMANCE_URL !== undefined;

(given ? test.skip : test)(
  'connect-rest 87: paused and stopped connectors keep their state when their worker restarts',
  async () => {
    const group = uniqueName('conformance');
    // A sink's consumer group is named after it: other tests have a sink called "paused".
    const [paused, stopped] = [uniqueName('paused'), uniqueName('stopped')];
    const config = { 'connector.class': 'FileStreamSink', topics: uniqueName('conformance') };
    const states = async (worker: StartedWorker): Promise<void> => {
      await worker.statusWhen(paused, (s) => s.connector.state === 'PAUSED');
      await worker.statusWhen(stopped, (s) => s.connector.state === 'STOPPED' && s.tasks.length === 0);
    };

    const before = await startWorker({ group });
    try {
      await before.ready();
      for (const [name, state] of [
        [paused, 'PAUSED'],
        [stopped, 'STOPPED'],
      ]) {
        const answer = await before.request('POST', '/connectors', { name, config, initial_state: state });
        expect(answer.status).toBe(201);
      }
      await states(before);
    } finally {
      await before.stop();
    }

    const after = await startWorker({ group });
    try {
      await after.ready();
      await states(after);
      expect((await after.request('PUT', `/connectors/${paused}/resume`)).status).toBe(202);
      await after.running(paused);
      expect((await after.request('GET', `/connectors/${stopped}/status`)).json.connector.state).toBe('STOPPED');
    } finally {
      await after.stop();
    }
  },
);
