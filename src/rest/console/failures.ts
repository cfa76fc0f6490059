/** Why connectors and tasks are FAILED, without the secrets of their configs. */
import type { ConnectorConfig } from '@millrace/sdk';
import type { ConnectorRecord } from '../../cluster/entities';
import type { HiddenSecrets } from '../auth/hidden-secrets';
import type { Failure } from '@millrace/console';
import { reasonOf } from './failure';

/** Of one trace, and of all traces of a connector. Characters. */
const LONGEST_TRACE = 64 * 1024;
const LONGEST_TRACES = 1024 * 1024;
const MOST_FAILURES = 1_000;

/** A failed part of a connector, as its status has it. */
interface FailedPart {
  readonly at: number | null;
  /** Null: the connector itself. */
  readonly task: number | null;
  readonly trace: string;
}

/** The newest first; of those without a time, the connector's, then those of its first tasks. Pure. */
function failedParts({ status }: Pick<ConnectorRecord, 'status'>): readonly FailedPart[] {
  if (status === null) return [];
  const parts = [
    { task: null, ...status.connector },
    ...[...status.tasks].sort((a, b) => a.id - b.id).map(({ id, ...task }) => ({ task: id, ...task })),
  ];
  return parts
    .filter(({ state }) => state === 'FAILED')
    .map(({ task, since = null, trace = '' }) => ({ at: since, task, trace }))
    .sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
}

export class Failures {
  /** By config: a trace is quoted without its secrets. */
  private readonly newestOf = new WeakMap<
    ConnectorConfig,
    { readonly part: FailedPart; readonly failure: Promise<Failure> }
  >();

  constructor(private readonly secrets: Pick<HiddenSecrets, 'inTextsFromAll'>) {}

  /** The newest one, without its trace. */
  async newest(record: Pick<ConnectorRecord, 'config' | 'status'>): Promise<Failure | null> {
    const { config } = record;
    const [part] = failedParts(record);
    if (part === undefined) return null;
    const known = this.newestOf.get(config);
    if (known && known.part.trace === part.trace && known.part.at === part.at && known.part.task === part.task)
      return await known.failure;
    const failure = this.secrets.inTextsFromAll(config).then((hide) => ({ ...failureOf(part, hide), trace: '' }));
    this.newestOf.set(config, { part, failure });
    return await failure;
  }

  /** All, the newest first, with the traces of the first ones. */
  async all(record: Pick<ConnectorRecord, 'config' | 'status'>): Promise<readonly Failure[]> {
    const parts = failedParts(record).slice(0, MOST_FAILURES);
    if (parts.length === 0) return [];
    const hide = await this.secrets.inTextsFromAll(record.config);
    let characters = 0;
    return parts.map((part) => {
      const failure = failureOf(part, hide);
      characters += failure.trace.length;
      return characters <= LONGEST_TRACES ? failure : { ...failure, trace: '' };
    });
  }
}

function failureOf({ at, task, trace }: FailedPart, hide: (text: string) => string): Failure {
  const shown = hide(trace.slice(0, LONGEST_TRACE));
  return { at, task, ...reasonOf(shown), trace: shown };
}
