import { serverOf } from '../context/server';
import type { Invocation } from '../program/command-spec';
import { ConnectClient } from './connect-client';

/** Calls `work` with a client of the server that the command line names, and closes it at the end. */
export async function withClient<T>(
  invocation: Pick<Invocation, 'options' | 'io'>,
  work: (client: ConnectClient) => Promise<T>,
): Promise<T> {
  const client = new ConnectClient(serverOf(invocation));
  try {
    return await work(client);
  } finally {
    client.close();
  }
}
