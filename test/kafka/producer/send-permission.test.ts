/** A producer checks the permission to send: its owner may have lost the session. */
import type { SendPermission } from '../../../packages/kafka-client/src/port';
import { waitFor } from '../../helpers/wait-for';
import { FakeWire, type Fault } from '../fake-wire';
import { gate, numbers, start } from './producer-harness';

class Permission implements SendPermission {
  epoch = 1;
  answer: 'now' | 'later' = 'now';
  asked = 0;
  check(epoch: number): 'now' | 'later' | 'never' {
    this.asked++;
    return epoch === this.epoch ? this.answer : 'never';
  }
}

const wireWith = (): FakeWire => new FakeWire().addTopic('t');

test('records without permission wait, in order, and are sent once permitted', async () => {
  const permission = new Permission();
  permission.answer = 'later';
  const { wire, producer, send } = await start({}, wireWith(), permission);
  for (const value of numbers(10)) send(value);
  const flushed = producer.flush();
  await waitFor('another check', () => permission.asked > 5);
  expect(wire.calls).toEqual([]);
  permission.answer = 'now';
  await flushed;
  expect(wire.log('t').values).toEqual(numbers(10));
});

test('records of a lost epoch are never sent, wherever they wait; later records are', async () => {
  const permission = new Permission();
  const { wire, producer, deliveries, send } = await start({ 'linger.ms': '60000' }, wireWith(), permission);
  const held = gate<Fault>();
  wire.onProduce = () => held.promise;
  send('in flight');
  const flushed = producer.flush();
  await waitFor('the first request', () => wire.calls.length === 1);
  send('in the open batch');
  permission.epoch++;
  send('of the new epoch');
  // The request gets no response, and must not be retried.
  wire.onProduce = () => null;
  held.open('cut-before');
  await flushed;
  await producer.flush();
  expect(wire.log('t').values).toEqual(['of the new epoch']);
  expect(deliveries.map(({ error }) => error && [error.code, error.inDoubt])).toEqual([
    ['SESSION_LOST', true],
    ['SESSION_LOST', false],
    null,
  ]);
});

test('the permission is checked again before a request that waited for its connection is written', async () => {
  const permission = new Permission();
  const { wire, producer, deliveries, send } = await start({}, wireWith(), permission);
  const versions = gate<void>();
  const { version } = wire;
  wire.version = async (...of) => {
    await versions.promise;
    return await version(...of);
  };
  send('late');
  await waitFor('the first check', () => permission.asked > 0);
  await new Promise(setImmediate);
  permission.epoch++;
  versions.open();
  await producer.flush();
  expect(wire.calls).toEqual([]);
  expect(deliveries[0]?.error).toMatchObject({ code: 'SESSION_LOST', inDoubt: false });
});

test('records of different epochs share no batch, and each epoch is checked', async () => {
  const asked = new Set<number>();
  const permission: SendPermission = { epoch: 0, check: (epoch) => (asked.add(epoch), epoch === 8 ? 'never' : 'now') };
  const { wire, producer } = await start({ 'linger.ms': '60000' }, wireWith(), permission);
  const failed: (string | undefined)[] = [];
  for (const epoch of [7, 8, 9])
    producer.send(
      { topic: 't', partition: 0, key: null, value: Buffer.from(`under ${epoch}`) },
      (error) => failed.push(error?.code),
      0,
      epoch,
    );
  await producer.flush();
  expect([...asked]).toEqual([7, 8, 9]);
  expect(failed).toEqual([undefined, 'SESSION_LOST', undefined]);
  expect(wire.log('t').values).toEqual(['under 7', 'under 9']);
});
