/** Code, traces, and a button that copies. */
import type { ComponentChildren, JSX } from 'preact';
import { Button } from './button';
import { Icon } from './icon';
import { printable, printableLines } from './printable';
import { announce } from './toast';

/** @param label what is copied, for instance `Copy trace` */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  const copy = (): void => {
    const { clipboard } = navigator as { clipboard?: Clipboard };
    if (clipboard === undefined) {
      announce('The browser allows copying only over HTTPS and on localhost.', 'error');
      return;
    }
    clipboard.writeText(text).then(
      () => announce('Copied.'),
      () => announce('The browser did not allow copying.', 'error'),
    );
  };
  return <Button kind="quiet" icon="copy" label={label} onClick={copy} />;
}

export interface CodeProps {
  readonly children: string;
  /** What it is, for the button that copies and for screen readers. */
  readonly label: string;
}

/** Several lines in their own scrolling box. */
export function Code({ children, label }: CodeProps): JSX.Element {
  return (
    <div class="code-block">
      <CopyButton text={children} label={`Copy ${label}`} />
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{printableLines(children)}</code>
      </pre>
    </div>
  );
}

export function InlineCode({ children }: { readonly children: string }): JSX.Element {
  return <code class="inline-code">{printable(children)}</code>;
}

export interface FoldProps {
  readonly summary: ComponentChildren;
  readonly children: ComponentChildren;
  readonly isOpen?: boolean;
}

export function Fold({ summary, children, isOpen = false }: FoldProps): JSX.Element {
  return (
    <details class="fold" open={isOpen}>
      <summary>
        <Icon name="right" />
        <span>{summary}</span>
      </summary>
      <div class="fold-body">{children}</div>
    </details>
  );
}

/** A trace, folded. */
export function Trace({ trace }: { readonly trace: string }): JSX.Element {
  const lines = trace.trimEnd().split('\n').length;
  return (
    <Fold summary={`Trace (${lines} ${lines === 1 ? 'line' : 'lines'})`}>
      <Code label="trace">{trace}</Code>
    </Fold>
  );
}
