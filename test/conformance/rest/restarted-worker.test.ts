/** connect-rest §7, case 87: needs a worker that these tests may stop. */
import { useEmbeddedBroker } from '@millrace/embedded';
import { uniqueName } from '../../helpers/unique-name';
import { states, Target } from './client';

(process.env.CONFORMANCE_URL === undefined ? describe : describe.skip)('a restarted worker', () => {
  const broker = useEmbeddedBroker();

  test('connect-rest 87: paused and stopped connectors keep their state when their worker restarts', async () => {
    const group = uniqueName('conformance');
    const config = { 'connector.class': 'FileStreamSink', topics: 't' };
    const inWorker = async (run: (worker: Target) => Promise<void>): Promise<void> => {
      const worker = await Target.start({ group, bootstrapServers: broker.bootstrapServers });
      try {
        await run(worker);
      } finally {
        await worker.close();
      }
    };
    const haveStates = async (worker: Target): Promise<void> => {
      await worker.poll('/connectors/paused/status', (a) => states(a)[0] === 'PAUSED');
      await worker.poll('/connectors/stopped/status', (a) => states(a).join() === 'STOPPED');
    };

    await inWorker(async (worker) => {
      for (const state of ['PAUSED', 'STOPPED']) {
        const document = { name: state.toLowerCase(), config, initial_state: state };
        expect((await worker.mutate('POST', '/connectors', document)).status).toBe(201);
      }
      await haveStates(worker);
    });
    await inWorker(async (worker) => {
      await haveStates(worker);
      expect((await worker.mutate('PUT', '/connectors/paused/resume')).status).toBe(202);
      await worker.poll('/connectors/paused/status', (a) => states(a).join() === 'RUNNING,RUNNING');
      expect(states(await worker.call('GET', '/connectors/stopped/status'))).toEqual(['STOPPED']);
    });
  });
});
