/** What a producer sends while whoever uses it may have lost the right to. */
import type { SendPermission } from '../../../src/kafka/port';
import { waitFor } from '../../helpers/wait-for';
import { FakeWire, type Fault } from '../fake-wire';
import { gate, numbers, start } from './producer-harness';

class Permission implements SendPermission {
  term = 1;
  answer: 'now' | 'later' = 'now';
  asked = 0;
  ask(term: number): 'now' | 'later' | 'never' {
    this.asked++;
    return term === this.term ? this.answer : 'never';
  }
}

const wireWith = (): FakeWire => new FakeWire().addTopic('t');

test('what may not go now waits, in order, and goes when it may', async () => {
  const permission = new Permission();
  permission.answer = 'later';
  const { wire, producer, send } = await start({}, wireWith(), permission);
  for (const value of numbers(10)) send(value);
  const flushed = producer.flush();
  await waitFor('it to be asked again', () => permission.asked > 5);
  expect(wire.calls).toEqual([]);
  permission.answer = 'now';
  await flushed;
  expect(wire.log('t').values).toEqual(numbers(10));
});

test('what was handed in before the right was lost is never sent, however it waits; what comes after it is', async () => {
  const permission = new Permission();
  const { wire, producer, deliveries, send } = await start({ 'linger.ms': '60000' }, wireWith(), permission);
  const held = gate<Fault>();
  wire.onProduce = () => held.promise;
  send('in flight');
  const flushed = producer.flush();
  await waitFor('the first request', () => wire.calls.length === 1);
  send('in the open batch');
  permission.term++;
  send('under the new right');
  // Its answer never comes: it must not be sent again.
  wire.onProduce = () => null;
  held.open('cut-before');
  await flushed;
  await producer.flush();
  expect(wire.log('t').values).toEqual(['under the new right']);
  expect(deliveries.map(({ error }) => error && [error.code, error.inDoubt])).toEqual([
    ['SESSION_LOST', true],
    ['SESSION_LOST', false],
    null,
  ]);
});

test('a request that waited for its connection is asked for once more before it is written', async () => {
  const permission = new Permission();
  const { wire, producer, deliveries, send } = await start({}, wireWith(), permission);
  const versions = gate<void>();
  const { version } = wire;
  wire.version = async (...of) => {
    await versions.promise;
    return await version(...of);
  };
  send('late');
  await waitFor('the request to be on its way', () => permission.asked > 0);
  await new Promise(setImmediate);
  permission.term++;
  versions.open();
  await producer.flush();
  expect(wire.calls).toEqual([]);
  expect(deliveries[0]?.error).toMatchObject({ code: 'SESSION_LOST', inDoubt: false });
});

test('what is handed in under a term of its own shares no batch, and is asked for by that term', async () => {
  const asked = new Set<number>();
  const permission: SendPermission = { term: 0, ask: (term) => (asked.add(term), term === 8 ? 'never' : 'now') };
  const { wire, producer } = await start({ 'linger.ms': '60000' }, wireWith(), permission);
  const failed: (string | undefined)[] = [];
  for (const term of [7, 8, 9])
    producer.send(
      { topic: 't', partition: 0, key: null, value: Buffer.from(`under ${term}`) },
      (error) => failed.push(error?.code),
      0,
      term,
    );
  await producer.flush();
  expect([...asked]).toEqual([7, 8, 9]);
  expect(failed).toEqual([undefined, 'SESSION_LOST', undefined]);
  expect(wire.log('t').values).toEqual(['under 7', 'under 9']);
});
