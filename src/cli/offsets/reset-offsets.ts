/** `millrace offsets reset NAME`: the connector starts as if it were new. */
import { EXIT } from '../exit-codes';
import { printableLines } from '../output/printable';
import type { Invocation } from '../program/command-spec';
import { path } from '../rest/path';
import { withClient } from '../rest/with-client';
import { repeatWhileLeaving, resumeIfAsked, stopFirst } from './stopped-connector';

export async function run(invocation: Invocation): Promise<number> {
  const name = invocation.args[0] as string;
  return await withClient(invocation, async (client) => {
    const change = `Delete all offsets of ${name}, so that it starts from the beginning`;
    if (!(await stopFirst(client, invocation, name, change))) return EXIT.failed;
    const { message } = await repeatWhileLeaving(invocation, () =>
      client.request<{ message: string }>(path`/connectors/${name}/offsets`, { method: 'DELETE' }),
    );
    invocation.io.stdout.write(`${printableLines(message)}\n`);
    await resumeIfAsked(client, invocation, name);
    return EXIT.success;
  });
}
