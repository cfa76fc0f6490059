/** Runs a Redis Cluster of three servers: two primaries that share the slots, and a replica of the first. */
import { waitFor } from '../wait-for';
import { RedisServer, type RedisOptions } from './redis';

export interface RedisCluster {
  readonly primaries: readonly [RedisServer, RedisServer];
  /** Port of the first primary. */
  readonly replica: RedisServer;
  close(): Promise<void>;
}

/** Takes about 5 s. */
export async function startRedisCluster(options: Omit<RedisOptions, 'isClusterNode'>): Promise<RedisCluster> {
  const started = await Promise.allSettled(
    [1, 2, 3].map(async () => await RedisServer.start({ ...options, isClusterNode: true })),
  );
  const nodes = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const close = async (): Promise<void> => void (await Promise.all(nodes.map((node) => node.close())));
  try {
    const failed = started.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    const [first, second, replica] = nodes as [RedisServer, RedisServer, RedisServer];
    await first.cli('CLUSTER', 'ADDSLOTSRANGE', '0', '8191');
    await second.cli('CLUSTER', 'ADDSLOTSRANGE', '8192', '16383');
    for (const other of [second, replica])
      await first.cli('CLUSTER', 'MEET', '127.0.0.1', String(other.port), await busPort(other));
    await settled(nodes, 'three nodes', (text) => text.includes('cluster_known_nodes:3'));
    const firstId = await first.cli('CLUSTER', 'MYID');
    // A node cannot be replicated until the replica knows it.
    await waitFor('the replica to know its primary', async () =>
      (await replica.cli('CLUSTER', 'NODES')).includes(`${firstId} 127.0.0.1`),
    );
    await replica.cli('CLUSTER', 'REPLICATE', firstId);
    await settled(nodes, 'the state ok', (text) => text.includes('cluster_state:ok'));
    await waitFor('the replica to be in step', async () =>
      (await replica.cli('INFO', 'replication')).includes('master_link_status:up'),
    );
    return { primaries: [first, second], replica, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function settled(nodes: readonly RedisServer[], what: string, is: (info: string) => boolean): Promise<void> {
  await waitFor(`all nodes of the cluster to see ${what}`, async () => {
    const infos = await Promise.all(nodes.map((node) => node.cli('CLUSTER', 'INFO')));
    return infos.every(is);
  });
}

async function busPort(node: RedisServer): Promise<string> {
  return (await node.cli('CONFIG', 'GET', 'cluster-port')).split('\n')[1] as string;
}
