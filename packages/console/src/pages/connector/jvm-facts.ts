/** The JVM of a connector in words. Pure. */
import { formatBytes, formatDuration, formatNumberOf } from '../../parts/format';
import type { ConnectorJvm } from '../../worker-api';

export interface JvmFacts {
  readonly text: string;
  /** What is wrong with it; null: nothing that is known. */
  readonly problem: string | null;
}

export function jvmFacts(jvm: ConnectorJvm): JvmFacts {
  const { state, isOwn, pid, heapUsed, heapMax, residentBytes } = jvm;
  if (state === 'unknown') return { text: 'unknown', problem: null };
  const heap =
    heapUsed === null || heapMax === null ? 'heap unknown' : `heap ${formatBytes(heapUsed)} of ${formatBytes(heapMax)}`;
  const facts = [
    pid !== null && `process ${pid}`,
    state === 'starting' ? false : heap,
    residentBytes !== null && `${formatBytes(residentBytes)} in all`,
    isOwn !== null && (isOwn ? 'of this connector alone' : 'shared by its folder'),
  ];
  return { text: facts.filter((fact) => fact !== false).join(' · '), problem: problemOf(jvm) };
}

function problemOf({ state, restarts, hungThreads, silentSeconds }: ConnectorJvm): string | null {
  const problems = [
    state === 'starting' && 'starts',
    state === 'silent' &&
      `has not answered for ${formatDuration(silentSeconds === null ? null : silentSeconds * 1000)}`,
    restarts !== null && restarts > 0 && formatNumberOf(restarts, 'restart'),
    hungThreads !== null &&
      hungThreads > 0 &&
      `${formatNumberOf(hungThreads, 'thread')} ${hungThreads === 1 ? 'does' : 'do'} not end`,
  ].filter((problem) => problem !== false);
  return problems.length === 0 ? null : problems.join(', ');
}
