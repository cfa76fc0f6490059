/** Columns of the list of workers, and of what runs on one. */
import type { WorkerRow } from '../../worker-api';
import { Age } from '../../parts/age';
import { Badge, StateBadge } from '../../parts/badge';
import { formatBytes, formatCount, formatLag, formatPercent, formatRate, UNKNOWN } from '../../parts/format';
import { printable } from '../../parts/printable';
import { formatRoute } from '../../parts/routes';
import type { Column } from '../../parts/table';
import { ConnectorLink, Name } from '../../parts/text';
import type { Instance } from './instances';

const STATES = {
  answering: ['running', 'answering'],
  silent: ['degraded', 'silent'],
  other: ['unknown', 'no figures'],
  gone: ['failed', 'gone'],
} as const;

export const WORKER_COLUMNS: readonly Column<WorkerRow>[] = [
  {
    key: 'worker',
    label: 'Worker',
    value: ({ id }) => id,
    cell: ({ id, isLeader, isThis }) => (
      <div class="stack">
        <a class="connector-link" href={formatRoute({ page: 'workers', query: { worker: id } })}>
          <Name>{id}</Name>
        </a>
        {(isLeader || isThis) && (
          <span class="sub">
            {isLeader && <span class="tag">leader</span>}
            {isThis && <span class="tag">this worker</span>}
          </span>
        )}
      </div>
    ),
  },
  {
    key: 'state',
    label: 'State',
    value: ({ state }) => state,
    cell: ({ state, problem, health }) => (
      <div class="stack">
        <span>
          <Badge tone={STATES[state][0]}>{STATES[state][1]}</Badge>
        </span>
        {(problem ?? (health === 'healthy' ? null : health)) !== null && (
          <span class="sub clip" title={printable(problem ?? health ?? '')}>
            {printable(problem ?? health ?? '')}
          </span>
        )}
      </div>
    ),
  },
  {
    key: 'version',
    label: 'Version',
    value: ({ version }) => version,
    cell: ({ version }) => <Name>{version ?? UNKNOWN}</Name>,
  },
  {
    key: 'cpu',
    label: 'CPU',
    align: 'end',
    value: ({ cpu }) => cpu,
    cell: ({ cpu }) => <span title="Of one core">{formatPercent(cpu)}</span>,
  },
  {
    key: 'memory',
    label: 'Memory',
    align: 'end',
    value: ({ memoryBytes }) => memoryBytes,
    cell: ({ memoryBytes }) => formatBytes(memoryBytes),
  },
  { key: 'rate', label: 'Rate', align: 'end', value: ({ rate }) => rate, cell: ({ rate }) => formatRate(rate) },
  {
    key: 'connectors',
    label: 'Connectors',
    align: 'end',
    value: ({ connectors }) => connectors,
    cell: ({ connectors }) => formatCount(connectors),
  },
  { key: 'tasks', label: 'Tasks', align: 'end', value: ({ tasks }) => tasks, cell: ({ tasks }) => formatCount(tasks) },
  {
    key: 'started',
    label: 'Started',
    align: 'end',
    value: ({ startedAt }) => startedAt,
    cell: ({ startedAt }) => <Age at={startedAt} />,
  },
];

export const INSTANCE_COLUMNS: readonly Column<Instance>[] = [
  {
    key: 'connector',
    label: 'Connector',
    value: ({ connector }) => connector,
    cell: ({ connector }) => <ConnectorLink name={connector} />,
  },
  {
    key: 'task',
    label: 'Task',
    value: ({ task }) => task ?? -1,
    cell: ({ task }) => (task === null ? <span class="muted">connector</span> : `task ${task}`),
  },
  { key: 'state', label: 'State', value: ({ state }) => state, cell: ({ state }) => <StateBadge state={state} /> },
  { key: 'since', label: 'Since', value: ({ since }) => since, cell: ({ since }) => <Age at={since} /> },
  { key: 'rate', label: 'Rate', align: 'end', value: ({ rate }) => rate, cell: ({ rate }) => formatRate(rate) },
  {
    key: 'lag',
    label: 'Lag',
    align: 'end',
    value: ({ lag }) => lag.seconds ?? lag.records ?? lag.bytes,
    cell: ({ lag }) => formatLag(lag).join(' · ') || UNKNOWN,
  },
  {
    key: 'errors',
    label: 'Errors',
    align: 'end',
    value: ({ errors }) => errors,
    cell: ({ errors }) => <span class={errors ? 'bad' : undefined}>{formatCount(errors)}</span>,
  },
  {
    key: 'thread',
    label: 'Thread',
    align: 'end',
    value: ({ thread }) => thread,
    cell: ({ thread }) => (thread === null ? UNKNOWN : String(thread)),
  },
];
