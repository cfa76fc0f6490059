/** Composition root of the embedded broker's thread. In its own thread, its file I/O does not block the worker. */
import { parentPort, workerData } from 'node:worker_threads';
import { BrokerStartError, readRunningBroker, startEmbeddedBroker } from '@millrace/embedded';
import type { BrokerThreadData, FromBrokerThread } from './embedded-broker/broker-thread-messages';

const port = parentPort;
if (!port) throw new Error('broker-thread runs as a worker thread only');
const post = (message: FromBrokerThread): void => port.postMessage(message);
const data = workerData as BrokerThreadData;

startEmbeddedBroker({ ...data, log: (line) => post({ type: 'log', line }) }).then(
  (broker) => {
    // `stop` is the only message. If stopping fails, the rejection ends the thread too.
    port.once('message', () => void broker.stop().then(() => process.exit()));
    post({ type: 'serving', bootstrapServers: broker.bootstrapServers });
  },
  (error: unknown) => {
    if (!(error instanceof BrokerStartError)) {
      post({ type: 'failed', code: null, message: String((error as Error).stack) });
    } else if (error.code === 'DATA_FOLDER_IN_USE') {
      post({ type: 'in use', by: readRunningBroker(data.dataDir) });
    } else {
      post({ type: 'failed', code: error.code, message: error.message });
    }
  },
);
