/** Finds the broker that another process hosts on a data folder, without starting one. */
import { join } from 'node:path';
import { readJson } from 'fs-extra';
import { ConnectError } from '@millrace/sdk';
import type { RunningBroker } from './thread-messages';

/** The owner of the data folder writes its address to this file. */
const ANNOUNCEMENT = 'broker.json';

/**
 * @param clusterIdAt resolves with the cluster id of the broker at an address; null if none answers
 * @returns `host:port`
 * @throws ConnectError `EMBEDDED_BROKER_ABSENT` if none runs; the file may be left over from an earlier broker
 */
export async function findRunningBroker(
  dataDir: string,
  clusterIdAt: (bootstrapServers: string) => Promise<string | null>,
): Promise<string> {
  const announced = await readAnnouncement(join(dataDir, ANNOUNCEMENT));
  if (announced && (await clusterIdAt(announced.bootstrapServers)) === announced.clusterId) {
    return announced.bootstrapServers;
  }
  throw new ConnectError(
    `No embedded broker runs on the data folder ${dataDir}: start one with "millrace dev", name its folder with --data-dir, or a Kafka cluster in bootstrap.servers.`,
    { code: 'EMBEDDED_BROKER_ABSENT' },
  );
}

async function readAnnouncement(file: string): Promise<RunningBroker | null> {
  try {
    const announced = (await readJson(file)) as Partial<RunningBroker> | null;
    const complete = typeof announced?.bootstrapServers === 'string' && typeof announced.clusterId === 'string';
    return complete ? (announced as RunningBroker) : null;
  } catch {
    return null;
  }
}
