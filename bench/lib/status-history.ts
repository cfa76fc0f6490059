/** Follows a group's status topic: which worker started and stopped which connector or task, and when. */
import { Kafka, logLevel } from 'kafkajs';

export interface StatusEvent {
  /** `connector` or `connector-task`. */
  readonly item: string;
  readonly isTask: boolean;
  readonly state: string;
  /** `host:port`. */
  readonly worker: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export class StatusHistory {
  readonly events: StatusEvent[] = [];
  private readonly last = new Map<string, StatusEvent>();

  /** Milliseconds since the last event arrived. */
  get quietMs(): number {
    return Date.now() - (this.events.at(-1)?.at ?? 0);
  }
  /** Whether so many connectors and tasks are RUNNING and all others gone. */
  runs(items: number): boolean {
    return this.last.size === items && [...this.last.values()].every(({ state }) => state === 'RUNNING');
  }
  /** The last event of each item. */
  latest(): StatusEvent[] {
    return [...this.last.values()];
  }
  /** Item → the worker that reported it last. */
  owners(): Map<string, string> {
    return new Map([...this.last].map(([item, { worker }]) => [item, worker]));
  }

  static async follow(
    bootstrapServers: string,
    group: string,
    atEnd: (stop: () => Promise<unknown>) => void,
  ): Promise<StatusHistory> {
    const history = new StatusHistory();
    const kafka = new Kafka({ brokers: bootstrapServers.split(','), logLevel: logLevel.NOTHING });
    const consumer = kafka.consumer({ groupId: `${group}-status-history` });
    await consumer.connect();
    atEnd(() => consumer.disconnect());
    await consumer.subscribe({ topic: `${group}-status`, fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ message }) => history.add(String(message.key), message.value, Number(message.timestamp)),
    });
    return history;
  }

  private add(key: string, value: Buffer | null, at: number): void {
    const [, kind, item] = /^status-(connector|task)-(.+)$/s.exec(key) ?? [];
    if (item === undefined) return;
    if (value === null) {
      this.last.delete(item);
      return;
    }
    const { state, worker_id: worker } = JSON.parse(value.toString()) as { state: string; worker_id: string };
    const event = { item, isTask: kind === 'task', state, worker, at };
    this.events.push(event);
    this.last.set(item, event);
  }
}
