/** Attributes of what a client sends and receives, with the names of Java's clients. */
import { counter, gauge, type Attribute } from './attribute';
import type { NetworkMetrics } from './network-metrics';

export function networkAttributes<T>(networkOf: (of: T) => NetworkMetrics): Attribute<T>[] {
  return [
    gauge('request-rate', 'Requests sent per second.', (of, now) => networkOf(of).requestSizes.frequency(now)),
    counter('request-total', 'Requests sent.', (of) => networkOf(of).requests.value),
    gauge('request-size-avg', 'Average size of a request, in bytes.', (of, now) =>
      networkOf(of).requestSizes.average(now),
    ),
    gauge('request-size-max', 'Size of the largest request, in bytes.', (of, now) =>
      networkOf(of).requestSizes.maximum(now),
    ),
    gauge('outgoing-byte-rate', 'Bytes sent per second.', (of, now) => networkOf(of).requestSizes.rate(now)),
    counter('outgoing-byte-total', 'Bytes sent.', (of) => networkOf(of).outgoingBytes.value),
    gauge('response-rate', 'Responses received per second.', (of, now) => networkOf(of).responseSizes.frequency(now)),
    counter('response-total', 'Responses received.', (of) => networkOf(of).responses.value),
    gauge('incoming-byte-rate', 'Bytes received per second.', (of, now) => networkOf(of).responseSizes.rate(now)),
    counter('incoming-byte-total', 'Bytes received.', (of) => networkOf(of).incomingBytes.value),
  ];
}
