/** Actions on connectors. */
import type { ConnectorRow, Role } from '../worker-api';
import * as connect from '../api/connect';
import type { RestartPlan } from '../api/restart-plan';
import type { IconName } from './icon';
import { pauseOutcome, restartOutcome, resumeOutcome, stopOutcome, type Outcome } from './outcomes';
import { hasFailedPart } from './states';

export type ActionKey = 'pause' | 'resume' | 'stop' | 'restart' | 'restart-failed' | 'delete';

export interface Action {
  readonly key: ActionKey;
  readonly label: string;
  /** Title of its results. */
  readonly title: string;
  readonly needs: Role;
  readonly icon: IconName;
  /** Absent: to every connector. */
  readonly appliesTo?: (row: ConnectorRow) => boolean;
  readonly send: (name: string) => Promise<RestartPlan | null>;
  /** Of a connector that exists: a deleted one is done when it is gone. */
  readonly outcome: (now: ConnectorRow, before: ConnectorRow, plan: RestartPlan | null) => Outcome;
}

export const ACTIONS: readonly Action[] = [
  {
    ...{ key: 'pause', label: 'Pause', title: 'Pause', needs: 'operator', icon: 'pause' },
    send: connect.pauseConnector,
    outcome: pauseOutcome,
  },
  {
    ...{ key: 'resume', label: 'Resume', title: 'Resume', needs: 'operator', icon: 'play' },
    send: connect.resumeConnector,
    outcome: resumeOutcome,
  },
  {
    ...{ key: 'stop', label: 'Stop', title: 'Stop', needs: 'operator', icon: 'stop' },
    send: connect.stopConnector,
    outcome: stopOutcome,
  },
  {
    ...{ key: 'restart', label: 'Restart', title: 'Restart with tasks', needs: 'operator', icon: 'restart' },
    send: (name) => connect.restartConnector(name, { includeTasks: true, onlyFailed: false }),
    outcome: restartOutcome,
  },
  {
    ...{ key: 'restart-failed', label: 'Restart failed', title: 'Restart failed parts', needs: 'operator' },
    icon: 'restart',
    appliesTo: hasFailedPart,
    send: (name) => connect.restartConnector(name, { includeTasks: true, onlyFailed: true }),
    outcome: restartOutcome,
  },
  {
    ...{ key: 'delete', label: 'Delete', title: 'Delete', needs: 'admin', icon: 'delete' },
    send: connect.deleteConnector,
    outcome: () => null,
  },
];
