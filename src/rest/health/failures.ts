/** Why connectors and tasks are FAILED, without the secrets of their configs. */
import { isDeepStrictEqual } from 'node:util';
import type { ConnectorConfig } from '@millrace/sdk';
import type { ConnectorRecord } from '../../cluster/entities';
import type { HiddenSecrets } from '../auth/hidden-secrets';
import type { Failure } from '@millrace/console';
import { reasonOf } from './failure';

/** Of one trace, and of all traces of a connector. Characters. */
const LONGEST_TRACE = 64 * 1024;
const LONGEST_TRACES = 1024 * 1024;
const MOST_FAILURES = 1_000;
/** Failures of one connector in lists. */
export const MOST_REASONS = 5;

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
  private readonly firstOf = new WeakMap<
    ConnectorConfig,
    { readonly parts: readonly FailedPart[]; readonly failures: Promise<readonly Failure[]> }
  >();

  constructor(private readonly secrets: Pick<HiddenSecrets, 'inTextsFromAll'>) {}

  /** The newest ones, without their traces. */
  async first(record: Pick<ConnectorRecord, 'config' | 'status'>): Promise<readonly Failure[]> {
    const { config } = record;
    const parts = failedParts(record).slice(0, MOST_REASONS);
    if (parts.length === 0) return [];
    const known = this.firstOf.get(config);
    if (known && isDeepStrictEqual(known.parts, parts)) return await known.failures;
    const failures = this.secrets
      .inTextsFromAll(config)
      .then((hide) => parts.map((part) => withoutTrace(failureOf(part, hide))));
    this.firstOf.set(config, { parts, failures });
    return await failures;
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

export function withoutTrace(failure: Failure): Failure {
  return { ...failure, trace: '' };
}

function failureOf({ at, task, trace }: FailedPart, hide: (text: string) => string): Failure {
  const shown = hide(trace.slice(0, LONGEST_TRACE));
  return { at, task, ...reasonOf(shown), trace: shown };
}
