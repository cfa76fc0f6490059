/** When something was: `3 min ago`, with the whole time in its title. */
import type { JSX } from 'preact';
import { useTicking, workerNow } from './clock';
import { formatAge, formatDuration, formatTime, isTime, UNKNOWN } from './format';

export function Age({ at }: { readonly at: number | null }): JSX.Element {
  const text = useTicking(() => (isTime(at) ? formatAge(workerNow() - at) : UNKNOWN));
  if (!isTime(at)) return <span class="muted">{text}</span>;
  return (
    <time class="age" dateTime={new Date(at).toISOString()} title={formatTime(at)}>
      {text}
    </time>
  );
}

/** When something will be: `in 3 s`, `now`. */
export function Until({ at }: { readonly at: number }): JSX.Element {
  const text = useTicking(() => {
    const ms = at - workerNow();
    return ms < 1000 ? 'now' : `in ${formatDuration(ms - (ms % 1000))}`;
  });
  return (
    <time class="age" dateTime={isTime(at) ? new Date(at).toISOString() : undefined} title={formatTime(at)}>
      {text}
    </time>
  );
}
