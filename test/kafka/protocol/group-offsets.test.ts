import { ByteReader } from '../bytes';
import { offsetCommitRequest } from '../../../packages/kafka-client/src/protocol/group-offsets';

test('kafka-client 3: offsets of a topic and of a new one of that name are committed under their own ids', () => {
  const [old, created] = ['a'.repeat(32), 'b'.repeat(32)];
  const offsets = [
    { topic: 't', partition: 0, offset: 1, topicId: created },
    { topic: 't', partition: 1, offset: 9, topicId: old },
    { topic: 't', partition: 2, offset: 2, topicId: created },
  ];
  const request = offsetCommitRequest(10, { groupId: 'g', memberId: 'm', groupInstanceId: null }, 1, offsets);
  const r = new ByteReader(request.encode(), true);
  expect([r.string(), r.int32(), r.string(), r.nullableString()]).toEqual(['g', 1, 'm', null]);
  const sent = r.array(() => {
    const topicId = r.uuid();
    const partitions = r.array(() => {
      const [partition, offset] = [r.int32(), r.int64()];
      r.int32();
      r.nullableString();
      r.tags();
      return [partition, offset];
    });
    r.tags();
    return [topicId, partitions];
  });
  expect(sent).toEqual([
    [
      created,
      [
        [0, 1],
        [2, 2],
      ],
    ],
    [old, [[1, 9]]],
  ]);
});
