/** Where the connector is in its source or topics; edit and reset. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { requestText } from '../../api/request';
import type { ConnectorDetails } from '../../worker-api';
import { isChanged, patchOf, problemOf, readOffsets, repeated, type OffsetRow } from '../../offsets/offsets-model';
import { ActionButton, Button } from '../../parts/button';
import { formatClock, formatNumberOf } from '../../parts/format';
import { Empty, ErrorNotice, Notice, Skeleton } from '../../parts/placeholders';
import { roleObjection } from '../../parts/roles';
import { useSession } from '../../parts/session';
import { useLoaded } from '../../parts/use-loaded';
import { LagSection } from './lag-section';
import { OffsetsDialog, type OffsetsRequest } from './offsets-dialog';
import { OffsetsEditor } from './offsets-editor';
import { connectPath } from './use-connector';

export interface OffsetsTabProps {
  readonly details: ConnectorDetails;
  /** Null: they are only shown. */
  readonly edited: readonly OffsetRow[] | null;
  readonly onEdit: (rows: readonly OffsetRow[] | null) => void;
  readonly refresh: () => void;
}

export function OffsetsTab({ details, edited, onEdit, refresh }: OffsetsTabProps): JSX.Element {
  const { row, effects } = details;
  const { name, type } = row;
  const { role } = useSession();
  const objection = roleObjection(role, 'admin');
  // After the connector has stopped, for instance, they are read again.
  const offsets = useLoaded(
    async (signal) => readOffsets(await requestText(connectPath(name, '/offsets'), { signal }), type),
    `${type}\n${name}`,
    row.state,
  );
  const [asked, setAsked] = useState<OffsetsRequest | null>(null);
  const [answer, setAnswer] = useState<string | null>(null);
  useEffect(() => setAnswer(null), [name]);
  if (offsets.data === null)
    return offsets.error ? <ErrorNotice error={offsets.error} retry={offsets.reload} /> : <Skeleton />;
  const rows = edited ?? offsets.data;
  const changed = rows.filter(isChanged);
  const twice = repeated(rows);
  const isWrong = rows.some((item) => isChanged(item) && problemOf(item, type) !== null) || twice.size > 0;
  const done = (message: string): void => {
    setAsked(null);
    onEdit(null);
    setAnswer(message);
    offsets.reload();
    refresh();
  };
  return (
    <>
      <section aria-labelledby="offsets">
        <div class="section-head">
          <h2 id="offsets">
            Offsets <span class="muted number">{formatNumberOf(offsets.data.length, 'partition')}</span>
          </h2>
          <span class="muted">{offsets.at !== null && `read at ${formatClock(offsets.at)}`}</span>
          <Button isBusy={offsets.isLoading} onClick={offsets.reload}>
            Read again
          </Button>
          {edited === null && (
            <ActionButton needs="admin" icon="edit" onClick={() => onEdit(offsets.data)}>
              Edit offsets
            </ActionButton>
          )}
          <ActionButton
            needs="admin"
            kind="danger"
            objection={offsets.data.length === 0 ? 'There are no offsets' : null}
            onClick={() => setAsked({ patch: null, changed: offsets.data ?? [] })}
          >
            Reset all offsets
          </ActionButton>
        </div>
        <div role="status">
          {answer !== null && (
            <Notice kind="running" title="The offsets are changed">
              {answer}
            </Notice>
          )}
        </div>
        {objection && <p class="muted">{`Offsets are read only: ${objection}.`}</p>}
        {offsets.error && <ErrorNotice error={offsets.error} retry={offsets.reload} />}
        {rows.length === 0 && edited === null ? (
          <Empty title="The connector has not committed an offset yet" />
        ) : (
          <OffsetsEditor rows={rows} type={type} effects={effects} repeated={twice} onChange={edited && onEdit} />
        )}
        {edited !== null && (
          <div class="save-place">
            <div class="save-bar" role="region" aria-label="Unsaved offsets">
              <p role="status">{formatNumberOf(changed.length, 'partition')} changed, not saved</p>
              <Button onClick={() => onEdit(null)}>Discard</Button>
              <Button
                kind="primary"
                objection={changed.length === 0 ? 'Nothing is changed' : isWrong ? 'Correct the errors first' : null}
                onClick={() => setAsked({ patch: patchOf(rows, type), changed })}
              >
                Review and save offsets
              </Button>
            </div>
          </div>
        )}
        {asked && <OffsetsDialog {...{ row, effects, asked }} onDone={done} onClose={() => setAsked(null)} />}
      </section>
      {edited === null && <LagSection row={row} />}
    </>
  );
}
