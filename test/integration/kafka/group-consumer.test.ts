import { spawn, spawnSync } from 'node:child_process';
import { createKafkaClients } from '../../../packages/kafka-client/src/create-clients';
import type { GroupConsumer, RebalanceListener, TopicPartition } from '../../../packages/kafka-client/src/port';
import { silentLogger } from '../../../src/logging/logger';
import { Clients, valuesOf } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const hasKcat = spawnSync('kcat', ['-V']).status === 0;
const range = (count: number, prefix = ''): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
const names = (partitions: readonly TopicPartition[]): string[] =>
  partitions.map(({ topic, partition }) => `${topic}-${partition}`).sort();

/** Polls in the background as a task does, commits its position when partitions are revoked. */
class Reader implements RebalanceListener {
  readonly values: string[] = [];
  readonly events: string[] = [];
  readonly offsets = new Map<string, number>();
  error: unknown;
  commitOnRevoke = true;
  private running = true;
  private done: Promise<void> = Promise.resolve();

  constructor(readonly consumer: GroupConsumer) {}

  start(topics: readonly string[] | RegExp): this {
    this.consumer.subscribe(topics, this);
    return this.goOn();
  }

  goOn(): this {
    this.running = true;
    this.done = this.run();
    return this;
  }

  private async run(): Promise<void> {
    try {
      while (this.running) {
        for (const batch of await this.consumer.poll(200)) {
          this.values.push(...valuesOf([batch]));
          this.offsets.set(`${batch.topic}:${batch.partition}`, batch.nextOffset);
        }
      }
    } catch (error) {
      this.error = error;
    }
  }

  toCommit(partitions: readonly TopicPartition[]) {
    return partitions
      .filter(({ topic, partition }) => this.offsets.has(`${topic}:${partition}`))
      .map(({ topic, partition }) => ({
        topic,
        partition,
        offset: this.offsets.get(`${topic}:${partition}`) as number,
      }));
  }

  async stop(): Promise<void> {
    this.running = false;
    this.consumer.wakeup();
    await this.done;
  }

  onAssigned(partitions: readonly TopicPartition[]): void {
    this.events.push(`assigned ${partitions.length}`);
  }

  async onRevoked(partitions: readonly TopicPartition[]): Promise<void> {
    this.events.push(`revoked ${partitions.length}`);
    // Long enough that a consumer that does not wait would release its partitions too early.
    await new Promise((resolve) => setTimeout(resolve, 300));
    if (this.commitOnRevoke) await this.consumer.commit(this.toCommit(partitions));
    this.events.push('revoked done');
  }

  onLost(partitions: readonly TopicPartition[]): void {
    this.events.push(`lost ${partitions.length}`);
  }
}

describe('the group consumer', () => {
  const clients = new Clients();
  const kafka = createKafkaClients(silentLogger);
  const readers: Reader[] = [];
  afterEach(async () => {
    await Promise.all(readers.splice(0).map((reader) => reader.stop()));
    await clients.closeClients();
  });
  afterAll(() => clients.close());

  const reader = (groupId: string, config: Record<string, string> = {}, from = kafka): Reader => {
    const consumer = from.groupConsumer({
      'bootstrap.servers': process.env['BOOTSTRAP_SERVERS'] as string,
      'client.id': 'group-consumer-test',
      'group.id': groupId,
      'auto.offset.reset': 'earliest',
      'heartbeat.interval.ms': '200',
      'session.timeout.ms': '30000',
      'max.poll.interval.ms': '120000',
      ...config,
    });
    const made = new Reader(clients.own(consumer));
    readers.push(made);
    return made;
  };
  const committedOf = async (groupId: string): Promise<Record<string, number>> =>
    Object.fromEntries((await clients.admin.listGroupOffsets(groupId)).map((o) => [o.partition, o.offset]));
  const all = (topic: string, count: number): TopicPartition[] =>
    Array.from({ length: count }, (_, partition) => ({ topic, partition }));

  // Sums of these exceed the maximum of Node.js timers, which then fire after 1 ms.
  test.each(['max.poll.interval.ms', 'request.timeout.ms', 'metadata.max.age.ms'])(
    'connect-runtime 5.6: members with the longest supported %s join and share',
    async (key) => {
      const topic = await clients.topic(2);
      const groupId = uniqueName('group');
      const first = reader(groupId, { [key]: '2147483647' }).start([topic]);
      await waitFor('the first to have both', () => first.consumer.assignment().length === 2);
      // The coordinator answers the second once the first has joined again.
      const second = reader(groupId, { [key]: '2147483647' }).start([topic]);
      await waitFor('the second to have one', () => second.consumer.assignment().length === 1);
      expect([first.error, second.error]).toEqual([undefined, undefined]);
    },
  );

  for (const [strategy, config] of [
    ['the default (range)', {}],
    ['roundrobin', { 'partition.assignment.strategy': 'org.apache.kafka.clients.consumer.RoundRobinAssignor' }],
    ['cooperative-sticky', { 'partition.assignment.strategy': 'cooperative-sticky' }],
  ] as const) {
    test(`connect-runtime 5.6: two members share partitions and hand them over after an awaited commit, ${strategy}`, async () => {
      const topic = await clients.topic(4);
      const groupId = uniqueName('group');
      for (const { partition } of all(topic, 4)) await clients.send(topic, range(100, `${partition}/`), partition);
      const first = reader(groupId, config).start([topic]);
      await waitFor('the first to read all', () => first.values.length === 400);
      const second = reader(groupId, config).start([topic]);
      await waitFor(
        'both to share',
        () => first.consumer.assignment().length === 2 && second.consumer.assignment().length === 2,
      );
      expect(names([...first.consumer.assignment(), ...second.consumer.assignment()])).toEqual(names(all(topic, 4)));
      // Everything was committed before the handover: the second starts where the first ended.
      await Promise.all(all(topic, 4).map(({ partition }) => clients.send(topic, [`new ${partition}`], partition)));
      await waitFor('the news', () => first.values.length + second.values.length === 404);
      expect([...first.values.slice(400), ...second.values].sort()).toEqual(range(4, 'new '));
      expect(first.error).toBeUndefined();
      expect(second.error).toBeUndefined();
      const eager = strategy !== 'cooperative-sticky';
      expect(first.events.slice(0, 3)).toEqual(['assigned 4', `revoked ${eager ? 4 : 2}`, 'revoked done']);
    });
  }

  test('leave: the member commits its position, and the other one continues there at once', async () => {
    const topic = await clients.topic(2);
    const groupId = uniqueName('group');
    const first = reader(groupId).start([topic]);
    const second = reader(groupId).start([topic]);
    await waitFor(
      'both to share',
      () => first.consumer.assignment().length === 1 && second.consumer.assignment().length === 1,
    );
    for (const { partition } of all(topic, 2)) await clients.send(topic, range(10, `${partition}/`), partition);
    await waitFor('all to be read', () => first.values.length + second.values.length === 20);
    await second.stop();
    await second.consumer.close();
    expect(second.events.slice(-2)).toEqual(['revoked 1', 'revoked done']);
    await waitFor('the first to have all', () => first.consumer.assignment().length === 2);
    await clients.send(topic, ['last'], 0);
    await clients.send(topic, ['last'], 1);
    await waitFor('the last ones', () => first.values.filter((value) => value === 'last').length === 2);
    expect(first.values.length + second.values.length).toBe(22);
  });

  test('kafka-client 3: a commit of an old generation fails and is not sent again in the new one', async () => {
    const topic = await clients.topic(1);
    const groupId = uniqueName('group');
    await clients.send(topic, range(5));
    const slow = reader(groupId, { 'max.poll.interval.ms': '3000' }).start([topic]);
    await waitFor('the records', () => slow.values.length === 5);
    await slow.stop();
    const other = reader(groupId).start([topic]);
    await waitFor('the slow one to be out', () => other.consumer.assignment().length === 1);
    await expect(slow.consumer.commit([{ topic, partition: 0, offset: 1 }])).rejects.toMatchObject({
      code: 'UNKNOWN_MEMBER_ID',
      retriable: false,
    });
    expect(await committedOf(groupId)).toEqual({});
    await other.consumer.commit([{ topic, partition: 0, offset: 4 }]);
    await other.stop();
    await other.consumer.close();
    slow.goOn();
    await waitFor('the slow one to be back', () => slow.consumer.assignment().length === 1 && slow.events.length >= 3);
    expect(slow.events.slice(0, 3)).toEqual(['assigned 1', 'lost 1', 'assigned 1']);
    expect((await committedOf(groupId))['0']).toBeGreaterThanOrEqual(4);
  });

  test('heartbeats continue while the caller is busy for longer than a session', async () => {
    const topic = await clients.topic(1);
    const groupId = uniqueName('group');
    await clients.send(topic, ['one']);
    const busy = reader(groupId, { 'session.timeout.ms': '6000' }).start([topic]);
    await waitFor('the record', () => busy.values.length === 1);
    await busy.stop();
    const until = Date.now() + 7_000;
    await waitFor('more than a session', () => Date.now() > until);
    await busy.consumer.commit([{ topic, partition: 0, offset: 1 }]);
    expect(await committedOf(groupId)).toEqual({ 0: 1 });
    expect(busy.events).toEqual(['assigned 1']);
  });

  test('a static member that restarts gets its partitions back without a rebalance', async () => {
    const topic = await clients.topic(2);
    const groupId = uniqueName('group');
    const stays = reader(groupId, { 'group.instance.id': 'stays' }).start([topic]);
    const goes = reader(groupId, { 'group.instance.id': 'goes' }).start([topic]);
    const settled = (one: Reader): boolean =>
      one.consumer.assignment().length === 1 && one.events.at(-1) === 'assigned 1';
    await waitFor('both to share, and to know it', () => settled(stays) && settled(goes));
    const had = names(goes.consumer.assignment());
    const before = stays.events.length;
    await goes.stop();
    await goes.consumer.close();
    const back = reader(groupId, { 'group.instance.id': 'goes' }).start([topic]);
    await waitFor('it to be back', () => back.consumer.assignment().length === 1);
    expect(names(back.consumer.assignment())).toEqual(had);
    expect(stays.events).toHaveLength(before);
  });

  test('a regular expression subscribes to new topics', async () => {
    const prefix = uniqueName('regex');
    const make = (name: string) =>
      clients.admin.createTopics([{ name: `${prefix}-${name}`, partitions: 1, replicationFactor: 1 }]);
    await make('a');
    const it = reader(uniqueName('group'), { 'metadata.max.age.ms': '300' }).start(new RegExp(`^${prefix}-[a-z]$`));
    await waitFor('the first topic', () => it.consumer.assignment().length === 1);
    // First, so that a consumer that sees the second topic could see it as well.
    await make('other');
    await make('b');
    await waitFor('the second topic', () => it.consumer.assignment().length === 2);
    expect(names(it.consumer.assignment())).toEqual([`${prefix}-a-0`, `${prefix}-b-0`]);
    await clients.admin.deleteTopics(['a', 'b', 'other'].map((name) => `${prefix}-${name}`));
  });

  test('a topic that does not exist yet is read once it does, and so are added partitions', async () => {
    const topic = uniqueName('later');
    const groupId = uniqueName('group');
    const it = reader(groupId, { 'metadata.max.age.ms': '300', 'allow.auto.create.topics': 'false' }).start([topic]);
    await waitFor(
      'a membership of nothing',
      async () => (await clients.admin.describeGroup(groupId)).state === 'Stable',
    );
    await clients.admin.createTopics([{ name: topic, partitions: 1, replicationFactor: 1 }]);
    await waitFor('the topic', () => it.consumer.assignment().length === 1);
    await clients.admin.createPartitions(topic, 3);
    await waitFor('the new partitions', () => it.consumer.assignment().length === 3);
    await it.stop();
    await clients.admin.deleteTopics([topic]);
  });

  test('members with different subscriptions get their own topics, whichever member leads, later topics as well', async () => {
    const topics = [uniqueName('first'), uniqueName('second')] as const;
    const groupId = uniqueName('group');
    const config = { 'metadata.max.age.ms': '300000', 'allow.auto.create.topics': 'false' };
    const leads = reader(groupId, config).start([topics[0]]);
    await waitFor('a leader', async () => (await clients.admin.describeGroup(groupId)).members.length === 1);
    const follows = reader(groupId, config).start([topics[1]]);
    await waitFor('both', async () => {
      const { state, members } = await clients.admin.describeGroup(groupId);
      return state === 'Stable' && members.length === 2;
    });
    // Each is missing when the group forms; the one that the leader does not read comes first.
    for (const [topic, owner] of [
      [topics[1], follows],
      [topics[0], leads],
    ] as const) {
      await clients.topic(1, {}, topic);
      await waitFor(`${topic} to be given to who reads it`, () => owner.consumer.assignment().length === 1);
    }
    await clients.send(topics[0], ['for the leader']);
    await clients.send(topics[1], ['for the other']);
    await waitFor('the records', () => leads.values.length === 1 && follows.values.length === 1);
    expect([leads.values, follows.values]).toEqual([['for the leader'], ['for the other']]);
  });

  test('starts at committed offsets, otherwise at auto.offset.reset, and passes positions to the listener', async () => {
    const topic = await clients.topic(2);
    const groupId = uniqueName('group');
    for (const { partition } of all(topic, 2)) await clients.send(topic, range(10, `${partition}/`), partition);
    await clients.admin.alterGroupOffsets(groupId, [{ topic, partition: 0, offset: 7 }]);
    const it = reader(groupId, { 'isolation.level': 'read_committed' });
    let position: number | undefined;
    it.onAssigned = () => {
      position = it.consumer.position({ topic, partition: 0 });
      it.consumer.seek({ topic, partition: 1, offset: 8 });
    };
    it.start([topic]);
    await waitFor('the records', () => it.values.length === 5);
    expect(position).toBe(7);
    expect([...it.values].sort()).toEqual(['0/7', '0/8', '0/9', '1/8', '1/9']);
    expect(await it.consumer.committed(all(topic, 2))).toEqual([{ topic, partition: 0, offset: 7 }]);
  });

  for (const strategy of ['range', 'cooperative-sticky']) {
    (hasKcat ? test : test.skip)(`a kcat consumer shares the group, whichever member leads: ${strategy}`, async () => {
      const topic = await clients.topic(4);
      const groupId = uniqueName('group');
      const config = { 'partition.assignment.strategy': strategy };
      const ours = reader(groupId, config).start([topic]);
      await waitFor('all partitions', () => ours.consumer.assignment().length === 4);
      const args = [
        '-b',
        process.env['BOOTSTRAP_SERVERS'] as string,
        '-u',
        '-q',
        '-X',
        'auto.offset.reset=earliest',
        '-G',
        groupId,
      ];
      const foreign = spawn('kcat', [...args, '-X', `partition.assignment.strategy=${strategy}`, topic]);
      let read = '';
      foreign.stdout.on('data', (chunk: Buffer) => (read += chunk.toString()));
      try {
        // This client leads: it joined first.
        await waitFor('it to have half', () => ours.consumer.assignment().length === 2);
        await waitFor(
          'the group to settle',
          async () => (await clients.admin.describeGroup(groupId)).state === 'Stable',
        );
        for (const { partition } of all(topic, 4)) await clients.send(topic, [`${partition}`], partition);
        await waitFor('all records', () => ours.values.length + read.trim().split('\n').length === 4 && read !== '');
        const values = [...ours.values, ...read.trim().split('\n')].sort();
        expect(values).toEqual(range(4));
        // The other one leads: this client rejoins as a new member.
        await ours.stop();
        await ours.consumer.close();
        await waitFor('it to be alone', async () => (await clients.admin.describeGroup(groupId)).members.length === 1);
        const back = reader(groupId, config).start([topic]);
        await waitFor('ours to have half again', () => back.consumer.assignment().length === 2);
        expect(back.error).toBeUndefined();
      } finally {
        const ended = new Promise((resolve) => foreign.once('exit', resolve));
        foreign.kill();
        await ended;
      }
    });
  }

  test('kafka-client 3: committed offsets that cannot be read for longer than default.api.timeout.ms fail no poll', async () => {
    const topic = await clients.topic(1);
    const groupId = uniqueName('group');
    const producer = await clients.producer(topic, { 'transactional.id': uniqueName('tx') });
    await producer.initTransactions();
    producer.beginTransaction();
    for (const value of ['a', 'b', 'c']) producer.send({ topic, key: null, value: Buffer.from(value) });
    // An offset of an open transaction must not be read.
    await producer.sendOffsetsToTransaction(groupId, [{ topic, partition: 0, offset: 2 }]);
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (text: string) => void warnings.push(text) };
    const waiting = reader(groupId, { 'default.api.timeout.ms': '100' }, createKafkaClients(logger)).start([topic]);
    await waitFor('two tries', () => warnings.length >= 2, { detail: () => String(waiting.error) });
    expect(warnings[0]).toContain(`Group '${groupId}' cannot read the committed offsets, retrying`);
    expect(waiting.events).toEqual([]);
    await producer.commitTransaction();
    await waitFor('the record after the offset', () => waiting.values.length > 0, {
      detail: () => String(waiting.error),
    });
    expect(waiting.values).toEqual(['c']);
    expect(waiting.events).toEqual(['assigned 1']);
  });

  test('kafka-client 3: a topic is deleted: the others are read and committed at once, and a new one of that name from its start', async () => {
    const [kept, deleted] = [await clients.topic(1), await clients.topic(1)];
    const groupId = uniqueName('group');
    const producer = await clients.producer(kept);
    await producer.prepare([deleted]);
    const send = (topic: string, ...values: string[]): void => {
      for (const value of values) producer.send({ topic, key: null, value: Buffer.from(value) });
    };
    send(kept, 'k0');
    send(deleted, 'd0', 'd1');
    const sink = reader(groupId, { 'allow.auto.create.topics': 'false' }).start([kept, deleted]);
    await waitFor('both topics', () => sink.values.length === 3);
    await clients.admin.deleteTopics([deleted]);
    const commit = () => sink.consumer.commit(sink.toCommit(sink.consumer.assignment()));
    await waitFor('the deletion', async () => names(await commit()).join() === `${deleted}-0`);
    expect((await clients.admin.listGroupOffsets(groupId)).map((o) => [o.topic, o.offset])).toEqual([[kept, 1]]);
    send(kept, 'k1');
    await waitFor('a record of the other topic', () => sink.values.includes('k1'));
    await clients.topic(1, {}, deleted);
    await waitFor('the new topic at the producer', () =>
      producer.prepare([deleted]).then(
        () => true,
        () => false,
      ),
    );
    send(deleted, 'n0', 'n1', 'n2', 'n3');
    await waitFor('all records of the new topic', () => sink.values.includes('n3'));
    expect(sink.values.filter((value) => value.startsWith('n'))).toEqual(['n0', 'n1', 'n2', 'n3']);
  });

  test.each(['earliest', 'latest'])(
    'kafka-client 3: a topic is deleted and created again at once with more records than were read: none is skipped (%s)',
    async (reset) => {
      const topic = await clients.topic(1);
      await clients.send(topic, range(3, 'old'));
      const sink = reader(uniqueName('group'), { 'auto.offset.reset': reset, 'allow.auto.create.topics': 'false' });
      sink.onAssigned = (partitions) => partitions.forEach((tp) => sink.consumer.seek({ ...tp, offset: 0 }));
      sink.start([topic]);
      await waitFor('the old records', () => sink.values.length === 3);
      await clients.admin.deleteTopics([topic]);
      await clients.topic(1, {}, topic);
      await clients.send(topic, range(10, 'new'));
      await waitFor('the last record of the new topic', () => sink.values.includes('new9'));
      expect(sink.values).toEqual([...range(3, 'old'), ...range(10, 'new')]);
    },
  );

  test('kafka-client 3: an offset of a topic that was deleted and created again is not committed onto the new topic', async () => {
    const topic = await clients.topic(1);
    const groupId = uniqueName('group');
    await clients.send(topic, range(3, 'old'));
    const sink = reader(groupId, { 'allow.auto.create.topics': 'false' }).start([topic]);
    await waitFor('the old records', () => sink.values.length === 3);
    // It fetches nothing, so that only the commit can notice.
    const partition = { topic, partition: 0 };
    sink.consumer.pause([partition]);
    await clients.admin.deleteTopics([topic]);
    await clients.topic(1, {}, topic);
    await clients.send(topic, range(10, 'new'));
    expect(await sink.consumer.commit(sink.toCommit([partition]))).toEqual([partition]);
    expect(await clients.admin.listGroupOffsets(groupId)).toEqual([]);
    sink.consumer.resume([partition]);
    await waitFor('the last record of the new topic', () => sink.values.includes('new9'));
    expect(sink.values).toEqual([...range(3, 'old'), ...range(10, 'new')]);
  });

  test('an error of the listener reaches the caller of poll', async () => {
    const topic = await clients.topic(1);
    const it = reader(uniqueName('group'));
    it.onAssigned = () => {
      throw new Error('open failed');
    };
    it.start([topic]);
    await waitFor('the error', () => it.error);
    expect(it.error).toEqual(new Error('open failed'));
  });

  test('needs a group.id', () => {
    expect(() => kafka.groupConsumer({ 'bootstrap.servers': 'localhost:9092' })).toThrow(/'group\.id' is missing/);
  });
});
