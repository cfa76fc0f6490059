/** `millrace get offsets` */
import { readConnectors } from '../connectors/connectors';
import { membersText } from '../output/layout';
import { selectNamed } from '../connectors/name-pattern';
import { writeAnswer } from '../output/answer';
import type { Invocation } from '../program/command-spec';
import { path } from '../rest/connect-client';
import { listOf, objectOf } from '../rest/reply';
import { sideBySide, withClient } from '../rest/clients';

export async function run(invocation: Invocation): Promise<number> {
  const lists = await withClient(invocation, async (client) => {
    const connectors = selectNamed(await readConnectors(client), invocation.args, 'connector', ({ name }) => name);
    return await sideBySide(connectors, async ({ name }) => {
      const at = path`/connectors/${name}/offsets`;
      const { offsets } = objectOf(await client.request(at, { exact: true }), `GET ${at}`);
      return { name, offsets: listOf(offsets, `GET ${at}`).map((entry) => objectOf(entry, `GET ${at}`)) };
    });
  });
  writeAnswer(invocation, lists, () => ({
    headings: ['CONNECTOR', 'PARTITION', 'OFFSET'],
    rows: lists.flatMap(({ name, offsets }) =>
      offsets.map(({ partition, offset }) => [name, membersText(partition), membersText(offset)]),
    ),
  }));
  return 0;
}
