/** When something was: `3 min ago`, with the whole time in its title. */
import type { JSX } from 'preact';
import { useTicking, workerNow } from './clock';
import { formatAge, formatTime, UNKNOWN } from './format';

export function Age({ at }: { readonly at: number | null }): JSX.Element {
  const text = useTicking(() => (at === null ? UNKNOWN : formatAge(workerNow() - at)));
  if (at === null) return <span class="muted">{text}</span>;
  return (
    <time class="age" dateTime={new Date(at).toISOString()} title={formatTime(at)}>
      {text}
    </time>
  );
}
