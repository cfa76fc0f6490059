/** What a connector instance does on the way to its target state. Pure. Source: connect-runtime §3.2. */
import type { TargetState } from '../../storage/config-records';

export type ConnectorLife = 'INIT' | 'STARTED' | 'PAUSED' | 'STOPPED' | 'FAILED';

export interface Transition {
  /** Called on the plug-in; null: nothing. */
  readonly call: 'start' | 'stop' | null;
  /** Reached when the call, if any, succeeds. */
  readonly to: Exclude<ConnectorLife, 'INIT' | 'FAILED'>;
  /** An error of `stop` does not keep it from STOPPED; otherwise an error means FAILED. */
  readonly tolerant: boolean;
}

/** Null: nothing to do. Throws for what a failed instance can not do. */
export function transition(from: ConnectorLife, target: TargetState): Transition | null {
  if (from === target) return null;
  if (from === 'FAILED' && target !== 'STOPPED')
    throw new Error(`a failed connector cannot transition to ${target}; restart it`);
  if (target === 'STARTED') return { call: 'start', to: 'STARTED', tolerant: false };
  const call = from === 'STARTED' ? 'stop' : null;
  return { call, to: target, tolerant: target === 'STOPPED' };
}
