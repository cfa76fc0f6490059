import type { KafkaClients } from '../port';

/** Short timeouts: the broker is on this machine. */
const TIMEOUTS = {
  'request.timeout.ms': '2000',
  'default.api.timeout.ms': '2000',
  'socket.connection.setup.timeout.ms': '2000',
};

/** The id of the cluster at that address; null when it is not reachable within seconds. */
export async function clusterIdAt(clients: KafkaClients, bootstrapServers: string): Promise<string | null> {
  const admin = clients.admin({ 'bootstrap.servers': bootstrapServers, ...TIMEOUTS });
  try {
    return (await admin.describeCluster()).clusterId;
  } catch {
    return null;
  } finally {
    await admin.close();
  }
}
