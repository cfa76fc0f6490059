/** Part of `worker-api.ts`: records, dead letters and lag of one connector. */
/** A partition that a sink reads. Null: none, or unknown. */
export interface PartitionLag {
  readonly topic: string;
  readonly partition: number;
  /** Whose consumer has it. */
  readonly task: number | null;
  readonly committed: number | null;
  /** Next offset that the consumer of the task returns. */
  readonly position: number | null;
  /** After the last record that the sink can read. */
  readonly end: number | null;
  /** Records that are not processed; without a task that says so, not committed. */
  readonly records: number | null;
  /** Age of the oldest of them. */
  readonly seconds: number | null;
}

/** `GET /ui/api/connectors/:name/lag`, of sinks: the most behind first, at most 1,000. */
export interface SinkLag {
  readonly total: number;
  readonly partitions: readonly PartitionLag[];
  /** Workers that did not say where their tasks are. */
  readonly missing: readonly string[];
}

/** A key, value or header. */
export interface RecordPart {
  /** JSON, shortened; the beginning of the bytes where `error` says why they could not be read; null: a null. */
  readonly text: string | null;
  readonly error: string | null;
}

export interface TopicRecord {
  readonly partition: number;
  readonly offset: string;
  readonly at: number | null;
  readonly key: RecordPart;
  readonly value: RecordPart;
  /** The first 50. */
  readonly headers: readonly (RecordPart & { readonly name: string })[];
  readonly moreHeaders: number;
}

/**
 * `GET /ui/api/connectors/:name/records?topic=T&limit=20` (role `operator`), newest first, through the connector's
 * converters. Only of `recordTopics`.
 */
export interface TopicRecords {
  readonly topic: string;
  /** Records in the topic. */
  readonly total: number;
  readonly records: readonly TopicRecord[];
}

export interface DeadLetter {
  readonly partition: number;
  readonly offset: string;
  readonly at: number | null;
  /** Why it failed: from the context headers. */
  readonly failure: {
    readonly stage: string | null;
    readonly errorClass: string | null;
    readonly message: string | null;
    readonly task: number | null;
  };
  /** Where it came from; null: the headers do not say, so it cannot be replayed. */
  readonly origin: { readonly topic: string; readonly partition: number; readonly offset: string } | null;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  /** As text, shortened; null: a null. */
  readonly key: string | null;
  readonly value: string | null;
}

/** `GET /ui/api/connectors/:name/dead-letters?limit=50` (role `operator`), newest first. */
export interface DeadLetters {
  readonly topic: string;
  /** Records in the topic of this connector and of others that share it. */
  readonly total: number;
  readonly letters: readonly DeadLetter[];
}

/** Dead letters with the same reason, whatever values it quotes. */
export interface DeadLetterGroup {
  readonly key: string;
  /** The message, in which `…` stands for values. */
  readonly pattern: string | null;
  /** Of the newest letter. */
  readonly message: string | null;
  readonly stage: string | null;
  readonly errorClass: string | null;
  readonly count: number;
  /** Times of the oldest and the newest one. */
  readonly first: number | null;
  readonly last: number | null;
  /** Those that can be replayed, the newest first. */
  readonly replayable: ReplayRequest['letters'];
}

/**
 * `GET /ui/api/connectors/:name/dead-letters/groups` (role `operator`): the group with the newest letter first, at most
 * 200. `GET …/dead-letters?group=KEY` has the letters of one.
 */
export interface DeadLetterGroups {
  readonly topic: string;
  /** Records in the topic. */
  readonly total: number;
  /** The newest ones, which were read: at most 5,000 records and 16 MB. */
  readonly read: number;
  readonly groups: readonly DeadLetterGroup[];
}

/** `POST /ui/api/connectors/:name/dead-letters/replay` (role `operator`). */
export interface ReplayRequest {
  readonly letters: readonly { readonly partition: number; readonly offset: string }[];
}

/**
 * One result per letter, in the order of the request. `error` null: written to its topic again, and acknowledged.
 * `failedAgain`: why the connector could not deliver the record this time; null: it has not failed within some seconds.
 */
export interface ReplayResult {
  readonly results: readonly {
    readonly partition: number;
    readonly offset: string;
    readonly error: string | null;
    readonly failedAgain: string | null;
  }[];
}
