/**
 * The metrics of Kafka clients: announced once by the thread that creates the client, then read in shared memory until
 * the client is closed.
 */
import { Cells } from './cells';
import { ConsumerMetrics } from './consumer-metrics';
import { PartitionLagReader, PartitionLags, type NamedPartitionLag, type PartitionBehind } from './partition-lags';
import { ProducerMetrics } from './producer-metrics';
import type { SampleWindows } from './sampled-stat';

type Kind = 'producer' | 'consumer';

/** Passed between threads; `memory` is shared. `key` is unique among the clients of one task, or of the worker. */
export type ClientAnnouncement =
  | {
      readonly type: 'opened';
      readonly key: number;
      readonly kind: Kind;
      readonly clientId: string;
      readonly windows: SampleWindows;
      readonly memory: SharedArrayBuffer;
    }
  | { readonly type: 'partitions'; readonly key: number; readonly partitions: readonly NamedPartitionLag[] };

/** Creates the metrics of new clients and announces them. */
export class ClientMeter {
  private opened = 0;

  constructor(
    private readonly windows: SampleWindows,
    private readonly announce: (announcement: ClientAnnouncement) => void,
  ) {}

  producer(clientId: string): ProducerMetrics {
    return this.open('producer', clientId, (cells) => new ProducerMetrics(cells, this.windows));
  }

  consumer(clientId: string): ConsumerMetrics {
    const metrics = this.open('consumer', clientId, (cells) => new ConsumerMetrics(cells, this.windows));
    const key = this.opened;
    metrics.lags = new PartitionLags((partitions) => this.announce({ type: 'partitions', key, partitions }));
    return metrics;
  }

  private open<T>(kind: Kind, clientId: string, build: (cells: Cells) => T): T {
    const memory = Cells.memoryFor((cells) => void build(cells));
    this.announce({ type: 'opened', key: ++this.opened, kind, clientId, windows: this.windows, memory });
    return build(new Cells(memory));
  }
}

export type OpenClient =
  | { readonly kind: 'producer'; readonly clientId: string; readonly metrics: ProducerMetrics }
  | {
      readonly kind: 'consumer';
      readonly clientId: string;
      readonly metrics: ConsumerMetrics;
      readonly lags: PartitionLagReader;
    };

/** The clients that were announced and are not closed. */
export class OpenClients {
  private readonly clients = new Map<number, OpenClient>();

  accept(announcement: ClientAnnouncement): void {
    if (announcement.type === 'partitions') {
      const client = this.clients.get(announcement.key);
      if (client?.kind === 'consumer') client.lags.add(announcement.partitions);
      return;
    }
    const { key, kind, clientId, windows, memory } = announcement;
    const cells = new Cells(memory);
    this.dropClosed();
    this.clients.set(
      key,
      kind === 'producer'
        ? { kind, clientId, metrics: new ProducerMetrics(cells, windows) }
        : { kind, clientId, metrics: new ConsumerMetrics(cells, windows), lags: new PartitionLagReader() },
    );
  }

  all(): readonly OpenClient[] {
    this.dropClosed();
    return [...this.clients.values()];
  }

  /** A terminated thread closes none. */
  clear(): void {
    this.clients.clear();
  }

  private dropClosed(): void {
    for (const [key, { metrics }] of this.clients) if (metrics.closed.value === 1) this.clients.delete(key);
  }
}

/** A client and its task; null for the worker's own. */
interface Owned {
  readonly clientId: string;
  readonly owner: { readonly connector: string; readonly task: number } | null;
}
export interface ProducerFigures extends Owned {
  readonly metrics: ProducerMetrics;
}
export interface ConsumerFigures extends Owned {
  readonly metrics: ConsumerMetrics;
  readonly partitions: readonly PartitionBehind[];
}

interface ClientOwners {
  readonly clients: readonly OpenClient[];
  readonly tasks: readonly {
    readonly connector: string;
    readonly task: number;
    readonly clients: readonly OpenClient[];
  }[];
}

export function clientFigures(
  { clients, tasks }: ClientOwners,
  now: number,
): { readonly producers: readonly ProducerFigures[]; readonly consumers: readonly ConsumerFigures[] } {
  // Clients of one task with the same id would have the same series: the last one opened is reported.
  const producers = new Map<string, ProducerFigures>();
  const consumers = new Map<string, ConsumerFigures>();
  const add = (owner: Owned['owner'], client: OpenClient): void => {
    const { clientId } = client;
    const key = `${owner?.task ?? ''} ${JSON.stringify([owner?.connector, clientId])}`;
    if (client.kind === 'producer') producers.set(key, { clientId, owner, metrics: client.metrics });
    else consumers.set(key, new MeasuredConsumer(client, owner, now));
  };
  for (const client of clients) add(null, client);
  for (const { connector, task, clients: own } of tasks) for (const one of own) add({ connector, task }, one);
  return { producers: [...producers.values()], consumers: [...consumers.values()] };
}

class MeasuredConsumer implements ConsumerFigures {
  readonly clientId: string;
  readonly metrics: ConsumerMetrics;
  private read: readonly PartitionBehind[] | null = null;

  constructor(
    private readonly client: Extract<OpenClient, { kind: 'consumer' }>,
    readonly owner: Owned['owner'],
    private readonly now: number,
  ) {
    this.clientId = client.clientId;
    this.metrics = client.metrics;
  }

  /** Read when they are needed: there may be thousands. */
  get partitions(): readonly PartitionBehind[] {
    return (this.read ??= this.client.lags.read(this.now));
  }
}
