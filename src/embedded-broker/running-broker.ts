/** Finds the broker that another process hosts on a data folder, without starting one. */
import { join } from 'node:path';
import { readJson } from 'fs-extra';
import { ConnectError } from '@millrace/sdk';
import type { RunningBroker } from './broker-thread-messages';

/** The owner of the data folder writes its address to this file. */
const ADDRESS_FILE = 'broker.json';
/** Where a worker's broker listens. A file with another address, of a checkout for example, is not one of ours. */
const LOOPBACK = /^127\.0\.0\.1:\d{1,5}$/;

/**
 * @param clusterIdAt resolves with the cluster id of the broker at an address; null if none answers
 * @returns `host:port`
 * @throws ConnectError `EMBEDDED_BROKER_ABSENT` if none runs; the file may be left over from an earlier broker
 */
export async function findRunningBroker(
  dataDir: string,
  clusterIdAt: (bootstrapServers: string) => Promise<string | null>,
): Promise<string> {
  const published = await readAddressFile(join(dataDir, ADDRESS_FILE));
  if (published && (await clusterIdAt(published.bootstrapServers)) === published.clusterId) {
    return published.bootstrapServers;
  }
  throw new ConnectError(
    `No embedded broker runs on the data folder ${dataDir}. Start one with "millrace dev", choose its folder with --data-dir, or set bootstrap.servers to a Kafka cluster.`,
    { code: 'EMBEDDED_BROKER_ABSENT' },
  );
}

async function readAddressFile(file: string): Promise<RunningBroker | null> {
  try {
    const published = (await readJson(file)) as Partial<RunningBroker> | null;
    const complete = LOOPBACK.test(String(published?.bootstrapServers)) && typeof published?.clusterId === 'string';
    return complete ? (published as RunningBroker) : null;
  } catch {
    return null;
  }
}
