/** What several demos begin with: a broker, and a PostgreSQL with a connection. */
import { Client } from 'pg';
import { startBroker } from '../services/broker';
import { startPostgres } from '../services/postgres';
import { cleanUp } from './run-demo';

export interface DemoServices {
  readonly bootstrapServers: string;
  /** Of the database, with user and password. */
  readonly databaseUrl: string;
  readonly database: Client;
}

/** All of it is stopped when the demo ends. */
export async function startServices(): Promise<DemoServices> {
  const broker = await startBroker();
  cleanUp.push(broker.stop);
  const server = await startPostgres();
  cleanUp.push(server.stop);
  const database = new Client({ connectionString: server.url });
  await database.connect();
  cleanUp.push(() => database.end());
  return { bootstrapServers: broker.bootstrapServers, databaseUrl: server.url, database };
}
