import type { Assignment, MemberSubscription } from '../../../../packages/kafka-client/src/consumer/assignors/assignor';
import {
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
} from '../../../../packages/kafka-client/src/consumer/assignors/consumer-protocol';
import { parseAssignors } from '../../../../packages/kafka-client/src/consumer/assignors';
import { rangeAssignor } from '../../../../packages/kafka-client/src/consumer/assignors/range';
import { roundRobinAssignor } from '../../../../packages/kafka-client/src/consumer/assignors/round-robin';
import {
  cooperativeStickyAssignor,
  stickyAssignor,
} from '../../../../packages/kafka-client/src/consumer/assignors/sticky';

function member(
  topics: string[],
  owned: string[] = [],
  generation = -1,
  groupInstanceId: string | null = null,
): MemberSubscription {
  return { topics, owned: owned.map(tp), generation, groupInstanceId };
}
function tp(text: string): { topic: string; partition: number } {
  return { topic: text.slice(0, 1), partition: Number(text.slice(1)) };
}
function show(assignment: Assignment): Record<string, string> {
  return Object.fromEntries(
    [...assignment].map(([id, list]) => [
      id,
      list
        .map((one) => `${one.topic}${one.partition}`)
        .sort()
        .join(),
    ]),
  );
}

describe('range', () => {
  test('gives contiguous ranges, the first members one more', () => {
    const members = new Map([
      ['m2', member(['a', 'b'])],
      ['m1', member(['a', 'b'])],
    ]);
    expect(
      show(
        rangeAssignor.assign(
          new Map([
            ['a', 3],
            ['b', 3],
          ]),
          members,
        ),
      ),
    ).toEqual({ m1: 'a0,a1,b0,b1', m2: 'a2,b2' });
  });
  test('gives members beyond the number of partitions nothing', () => {
    const members = new Map([
      ['m1', member(['a'])],
      ['m2', member(['a'])],
    ]);
    expect(show(rangeAssignor.assign(new Map([['a', 1]]), members))).toEqual({ m1: 'a0', m2: '' });
  });
  test('puts static members first, by instance id, whatever their member id is', () => {
    const members = new Map([
      ['a-dynamic', member(['a'])],
      ['z', member(['a'], [], -1, 'static-1')],
    ]);
    expect(show(rangeAssignor.assign(new Map([['a', 1]]), members))).toEqual({ z: 'a0', 'a-dynamic': '' });
  });
  test('ignores topics that do not exist', () => {
    expect(show(rangeAssignor.assign(new Map(), new Map([['m1', member(['a'])]])))).toEqual({ m1: '' });
  });
});

test('roundrobin deals all partitions out and passes over members without the topic', () => {
  const members = new Map([
    ['m1', member(['a'])],
    ['m2', member(['a', 'b'])],
  ]);
  expect(
    show(
      roundRobinAssignor.assign(
        new Map([
          ['a', 3],
          ['b', 2],
        ]),
        members,
      ),
    ),
  ).toEqual({ m1: 'a0,a2', m2: 'a1,b0,b1' });
});

describe('sticky', () => {
  const counts = new Map([['a', 6]]);
  test('keeps owned partitions and moves only those that balance requires', () => {
    const members = new Map([
      ['m1', member(['a'], ['a0', 'a1', 'a2'], 4)],
      ['m2', member(['a'], ['a3', 'a4', 'a5'], 4)],
      ['m3', member(['a'])],
    ]);
    const result = show(stickyAssignor.assign(counts, members));
    expect(Object.values(result).map((list) => list.split(',').length)).toEqual([2, 2, 2]);
    expect(result.m1).toBe('a0,a1');
    expect(result.m2).toBe('a3,a4');
  });
  test("uses the newest generation's claim, and neither when two members of one generation claim a partition", () => {
    const members = new Map([
      ['m1', member(['a'], ['a0', 'a1'], 3)],
      ['m2', member(['a'], ['a0', 'a1'], 4)],
    ]);
    expect(show(stickyAssignor.assign(new Map([['a', 2]]), members)).m2).toBe('a0');
  });
  test('balances unequal subscriptions as far as they allow', () => {
    const members = new Map([
      ['m1', member(['a', 'b'])],
      ['m2', member(['b'])],
    ]);
    const result = show(
      stickyAssignor.assign(
        new Map([
          ['a', 2],
          ['b', 2],
        ]),
        members,
      ),
    );
    expect(result).toEqual({ m1: 'a0,a1', m2: 'b0,b1' });
  });
});

test('cooperative-sticky leaves a moving partition unassigned until its owner has revoked it', () => {
  const counts = new Map([['a', 4]]);
  const owner = member(['a'], ['a0', 'a1', 'a2', 'a3'], 1);
  const first = cooperativeStickyAssignor.assign(
    counts,
    new Map([
      ['m1', owner],
      ['m2', member(['a'])],
    ]),
  );
  expect(show(first)).toEqual({ m1: 'a0,a1', m2: '' });
  const second = cooperativeStickyAssignor.assign(
    counts,
    new Map([
      ['m1', member(['a'], ['a0', 'a1'], 2)],
      ['m2', member(['a'], [], 2)],
    ]),
  );
  expect(show(second)).toEqual({ m1: 'a0,a1', m2: 'a2,a3' });
});

describe('consumer protocol bytes', () => {
  test('a subscription survives, owned partitions and generation included', () => {
    const bytes = encodeSubscription({
      topics: ['b', 'a'],
      userData: null,
      owned: [tp('a1'), tp('a0')],
      generation: 7,
    });
    expect(bytes.toString('hex')).toBe(
      '0003' +
        '00000002' +
        '000161' +
        '000162' +
        'ffffffff' +
        '00000001' +
        '000161' +
        '00000002' +
        '00000000' +
        '00000001' +
        '00000007' +
        'ffff',
    );
    expect(decodeSubscription(bytes)).toEqual({
      topics: ['a', 'b'],
      owned: [tp('a0'), tp('a1')],
      generation: 7,
      groupInstanceId: null,
    });
  });
  test('version 0, as old clients write it', () => {
    expect(decodeSubscription(Buffer.from('000000000001000161ffffffff', 'hex'))).toEqual(member(['a']));
  });
  test('an assignment survives; no bytes mean no partitions', () => {
    expect(decodeAssignment(encodeAssignment([tp('b2'), tp('a1')]))).toEqual([tp('a1'), tp('b2')]);
    expect(decodeAssignment(Buffer.alloc(0))).toEqual([]);
  });
});

test('partition.assignment.strategy takes Java class names and defaults to range, cooperative-sticky', () => {
  expect(parseAssignors(undefined).map((assignor) => assignor.name)).toEqual(['range', 'cooperative-sticky']);
  expect(parseAssignors('org.apache.kafka.clients.consumer.CooperativeStickyAssignor')).toEqual([
    cooperativeStickyAssignor,
  ]);
  expect(() => parseAssignors('com.acme.Mine')).toThrow(/"partition.assignment.strategy" names com.acme.Mine/);
});
