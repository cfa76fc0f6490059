/** `millrace status` */
import { type Connector, failuresOf, isFailed, readConnectors } from '../connectors/connectors';
import { selectNamed } from '../connectors/name-pattern';
import { EXIT } from '../exit-codes';
import { writeAnswer } from '../output/answer';
import { paintOf } from '../output/colours';
import { watch } from '../output/watch';
import type { Invocation } from '../program/command-spec';
import { withClient } from '../rest/clients';
import { statusText, stateCounts } from './status-text';

export async function run(invocation: Invocation): Promise<number> {
  const { io, args } = invocation;
  const options = invocation.options as { watch?: boolean; interval: number };
  const paint = paintOf(io);
  return await withClient(invocation, async (client) => {
    const read = async (): Promise<readonly Connector[]> =>
      selectNamed(await readConnectors(client), args, 'connector', ({ name }) => name);
    if (options.watch === true) {
      await watch(io, options.interval * 1000, async () => statusText(await read(), paint, io.stdout.columns));
      return EXIT.success;
    }
    const connectors = await read();
    writeAnswer(invocation, answerOf(connectors), () => statusText(connectors, paint, io.stdout.columns));
    return connectors.some(({ status }) => isFailed(status)) ? EXIT.no : EXIT.success;
  });
}

function answerOf(connectors: readonly Connector[]): unknown {
  return {
    connectors: Object.fromEntries(stateCounts(connectors.map(({ status }) => status))),
    tasks: Object.fromEntries(stateCounts(connectors.flatMap(({ status }) => status.tasks))),
    failures: connectors.flatMap(({ name, status }) => failuresOf(status).map((failure) => ({ name, ...failure }))),
  };
}
