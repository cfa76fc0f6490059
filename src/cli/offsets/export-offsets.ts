/** `millrace offsets export NAME`: the offsets as the worker returns them, so that they can be imported again. */
import type { Invocation } from '../program/command-spec';
import { path } from '../rest/connect-client';
import { withClient } from '../rest/clients';

export async function run(invocation: Invocation): Promise<number> {
  return await withClient(invocation, async (client) => {
    const text = await client.requestText(path`/connectors/${invocation.args[0] as string}/offsets`);
    invocation.io.stdout.write(`${text.trimEnd()}\n`);
    return 0;
  });
}
