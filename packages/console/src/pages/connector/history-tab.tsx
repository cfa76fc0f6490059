/** What was done to the connector, newest first, by whom or what. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Changes } from '../../worker-api';
import { request } from '../../api/request';
import { Button } from '../../parts/button';
import { ChangeList } from '../../parts/change-list';
import { formatTime } from '../../parts/format';
import { Empty, ErrorNotice, Skeleton } from '../../parts/placeholders';
import { share } from '../../parts/share';
import { usePoll } from '../../parts/use-poll';

const INTERVAL_MS = 5000;
const STEP = 100;

export function HistoryTab({ name }: { readonly name: string }): JSX.Element {
  const [most, setMost] = useState(STEP);
  const { data, error, refresh } = usePoll<Changes>(
    async (signal, previous) =>
      share(previous, await request<Changes>(`api/changes?connector=${encodeURIComponent(name)}`, { signal })),
    `changes ${name}`,
    INTERVAL_MS,
  );
  if (data === null) return error ? <ErrorNotice error={error} retry={refresh} /> : <Skeleton />;
  const { changes, since } = data;
  return (
    <section aria-label="History">
      {since !== null && <p class="muted kept-since">Kept since {formatTime(since)}</p>}
      {changes.length === 0 ? (
        <Empty title="The worker knows no changes of this connector" />
      ) : (
        <ChangeList changes={changes.slice(0, most)} isOfOneConnector />
      )}
      {changes.length > most && <Button onClick={() => setMost(most + STEP)}>Show more</Button>}
    </section>
  );
}
