/** What changed in the group, newest first, by whom or what. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Change, Changes } from '../../worker-api';
import { request } from '../../api/request';
import { Button } from '../../parts/button';
import { ChangeList } from '../../parts/change-list';
import { FilterInput } from '../../parts/filter-input';
import { formatTime } from '../../parts/format';
import { PageBody } from '../../parts/frame';
import { Empty, ErrorNotice, Skeleton } from '../../parts/placeholders';
import { replaceQuery } from '../../parts/router';
import type { Query } from '../../parts/routes';
import { usePoll } from '../../parts/use-poll';

const POLL_MS = 5000;
const STEP = 100;

const load = (signal: AbortSignal): Promise<Changes> => request<Changes>('api/changes', { signal });

export function ChangesPage({ query }: { readonly query: Query }): JSX.Element {
  const { data, error, refresh } = usePoll(load, 'changes', POLL_MS);
  return (
    <PageBody title="Changes">
      {error && <ErrorNotice error={error} retry={refresh} />}
      {data ? <Found changes={data} query={query} /> : !error && <Skeleton lines={8} />}
    </PageBody>
  );
}

function Found({ changes, query }: { readonly changes: Changes; readonly query: Query }): JSX.Element {
  const [most, setMost] = useState(STEP);
  const text = query['q'] ?? '';
  const found = useMemo(() => changes.changes.filter((change) => matches(change, text)), [changes, text]);
  return (
    <>
      <div class="filters">
        <FilterInput
          label="Filter changes by connector, kind, user or key"
          placeholder="Connector, kind, user or key"
          value={text}
          onChange={(q) => replaceQuery({ ...query, q })}
        />
        {changes.since !== null && <p class="muted">Kept since {formatTime(changes.since)}</p>}
      </div>
      {found.length === 0 ? (
        <Empty title={changes.changes.length === 0 ? 'No changes yet' : 'No change matches the filter'} />
      ) : (
        <ChangeList changes={found.slice(0, most)} />
      )}
      {found.length > most && (
        <p class="more">
          <Button onClick={() => setMost(most + STEP)}>Show {Math.min(STEP, found.length - most)} more</Button>
        </p>
      )}
    </>
  );
}

function matches({ subject, kind, cause, keys }: Change, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const searched = [subject, kind, cause.user ?? '', cause.detail ?? '', ...keys.map(({ key }) => key)].join('\n');
  return words.every((word) => searched.toLowerCase().includes(word));
}
