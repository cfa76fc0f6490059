/** `millrace get topics` */
import { readConnectors } from '../connectors/connectors';
import { selectNamed } from '../connectors/name-pattern';
import { writeAnswer } from '../output/answer';
import type { Invocation } from '../program/command-spec';
import { path } from '../rest/connect-client';
import { listOf, objectOf, textOf } from '../rest/reply';
import { sideBySide, withClient } from '../rest/clients';

export async function run(invocation: Invocation): Promise<number> {
  const lists = await withClient(invocation, async (client) => {
    const connectors = selectNamed(await readConnectors(client), invocation.args, 'connector', ({ name }) => name);
    return await sideBySide(connectors, async ({ name }) => {
      const at = path`/connectors/${name}/topics`;
      const { topics } = objectOf(objectOf(await client.request(at), `GET ${at}`)[name], `GET ${at}`);
      return { name, topics: listOf(topics, `GET ${at}`).map(textOf).sort() };
    });
  });
  writeAnswer(invocation, lists, () => ({
    headings: ['CONNECTOR', 'TOPIC'],
    rows: lists.flatMap(({ name, topics }) => topics.map((topic) => [name, topic])),
  }));
  return 0;
}
