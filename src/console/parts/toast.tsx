/** Short messages, which a screen reader reads as soon as it is silent. */
import type { JSX } from 'preact';
import { Icon } from './icon';
import { Store, useStore } from './store';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: 'info' | 'error';
}

const SHOWN_MS = 6000;
const toasts = new Store<readonly Toast[]>([]);
let lastId = 0;

export function announce(text: string, kind: Toast['kind'] = 'info'): void {
  const id = ++lastId;
  toasts.set([...toasts.value.filter((toast) => toast.text !== text), { id, text, kind }].slice(-3));
  setTimeout(() => dismiss(id), SHOWN_MS);
}

function dismiss(id: number): void {
  toasts.set(toasts.value.filter((toast) => toast.id !== id));
}

/** Once in the page: its live region must exist before its content does. */
export function Toasts(): JSX.Element {
  const shown = useStore(toasts);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, kind }) => (
        <p key={id} class={`toast toast-${kind}`}>
          <Icon name={kind === 'error' ? 'failed' : 'running'} />
          <span>{text}</span>
        </p>
      ))}
    </div>
  );
}
