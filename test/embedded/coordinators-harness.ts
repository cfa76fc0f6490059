/**
 * The coordinators behind their handlers, as the broker composes them, with partitions that remember their markers and
 * time that stands still.
 */
import {
  openCoordinators,
  type Coordinators,
  type CoordinatorSettings,
} from '../../packages/embedded/src/coordinators';
import type { RequestContext } from '../../packages/embedded/src/requests/handler';
import type { Partitions, TopicPartition } from '../../packages/embedded/src/partitions';
import type { Api, Loose, MessageOf, RequestOf } from '@millrace/kafka-protocol';
import { FakeClock } from './fake-clock';

/** What a request leaves out. */
const ABSENT: Record<string, unknown> = {
  groupInstanceId: null,
  memberId: '',
  generationId: -1,
  generationIdOrMemberEpoch: -1,
  producerId: -1,
  producerEpoch: -1,
  requireStable: false,
  statesFilter: [],
  members: [],
  assignments: [],
  protocolType: null,
  protocolName: null,
};

export class FakePartitions implements Partitions {
  readonly markers: string[] = [];
  readonly topics = new Set(['t']);
  failures = 0;
  /** Markers wait for it. */
  gate: Promise<void> = Promise.resolve();

  exists({ topic, partition }: TopicPartition): boolean {
    return this.topics.has(topic) && partition < 4;
  }

  topicName(): undefined {
    return undefined;
  }

  producers(): [] {
    return [];
  }

  async appendMarker(
    { topic, partition }: TopicPartition,
    marker: { producerId: number; producerEpoch: number; committed: boolean },
  ): Promise<number> {
    await this.gate;
    if (this.failures-- > 0) throw new Error('the disk is full');
    const { producerId, producerEpoch, committed } = marker;
    return this.markers.push(`${topic}-${partition} ${producerId}/${producerEpoch} ${committed ? 'commit' : 'abort'}`);
  }
}

export class CoordinatorsHarness {
  readonly clock = new FakeClock();
  readonly partitions = new FakePartitions();
  readonly lines: string[] = [];
  broker!: Coordinators;

  static async open(dataDir: string | null = null, settings: Partial<CoordinatorSettings> = {}) {
    const harness = new CoordinatorsHarness(dataDir, settings);
    await harness.start();
    return harness;
  }

  private constructor(
    private readonly dataDir: string | null,
    private readonly settings: Partial<CoordinatorSettings>,
  ) {}

  async start(): Promise<void> {
    const { clock, partitions, dataDir } = this;
    const log = (line: string) => void this.lines.push(line);
    const services = { partitions, dataDir, fsync: 'never' as const, now: () => clock.now(), log };
    this.broker = await openCoordinators(services, this.settings, clock);
  }

  /** Version: the highest, unless given. */
  async ask<A extends Api>(
    api: A,
    request: Loose<RequestOf<A>>,
    version = api.versions[1],
  ): Promise<MessageOf<A['response']>> {
    const handler = this.broker.handlers.get(api.key);
    if (handler === undefined) throw new Error(`Nobody handles ${api.name}`);
    const context: RequestContext = {
      clientId: 'client',
      connection: { id: 1, host: '127.0.0.1' },
      apiVersion: version,
      signal: new AbortController().signal,
    };
    return (await handler({ ...ABSENT, ...request }, context)) as MessageOf<A['response']>;
  }
}

/** Everything that only waits for promises has happened. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
