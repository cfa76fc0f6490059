/** Log levels, and a form that sets one. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { LEVELS, readLoggers, type Logger } from '../../api/loggers';
import { Age } from '../../parts/age';
import { Button } from '../../parts/button';
import { FilterInput } from '../../parts/filter-input';
import { PageBody } from '../../parts/frame';
import { Empty, ErrorNotice, Notice, Skeleton } from '../../parts/placeholders';
import { printable } from '../../parts/printable';
import { replaceQuery } from '../../parts/router';
import type { Query } from '../../parts/routes';
import { useSession } from '../../parts/session';
import { Table, type Column } from '../../parts/table';
import { Name } from '../../parts/text';
import { usePoll } from '../../parts/use-poll';
import { LevelForm } from './level-form';

const POLL_MS = 5000;

export function LoggersPage({ query }: { readonly query: Query }): JSX.Element {
  const { hasLoggers } = useSession();
  return (
    <PageBody title="Loggers">
      {hasLoggers ? (
        <Loggers query={query} />
      ) : (
        <Notice kind="unknown" title="The log levels are not served at this address">
          The worker’s setting <code>admin.listeners</code> serves them at another address, or not at all.
        </Notice>
      )}
    </PageBody>
  );
}

function Loggers({ query }: { readonly query: Query }): JSX.Element {
  const { data, error, refresh } = usePoll(readLoggers, 'loggers', POLL_MS);
  const [chosen, setChosen] = useState<Logger | null>(null);
  const text = (query['q'] ?? '').toLowerCase();
  const shown = useMemo(() => (data ?? []).filter(({ name }) => name.toLowerCase().includes(text)), [data, text]);
  const columns = useMemo(() => columnsWith(setChosen), []);
  if (data === null) return error ? <ErrorNotice error={error} retry={refresh} /> : <Skeleton lines={6} />;
  return (
    <>
      {error && <ErrorNotice error={error} retry={refresh} />}
      <LevelForm key={chosen?.name ?? ''} chosen={chosen} loggers={data} onChanged={refresh} />
      <div class="filters">
        <FilterInput
          label="Filter loggers by name"
          placeholder="Name of a logger"
          value={query['q'] ?? ''}
          onChange={(q) => replaceQuery({ ...query, q })}
        />
      </div>
      <Table
        label="Loggers"
        kind="columns-loggers"
        columns={columns}
        rows={shown}
        keyOf={({ name }) => name}
        initialSort={{ key: 'name', isDescending: false }}
        empty={<Empty title="No logger matches the filter" />}
      />
    </>
  );
}

function columnsWith(choose: (logger: Logger) => void): readonly Column<Logger>[] {
  return [
    { key: 'name', label: 'Logger', value: ({ name }) => name, cell: ({ name }) => <Name>{name}</Name> },
    {
      key: 'level',
      label: 'Level',
      value: ({ level }) => LEVELS.indexOf(level),
      cell: ({ level }) => <span class={`level level-${level.toLowerCase()}`}>{printable(level)}</span>,
    },
    {
      key: 'changed',
      label: 'Changed',
      value: ({ changedAt }) => changedAt,
      cell: ({ changedAt }) => <Age at={changedAt} />,
    },
    {
      key: 'choose',
      label: <span class="unseen">Change</span>,
      align: 'end',
      cell: (logger) => (
        <Button
          kind="quiet"
          icon="edit"
          label={`Change level of ${printable(logger.name)}`}
          onClick={() => choose(logger)}
        />
      ),
    },
  ];
}
