/** Another caller changed the configuration while it is edited here: shows what, and continues on theirs. */
import type { JSX } from 'preact';
import { shownChanges, type Rebased } from '../../config-form/config-diff';
import { ConfigDiff } from '../../parts/config-diff';
import type { Draft } from '../../config-form/use-draft';
import { Button } from '../../parts/button';
import { Icon } from '../../parts/icon';
import { printable } from '../../parts/printable';

export interface ChangedMeanwhileProps {
  readonly draft: Draft;
  readonly rebased: Rebased;
}

export function ChangedMeanwhile({ draft, rebased: { theirs, conflicts } }: ChangedMeanwhileProps): JSX.Element {
  return (
    <div role="alert" class="notice notice-degraded">
      <Icon name="degraded" />
      <div class="notice-text">
        <strong>The configuration was changed while you edited it</strong>
        <ConfigDiff keys={shownChanges(theirs)} />
        <p>
          {conflicts.length === 0
            ? 'These are other keys than yours: both can be kept.'
            : `You changed ${conflicts.map(printable).join(', ')}, too: your values replace these when you save.`}
        </p>
        <div class="notice-actions">
          <Button kind="primary" onClick={draft.takeOver}>
            Keep their changes and mine
          </Button>
          <Button onClick={draft.discard}>Discard mine</Button>
        </div>
      </div>
    </div>
  );
}
