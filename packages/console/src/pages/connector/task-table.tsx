/** The connector's own instance and its tasks. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ConnectorRow, TaskRow } from '../../worker-api';
import { restartTask } from '../../api/connect';
import { startRun } from '../../parts/action-runs';
import type { Action } from '../../parts/actions';
import { Age } from '../../parts/age';
import { StateBadge } from '../../parts/badge';
import { ActionButton } from '../../parts/button';
import { formatCount, formatLag, formatRate, UNKNOWN } from '../../parts/format';
import { useGroup } from '../../parts/overview-store';
import { Empty } from '../../parts/placeholders';
import { Table, type Column } from '../../parts/table';
import { Name } from '../../parts/text';

export interface TaskTableProps {
  readonly row: ConnectorRow;
  readonly refresh: () => void;
}

export function TaskTable({ row, refresh }: TaskTableProps): JSX.Element {
  const group = useGroup();
  const columns = useMemo(() => columnsOf(row, () => (group.refresh(), refresh())), [row, group.refresh, refresh]);
  return (
    <section class="section" aria-labelledby="tasks">
      <h2 id="tasks">
        Tasks <span class="muted number">{tasksOf(row)}</span>
      </h2>
      <Table
        label="Tasks"
        kind="columns-tasks"
        columns={columns}
        rows={row.tasks}
        keyOf={({ id }) => id}
        empty={<Empty title={noTasks(row)} />}
      />
    </section>
  );
}

function tasksOf({ tasks, tasksMax }: ConnectorRow): string {
  return tasksMax === null ? String(tasks.length) : `${tasks.length} of at most ${tasksMax}`;
}

function noTasks({ target, state }: ConnectorRow): string {
  if (target === 'STOPPED') return 'A stopped connector has no tasks';
  return state === 'FAILED' ? 'The connector failed before it had tasks' : 'The connector has no tasks yet';
}

function columnsOf(row: ConnectorRow, refresh: () => void): readonly Column<TaskRow>[] {
  return [
    { key: 'task', label: 'Task', value: ({ id }) => id, cell: ({ id }) => <span class="number">{id}</span> },
    {
      key: 'state',
      label: 'State',
      value: ({ state }) => state,
      cell: ({ state, problem }) => (
        <div class="badges">
          <StateBadge state={state} />
          {problem !== null && <span class="sub warn">{problem.kind}</span>}
        </div>
      ),
    },
    { key: 'since', label: 'Since', value: ({ since }) => since, cell: ({ since }) => <Age at={since} /> },
    {
      key: 'worker',
      label: 'Worker',
      value: ({ worker }) => worker,
      cell: (task) => (
        <div class="stack">
          <Name>{task.worker || UNKNOWN}</Name>
          {task.isWorkerGone && <span class="sub warn">not in the group any more</span>}
          {task.thread !== null && <span class="sub">thread {task.thread}</span>}
        </div>
      ),
    },
    {
      key: 'rate',
      label: 'Rate',
      align: 'end',
      value: ({ rate }) => rate,
      cell: ({ rate }) => <span class="number">{formatRate(rate)}</span>,
    },
    {
      key: 'lag',
      label: 'Lag',
      align: 'end',
      value: ({ lag }) => lag.seconds ?? lag.records ?? lag.bytes,
      cell: ({ lag }) => <span class="number">{formatLag(lag).join(' · ') || UNKNOWN}</span>,
    },
    {
      key: 'errors',
      label: 'Failed records',
      align: 'end',
      value: ({ errors }) => errors,
      cell: ({ errors, errorRate }) => (
        <div class="stack">
          <span class={`number${errors ? ' bad' : ''}`}>{formatCount(errors)}</span>
          {errorRate !== null && errorRate > 0 && <span class="sub number">{formatRate(errorRate)}</span>}
        </div>
      ),
    },
    {
      key: 'actions',
      label: 'Actions',
      align: 'end',
      cell: ({ id }) => (
        <ActionButton
          needs="operator"
          icon="restart"
          label={`Restart task ${id}`}
          onClick={() => void startRun(restartOf(id), [row], refresh)}
        >
          Restart
        </ActionButton>
      ),
    },
  ];
}

/** Done when the task has a status that was written after the request. */
function restartOf(id: number): Action {
  const taskOf = (connector: ConnectorRow): TaskRow | undefined => connector.tasks.find((task) => task.id === id);
  return {
    key: 'restart',
    label: `Restart task ${id}`,
    title: `Restart task ${id}`,
    needs: 'operator',
    icon: 'restart',
    send: (name) => restartTask(name, id),
    outcome: (now, before) => {
      const [old, current] = [taskOf(before), taskOf(now)];
      if (!current || current.since === old?.since || current.state === 'RESTARTING') return null;
      if (current.state === 'UNASSIGNED') return null;
      return current.state === 'FAILED' ? 'failed' : 'done';
    },
  };
}
