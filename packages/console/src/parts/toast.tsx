/** Short messages, which a screen reader reads as soon as it is silent. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
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
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const place = ref.current as HTMLElement & Partial<Pick<HTMLElement, 'showPopover' | 'hidePopover'>>;
    // Shown again, it is above a dialog that was opened meanwhile. Older browsers show it below.
    place.hidePopover?.();
    if (shown.length > 0) place.showPopover?.();
  }, [shown]);
  return (
    <div class="toasts" role="status" aria-live="polite" popover="manual" ref={ref}>
      {shown.map(({ id, text, kind }) => (
        <p key={id} class={`toast toast-${kind}`}>
          <Icon name={kind === 'error' ? 'failed' : 'running'} />
          <span>{text}</span>
        </p>
      ))}
    </div>
  );
}
