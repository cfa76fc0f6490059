/** Finds the broker that another process hosts on a data folder, without starting one. */
import { join } from 'node:path';
import { readJson } from 'fs-extra';
import { ConnectError } from '@millrace/sdk';
import type { RunningBroker } from './thread-messages';

/** The holder of the data folder says there where it listens. */
const ANNOUNCEMENT = 'broker.json';

/**
 * @param clusterIdAt the cluster id of whoever serves at an address; null when nobody does
 * @returns `host:port`
 * @throws ConnectError `EMBEDDED_BROKER_ABSENT` when none runs: what an earlier one left there is not believed
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
