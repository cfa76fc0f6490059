import type { KafkaClients } from '../port';

/** For a broker on this machine to say which it is. */
const ASK = {
  'request.timeout.ms': '2000',
  'default.api.timeout.ms': '2000',
  'socket.connection.setup.timeout.ms': '2000',
};

/** The cluster id of whoever serves at that address, in seconds; null when nobody does. */
export async function clusterIdAt(clients: KafkaClients, bootstrapServers: string): Promise<string | null> {
  const admin = clients.admin({ 'bootstrap.servers': bootstrapServers, ...ASK });
  try {
    return (await admin.describeCluster()).clusterId;
  } catch {
    return null;
  } finally {
    await admin.close();
  }
}
