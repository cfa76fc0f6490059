/** How often the catalog is read for tables that the stream announces (cdc-postgres §5.7). */
import type { Client } from 'pg';
import { DefinitionPrefetch } from '../../../../connectors/postgres/src/events/definition-prefetch';
import { FrameQueue } from '../../../../connectors/postgres/src/replication/frame-queue';
import { queuedRelations } from '../../../../connectors/postgres/src/replication/pgoutput-decoder';
import type { RelationMessage } from '../../../../connectors/postgres/src/events/relation-message';

/** A CopyData frame with a Relation message of one int4 column. */
function announcement(oid: number): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(oid, 1);
  head.write('R');
  const column = Buffer.from('\u0001id\0\0\0\0\u0017\u00ff\u00ff\u00ff\u00ff', 'latin1');
  const body = Buffer.concat([Buffer.alloc(25, 'w'), head, Buffer.from(`public\0t${oid}\0d\0\u0001`), column]);
  return framed(body);
}
const row = (): Buffer => framed(Buffer.concat([Buffer.alloc(25, 'w'), Buffer.from('I\0\0\0\u0001N')]));
const keepalive = (): Buffer => framed(Buffer.alloc(18, 'k'));

function framed(body: Buffer): Buffer {
  const frame = Buffer.alloc(5 + body.length, 'd');
  frame.writeUInt32BE(frame.length - 1, 1);
  body.copy(frame, 5);
  return frame;
}

/** A server that has every table except 404, and records the queried oids. */
class Catalog {
  readonly queried: string[][] = [];
  readonly client = {
    query: (sql: string, [oids]: [string[]]) => {
      if (sql.includes('relreplident')) this.queried.push(oids);
      const there = oids.filter((oid) => oid !== '404');
      if (!sql.includes('relreplident')) return Promise.resolve({ rows: [] });
      return Promise.resolve({ rows: there.map((oid) => ({ oid, schema: 'public', name: `t${oid}`, identity: 'd' })) });
    },
  } as unknown as Client;
}

const queueOf = (...frames: readonly Buffer[]): FrameQueue<null> => {
  const queue = new FrameQueue<null>();
  // As received from the socket: several per chunk.
  const half = frames.length >> 1;
  for (const part of [frames.slice(0, half), frames.slice(half)]) {
    const chunk = Buffer.concat(part);
    if (part.length > 0) queue.push(chunk, 0, chunk.length, part.length, null);
  }
  return queue;
};

test('announcements are found in the queue between rows and keepalives, in order, and stay queued', () => {
  const queue = queueOf(announcement(1), row(), keepalive(), announcement(2), row(), announcement(1));
  const found = queuedRelations(queue);
  expect(found.map(({ name, columns }) => [name, columns])).toEqual(
    ['t1', 't2', 't1'].map((name) => [name, [{ name: 'id', typeOid: 23, typmod: -1, inIdentity: true }]]),
  );
  expect(queue.messages).toBe(6);
  queue.peek();
  queue.shift();
  expect(queuedRelations(queue).map(({ oid }) => oid)).toEqual([2, 1]);
});

describe('tables that are announced together', () => {
  const messages = (...oids: readonly number[]): RelationMessage[] =>
    queuedRelations(queueOf(...oids.map(announcement)));

  test('are read together, each as often as it was announced by then', async () => {
    const catalog = new Catalog();
    const ahead = new DefinitionPrefetch(150000);
    const queued = messages(1, 2, 404, 1);
    const names: (string | undefined)[] = [];
    for (let i = 0; i < queued.length; i++)
      names.push((await ahead.announced(catalog.client, queued[i]!, () => queued.slice(i))).now?.name);
    expect(names).toEqual(['t1', 't2', undefined, 't1']);
    expect(catalog.queried).toEqual([['1', '2', '404']]);
    // A later announcement may follow a change, so the earlier read does not suffice.
    await ahead.announced(catalog.client, queued[0]!, () => messages(1));
    expect(catalog.queried).toEqual([['1', '2', '404'], ['1']]);
  });

  test('are read again on a new connection, at most 500 at a time', async () => {
    const catalog = new Catalog();
    const ahead = new DefinitionPrefetch(150000);
    const queued = messages(...Array.from({ length: 600 }, (_, i) => i + 1000));
    await ahead.announced(catalog.client, queued[0]!, () => queued);
    ahead.clear();
    for (let i = 0; i < queued.length; i++) await ahead.announced(catalog.client, queued[i]!, () => queued.slice(i));
    expect(catalog.queried.map((oids) => oids.length)).toEqual([500, 500, 100]);
  });
});
