/** `millrace offsets export NAME`: the offsets as the worker returns them, so that they can be imported again. */
import { serverOf } from '../context/server';
import type { Invocation } from '../program/command-spec';
import { ConnectClient } from '../rest/connect-client';
import { path } from '../rest/path';

export async function run(invocation: Invocation): Promise<number> {
  const client = new ConnectClient(serverOf(invocation));
  try {
    const text = await client.requestText(path`/connectors/${invocation.args[0] as string}/offsets`);
    invocation.io.stdout.write(`${text.trimEnd()}\n`);
  } finally {
    client.close();
  }
  return 0;
}
