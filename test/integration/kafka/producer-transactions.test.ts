import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { readAll } from './producer-fixtures';

const clients = new Clients();
afterAll(() => clients.close());

const committed = async (topic: string, partition = 0): Promise<string[]> =>
  (await readAll(topic, partition, 'read_committed')).map((r) => String(r.value));

describe('connect-runtime 4.8: transactions on a real broker', () => {
  const begin = async (topic: string, id = uniqueName('txn')) => {
    const producer = await clients.producer(topic, { 'transactional.id': id });
    await producer.initTransactions();
    const send = (value: string, partition = 0) =>
      producer.send({ topic, partition, key: null, value: Buffer.from(value) });
    return { producer, send, id };
  };

  test('committed records are visible, aborted and open ones are not', async () => {
    const topic = await clients.topic(2);
    const { producer, send } = await begin(topic);
    producer.beginTransaction();
    send('committed 0', 0);
    send('committed 1', 1);
    await producer.commitTransaction();
    producer.beginTransaction();
    send('aborted', 0);
    await producer.flush();
    await producer.abortTransaction();
    producer.beginTransaction();
    send('after', 0);
    await producer.commitTransaction();
    producer.beginTransaction();
    send('open', 0);
    await producer.flush();
    expect(await committed(topic)).toEqual(['committed 0', 'after']);
    expect(await committed(topic, 1)).toEqual(['committed 1']);
    expect((await readAll(topic)).map((r) => String(r.value))).toEqual(['committed 0', 'aborted', 'after', 'open']);
    await producer.close();
    expect(await committed(topic)).toEqual(['committed 0', 'after']);
  });

  test('many short transactions in sequence', async () => {
    const topic = await clients.topic();
    const { producer, send } = await begin(topic);
    for (let i = 0; i < 20; i++) {
      producer.beginTransaction();
      send(`${i}`);
      await (i % 3 === 0 ? producer.abortTransaction() : producer.commitTransaction());
    }
    await producer.close();
    const expected = Array.from({ length: 20 }, (_, i) => String(i)).filter((v) => Number(v) % 3 !== 0);
    await waitFor('the last marker', async () => (await committed(topic)).length >= expected.length);
    expect(await committed(topic)).toEqual(expected);
  });

  test('a second producer with the same id fences the first', async () => {
    const topic = await clients.topic();
    const first = await begin(topic);
    first.producer.beginTransaction();
    first.send('of the first');
    await first.producer.flush();
    const second = await begin(topic, first.id);
    await expect(first.producer.commitTransaction()).rejects.toMatchObject({ fenced: true });
    expect(() => first.send('more')).toThrow();
    second.producer.beginTransaction();
    second.send('of the second');
    await second.producer.commitTransaction();
    await clients.end(topic, 4);
    expect(await committed(topic)).toEqual(['of the second']);
    await Promise.all([first.producer.close(), second.producer.close()]);
  });

  test('consumer offsets become visible only with the commit', async () => {
    const topic = await clients.topic();
    const group = uniqueName('group');
    const { producer, send } = await begin(topic);
    const offset = async () => (await clients.admin.listGroupOffsets(group))[0]?.offset;
    producer.beginTransaction();
    send('a');
    await producer.sendOffsetsToTransaction(group, [{ topic, partition: 0, offset: 41 }]);
    await producer.abortTransaction();
    producer.beginTransaction();
    send('b');
    await producer.sendOffsetsToTransaction(group, [{ topic, partition: 0, offset: 42 }]);
    await producer.flush();
    expect(await offset()).toBeUndefined();
    await producer.commitTransaction();
    expect(await waitFor('the committed offset', offset)).toBe(42);
    await producer.close();
  });
});
