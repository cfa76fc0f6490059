import { CommittedOffsets } from '../../../packages/kafka-client/src/consumer/committed-offsets';
import type { KafkaGroupMember } from '../../../packages/kafka-client/src/group/group-member';
import { ByteReader, ByteWriter } from '../bytes';
import { protocolError } from '../../../packages/kafka-client/src/protocol/protocol-error';
import type { Wire, WireRequest } from '../../../packages/kafka-client/src/wire';

const UNKNOWN_TOPIC = 3;
const ILLEGAL_GENERATION = 22;
const COORDINATOR_LOAD_IN_PROGRESS = 14;
const REBALANCE_IN_PROGRESS = 27;

/** A coordinator that answers commits with these error codes, one after the other, then with success. */
const setUp = (codes: number[]) => {
  const sent: { generation: number; offset: number }[] = [];
  const reported: string[] = [];
  const wire = {
    coordinator: () => Promise.resolve(1),
    forgetCoordinator: () => undefined,
    version: () => Promise.resolve(2),
    send: (_node: number, request: WireRequest<unknown>) => {
      const body = request.encode();
      // group id "g", generation, member id "m", retention, topic "t", partition, offset
      sent.push({ generation: body.readInt32BE(3), offset: Number(body.readBigInt64BE(body.length - 10)) });
      const w = new ByteWriter();
      w.array(['t'], (topic) => w.string(topic).array([0], () => w.int32(0).int16(codes.shift() ?? 0)));
      return Promise.resolve(request.decode(w.finish()));
    },
  } as unknown as Wire;
  const member = {
    current: { generation: 5 } as { generation: number } | null,
    identity: { groupId: 'g', memberId: 'm', groupInstanceId: null },
    reportError: (error: { code: string }) => reported.push(error.code),
  };
  const policy = { timeoutMs: 5_000, retryBackoffMs: 1, retryBackoffMaxMs: 2 };
  const offsets = new CommittedOffsets(wire, member as unknown as KafkaGroupMember, 'g', policy);
  return { offsets, sent, reported, member };
};
const of = (topic: string, offset: number) => ({ topic, partition: 0, offset });

/** A cluster with these topics, and a coordinator that keeps what is committed. */
const topics = (existing: string[]) => {
  const committed: Record<string, number> = {};
  const answers: string[] = [];
  const unknownToCoordinator = new Set<string>();
  const partitions = (topic: string) =>
    existing.includes(topic) ? [{ partition: 0, leader: 1, leaderEpoch: 0 }] : undefined;
  const wire = {
    coordinator: () => Promise.resolve(1),
    forgetCoordinator: () => undefined,
    version: () => Promise.resolve(2),
    refresh: () => Promise.resolve(),
    cachedPartitions: partitions,
    partitions: (topic: string) => {
      const found = partitions(topic);
      return found === undefined
        ? Promise.reject(protocolError(UNKNOWN_TOPIC, `find ${topic}`))
        : Promise.resolve(found);
    },
    send: (_node: number, request: WireRequest<unknown>) => {
      const r = new ByteReader(request.encode());
      r.string();
      r.int32();
      r.string();
      r.int64();
      const asked = r.array(() => {
        const topic = r.string();
        const [offset] = r.array(() => {
          r.int32();
          const value = r.int64();
          r.nullableString();
          return value;
        });
        return { topic, offset: offset as number };
      });
      answers.push(asked.map(({ topic, offset }) => `${topic}-0@${offset}`).join(' '));
      const w = new ByteWriter();
      w.array(asked, ({ topic, offset }) => {
        const isKnown = existing.includes(topic) && !unknownToCoordinator.has(topic);
        if (isKnown) committed[topic] = offset;
        w.string(topic).array([0], () => w.int32(0).int16(isKnown ? 0 : UNKNOWN_TOPIC));
      });
      return Promise.resolve(request.decode(w.finish()));
    },
  } as unknown as Wire;
  const member = {
    current: { generation: 5 },
    identity: { groupId: 'g', memberId: 'm' },
    reportError: () => undefined,
  };
  const policy = { timeoutMs: 5_000, retryBackoffMs: 1, retryBackoffMaxMs: 2 };
  const offsets = new CommittedOffsets(wire, member as unknown as KafkaGroupMember, 'g', policy);
  return { offsets, committed, answers, existing, unknownToCoordinator };
};
const at = (offset: number) => [{ topic: 't', partition: 0, offset }];

describe('kafka-client 3: commits', () => {
  test.each([
    [ILLEGAL_GENERATION, 'ILLEGAL_GENERATION'],
    [REBALANCE_IN_PROGRESS, 'REBALANCE_IN_PROGRESS'],
  ])('error %i is not retried, and the membership gets it', async (errorCode, code) => {
    const { offsets, sent, reported } = setUp([errorCode]);
    await expect(offsets.commit(at(7))).rejects.toMatchObject({ code, retriable: false });
    expect(sent).toEqual([{ generation: 5, offset: 7 }]);
    expect(reported).toEqual([code]);
  });

  test('transient errors are retried, in the generation of the call', async () => {
    const { offsets, sent, member } = setUp([COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_LOAD_IN_PROGRESS]);
    const committing = offsets.commit(at(7));
    member.current = { generation: 6 };
    await committing;
    expect(sent.map(({ generation }) => generation)).toEqual([5, 5, 5]);
  });

  test('are sent in order, and a later commit replaces a failed one', async () => {
    const { offsets, sent } = setUp([COORDINATOR_LOAD_IN_PROGRESS]);
    await Promise.all([offsets.commit(at(1)), offsets.commit(at(2))]);
    expect(sent.map(({ offset }) => offset)).toEqual([1, 2]);
  });

  test('commits that wait for one in flight are merged, with the newest offset of each partition', async () => {
    const { offsets, committed, answers } = topics(['a', 'b']);
    const first = offsets.commit([of('a', 1)]);
    const waiting = [offsets.commit([of('a', 2), of('b', 1)]), offsets.commit([of('a', 3)])];
    await Promise.all([first, ...waiting]);
    expect(answers).toEqual(['a-0@1', 'a-0@3 b-0@1']);
    expect(committed).toEqual({ a: 3, b: 1 });
  });

  test('a waiting commit is rejected when its generation has ended, and the next one does not wait for it', async () => {
    const { offsets, sent, member } = setUp([]);
    const first = offsets.commit(at(1));
    const late = offsets.commit(at(2));
    member.current = { generation: 6 };
    const next = offsets.commit(at(3));
    await expect(late).rejects.toMatchObject({ code: 'ILLEGAL_GENERATION' });
    await Promise.all([first, next]);
    expect(sent).toEqual([
      { generation: 5, offset: 1 },
      { generation: 6, offset: 3 },
    ]);
  });

  test('fail at once without a membership', async () => {
    const { offsets, sent, member } = setUp([]);
    member.current = null;
    await expect(offsets.commit(at(1))).rejects.toMatchObject({ code: 'UNKNOWN_MEMBER_ID' });
    expect(sent).toEqual([]);
  });
});

describe('kafka-client 3: a topic of the group is deleted', () => {
  test('the offsets of the other topics are committed once, and the result names the dropped ones', async () => {
    const { offsets, committed, answers } = topics(['kept']);
    const dropped = await offsets.commit([of('deleted', 9), of('kept', 7)]);
    expect(dropped).toEqual([{ topic: 'deleted', partition: 0 }]);
    expect(committed).toEqual({ kept: 7 });
    expect(answers).toEqual(['deleted-0@9 kept-0@7']);
  });

  test('a commit of other topics does not wait for one of the deleted topic', async () => {
    const { offsets, committed } = topics(['kept']);
    const gone = [offsets.commit([of('deleted', 1)]), offsets.commit([of('deleted', 2)])];
    expect(await offsets.commit([of('kept', 7)])).toEqual([{ topic: 'deleted', partition: 0 }]);
    expect((await Promise.all(gone)).flat()).toContainEqual({ topic: 'deleted', partition: 0 });
    expect(committed).toEqual({ kept: 7 });
  });

  test('a topic that only the coordinator does not know yet is retried, alone', async () => {
    const { offsets, committed, answers, unknownToCoordinator } = topics(['kept', 'new']);
    unknownToCoordinator.add('new');
    const committing = offsets.commit([of('kept', 7), of('new', 3)]);
    setImmediate(() => unknownToCoordinator.clear());
    expect(await committing).toEqual([]);
    expect(committed).toEqual({ kept: 7, new: 3 });
    expect(answers[0]).toBe('kept-0@7 new-0@3');
    expect(new Set(answers.slice(1))).toEqual(new Set(['new-0@3']));
  });
});
