/** Between the SDK's objects and the maps of the protocol. */
import type { ConfiguredPlugin, RecordProcessing, TakenProcessing, TopicPartition } from '@millrace/sdk';
import type { HostMap, HostValue } from '../wire/host-value';
import { ProtocolError } from '../wire/protocol-error';

export function processingMap({ steps, key, value, header }: RecordProcessing): HostMap {
  return {
    steps: steps.map(({ alias, transformation, predicate, negate }) => ({
      alias,
      ...plugin(transformation),
      predicate: predicate && { alias: predicate.alias, ...plugin(predicate) },
      negate,
    })),
    key: plugin(key),
    value: plugin(value),
    header: plugin(header),
  };
}

function plugin({ name, settings }: ConfiguredPlugin): { name: string; settings: HostMap } {
  return { name, settings };
}

export function takenOf(result: HostValue): TakenProcessing {
  const { steps, converters } = mapOf(result, 'process');
  if (typeof steps !== 'number' || typeof converters !== 'boolean')
    throw new ProtocolError('the result of process is not what it has taken');
  return { steps, converters };
}

/** The optional methods that the class has, from the result of `open`. */
export function overridesOf({ overrides }: HostMap): ReadonlySet<HostValue> {
  return new Set(Array.isArray(overrides) ? (overrides as readonly HostValue[]) : []);
}

/** @param method whose result or argument it is */
export function mapOf(value: HostValue | undefined, method: string): HostMap {
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null) return value as HostMap;
  throw new ProtocolError(`a map is missing in ${method}`);
}

export function listOf(value: HostValue | undefined, method: string): readonly HostValue[] {
  if (Array.isArray(value)) return value as readonly HostValue[];
  throw new ProtocolError(`a list is missing in ${method}`);
}

export function integerOf(value: HostValue | undefined, method: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new ProtocolError(`an integer is missing in ${method}`);
}

export function textOf(value: HostValue | undefined, method: string): string {
  if (typeof value === 'string') return value;
  throw new ProtocolError(`a text is missing in ${method}`);
}

export function bytesOf(value: HostValue | undefined, method: string): Buffer {
  if (Buffer.isBuffer(value)) return value;
  throw new ProtocolError(`bytes are missing in ${method}`);
}

export function partitionOf(value: HostValue | undefined, method: string): TopicPartition {
  const [topic, partition] = listOf(value, method);
  return { topic: textOf(topic, method), partition: integerOf(partition, method) };
}

export function partitionsOf(value: HostValue | undefined, method: string): TopicPartition[] {
  return listOf(value, method).map((partition) => partitionOf(partition, method));
}

export function partitionList(partitions: readonly TopicPartition[]): HostValue[] {
  return partitions.map(({ topic, partition }) => [topic, partition]);
}
