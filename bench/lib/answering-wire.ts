import { ByteWriter } from '../../test/kafka/bytes';
import type { Wire } from '../../packages/kafka-client/src/wire';

/**
 * A wire with one broker that acknowledges everything in the next turn of the event loop, or after `roundTripMs`: each
 * request has partition 0 of the next `perRequest` topics.
 */
export function answeringWire(topics: readonly string[], roundTripMs = 0, perRequest = 1): Wire {
  const partitions = [{ partition: 0, leader: 1, leaderEpoch: 0 }];
  const answers: Buffer[] = [];
  for (let from = 0; from < topics.length; from += perRequest)
    answers.push(produced(topics.slice(from, from + perRequest)));
  let requests = 0;
  const given = new ByteWriter(true);
  given.int32(0).int16(0).int64(1).int16(0).tags();
  return {
    clientId: 'bench',
    connect: () => Promise.resolve(),
    partitions: () => Promise.resolve(partitions),
    cachedPartitions: () => partitions,
    refresh: () => Promise.resolve(),
    allTopics: () => Promise.resolve([...topics]),
    leader: () => 1,
    version: (_node, _api, _min, max) => Promise.resolve(max),
    anyNode: () => Promise.resolve(1),
    controller: () => Promise.resolve(1),
    coordinator: () => Promise.resolve(1),
    forgetCoordinator: () => undefined,
    send(_node, request) {
      request.encode();
      const answer = request.apiName === 'Produce' ? (answers[requests++ % answers.length] as Buffer) : given.finish();
      return new Promise((resolve) => {
        const respond = (): void => resolve(request.decode(answer));
        if (roundTripMs === 0) setImmediate(respond);
        else setTimeout(respond, roundTripMs);
      });
    },
    clusterId: () => Promise.resolve('bench'),
    nodes: () => [{ id: 1, host: 'bench', port: 0 }],
    close: () => Promise.resolve(),
  };
}

function produced(topics: readonly string[]): Buffer {
  const answer = new ByteWriter().int32(topics.length);
  for (const topic of topics)
    answer.string(topic).int32(1).int32(0).int16(0).int64(0).int64(-1).int64(0).int32(0).int16(-1);
  return answer.int32(0).finish();
}
