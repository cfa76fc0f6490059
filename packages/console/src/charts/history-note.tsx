/** Where the charts' numbers are from, and what is missing. */
import type { JSX } from 'preact';
import { Notice } from '../parts/placeholders';
import { printable } from '../parts/printable';

export function HistoryNote({ missing }: { readonly missing: readonly string[] }): JSX.Element {
  return (
    <>
      {missing.length > 0 && (
        <Notice kind="degraded" title="Some workers did not answer">
          What ran on {missing.map(printable).join(', ')} is missing.
        </Notice>
      )}
      <p class="hint">
        Each worker keeps a sample every 10 seconds for about an hour, in memory. A gap is unknown: nothing ran, or its
        worker has been restarted since.
      </p>
    </>
  );
}
