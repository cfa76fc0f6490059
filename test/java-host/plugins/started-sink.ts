/** A Java sink task whose host is scripted. */
import type { SinkRecord, SinkTaskContext } from '../../../packages/sdk/src';
import { javaSinkTask } from '../../../packages/java-host/src/plugins/java-sink-task';
import { ByteReader } from '../../../packages/java-host/src/wire/byte-reader';
import type { HostValue } from '../../../packages/java-host/src/wire/host-value';
import { type Peer, ScriptedHost } from '../scripted-host';
import { contextOf, jvmsOf, of, plugin, processing } from './task-parts';

const hosts: ScriptedHost[] = [];
afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())));

export const hostError = (kind: string) => ({ class: 'a.B', message: 'no', kind, trace: '', cause: null });

type Answers = Readonly<Record<string, (...args: HostValue[]) => HostValue | Promise<HostValue>>>;

export async function startedSink(
  answers: Answers = {},
  context: Partial<SinkTaskContext> = {},
  taken = { steps: 1, converters: true },
  overrides: readonly string[] = [],
) {
  const none = (): HostValue => null;
  const host = await ScriptedHost.start({
    open: () => ({ overrides }),
    process: () => taken,
    start: none,
    put: none,
    close: none,
    stop: none,
    convert: () => [],
    ...answers,
  });
  hosts.push(host);
  // The session and the partitions are opened by calls of one name.
  const { jvms } = jvmsOf(host);
  const task = javaSinkTask({ ...plugin, type: 'sink' }, 'my.Task', jvms);
  const result = await task.takeProcessing?.(processing, of);
  const given = contextOf<SinkTaskContext>(context);
  await task.start({}, given.context);
  return { task, peer: host.peer(0), result, ...given };
}

export function record(offset: number, members: Partial<SinkRecord> = {}): SinkRecord {
  const [topic, partition] = ['t', 0];
  return {
    topic,
    partition,
    offset,
    originalTopic: members.topic ?? topic,
    originalPartition: members.partition ?? partition,
    originalOffset: offset,
    keySchema: null,
    key: null,
    valueSchema: null,
    value: Buffer.from(`v${offset}`),
    timestamp: 1000,
    timestampType: 'CreateTime',
    headers: [],
    ...members,
  };
}

export function sent(peer: Peer, method: string): { partitions: unknown[]; records: unknown[] }[] {
  return peer.requests(method).map(({ args }) => {
    const reader = new ByteReader(args[0] as Buffer);
    // The number of the first one.
    if (method === 'ahead') reader.i64();
    const partitions: unknown[] = [];
    for (let left = reader.i32(); left > 0; left--) partitions.push([reader.string(), reader.i32()]);
    const records: unknown[] = [];
    for (let left = reader.i32(); left > 0; left--) {
      const head = [reader.i64(), reader.u16(), reader.i64(), reader.i64(), reader.u8()];
      const data = [reader.nullableBytes(), reader.nullableBytes()].map((bytes) => bytes && String(bytes));
      const headers: unknown[] = [];
      for (let more = reader.i32(); more > 0; more--) headers.push([reader.string(), String(reader.nullableBytes())]);
      records.push([...head, ...data, headers]);
    }
    reader.end();
    return { partitions, records };
  });
}

export const args = (peer: Peer, method: string): readonly unknown[][] =>
  peer.requests(method).map((request) => [...request.args]);
