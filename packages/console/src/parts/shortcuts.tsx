/** Keys: `/` goes to the filter of the page, `?` shows what there is. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Dialog } from './dialog';

const KEYS: readonly (readonly [string, string])[] = [
  ['/', 'Go to the filter of the page'],
  ['?', 'Show these shortcuts'],
  ['Escape', 'Close a dialog; empty the filter'],
  ['Tab', 'Go to the next control'],
  ['Shift + click', 'Select all connectors in between'],
];

/** Of the element that `/` goes to. */
export const FILTER_ID = 'filter';

export function Shortcuts(): JSX.Element | null {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === '?') setShown(true);
      if (event.key !== '/' || document.querySelector('dialog[open]')) return;
      const filter = document.getElementById(FILTER_ID);
      if (filter === null) return;
      event.preventDefault();
      filter.focus();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  if (!isShown) return null;
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => setShown(false)}>
      <dl class="keys">
        {KEYS.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, select');
}
