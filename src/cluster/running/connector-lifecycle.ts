/** Transitions of a connector instance to its target state. Pure. Source: connect-runtime §3.2. */
import type { TargetState } from '../../storage/config/config-records';

export type ConnectorLife = 'INIT' | 'STARTED' | 'PAUSED' | 'STOPPED' | 'FAILED';

export interface Transition {
  /** The plugin method to call; null: none. */
  readonly call: 'start' | 'stop' | null;
  /** Reached when the call, if any, succeeds. */
  readonly to: Exclude<ConnectorLife, 'INIT' | 'FAILED'>;
  /** The state is reached even if `stop` fails; otherwise an error means FAILED. */
  readonly tolerant: boolean;
}

/** Null: nothing to do. Throws for a transition that a failed instance cannot make. */
export function transition(from: ConnectorLife, target: TargetState): Transition | null {
  if (from === target) return null;
  if (from === 'FAILED' && target !== 'STOPPED')
    throw new Error(`a failed connector cannot transition to ${target}; restart it`);
  if (target === 'STARTED') return { call: 'start', to: 'STARTED', tolerant: false };
  const call = from === 'STARTED' ? 'stop' : null;
  return { call, to: target, tolerant: target === 'STOPPED' };
}
