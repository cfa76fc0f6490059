import { CommittedOffsets } from '../../../src/kafka/consumer/committed-offsets';
import type { KafkaGroupMember } from '../../../src/kafka/group/group-member';
import { ByteWriter } from '../../../src/kafka/protocol/bytes';
import type { Wire, WireRequest } from '../../../src/kafka/wire';

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
const at = (offset: number) => [{ topic: 't', partition: 0, offset }];

describe('kafka-client 3: commits', () => {
  test.each([
    [ILLEGAL_GENERATION, 'ILLEGAL_GENERATION'],
    [REBALANCE_IN_PROGRESS, 'REBALANCE_IN_PROGRESS'],
  ])('error %i is not sent again, and the membership hears of it', async (errorCode, code) => {
    const { offsets, sent, reported } = setUp([errorCode]);
    await expect(offsets.commit(at(7))).rejects.toMatchObject({ code, retriable: false });
    expect(sent).toEqual([{ generation: 5, offset: 7 }]);
    expect(reported).toEqual([code]);
  });

  test('transient errors are, under the generation of the call', async () => {
    const { offsets, sent, member } = setUp([COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_LOAD_IN_PROGRESS]);
    const committing = offsets.commit(at(7));
    member.current = { generation: 6 };
    await committing;
    expect(sent.map(({ generation }) => generation)).toEqual([5, 5, 5]);
  });

  test('are sent in order: a retried one never overtakes a later one', async () => {
    const { offsets, sent } = setUp([COORDINATOR_LOAD_IN_PROGRESS]);
    await Promise.all([offsets.commit(at(1)), offsets.commit(at(2))]);
    expect(sent.map(({ offset }) => offset)).toEqual([1, 1, 2]);
  });

  test('fail at once without a membership', async () => {
    const { offsets, sent, member } = setUp([]);
    member.current = null;
    await expect(offsets.commit(at(1))).rejects.toMatchObject({ code: 'UNKNOWN_MEMBER_ID' });
    expect(sent).toEqual([]);
  });
});
