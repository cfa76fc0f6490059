/** A modal dialog: the browser keeps the focus inside, closes it on Escape, and shows it above all. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Role } from '../worker-api';
import { ActionButton, Button } from './button';
import { TextInput, Field } from './form';
import { printable } from './printable';
import { Text } from './text';

export interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Absent: it cannot be closed. */
  readonly onClose?: () => void;
  readonly size?: 'small' | 'large';
}

/** Shown while it is rendered. The focus returns to where it was. */
export function Dialog({ title, children, onClose, size = 'small' }: DialogProps): JSX.Element {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const before = document.activeElement;
    const dialog = ref.current;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const cancel = (event: Event): void => {
    // Also of file inputs inside: only the dialog's own.
    if (event.target !== ref.current) return;
    event.preventDefault();
    onClose?.();
  };
  return (
    <dialog ref={ref} class={`dialog dialog-${size}`} aria-labelledby={titleId} onCancel={cancel}>
      <header class="dialog-head">
        <h2 id={titleId}>{title}</h2>
        {onClose && <Button kind="quiet" icon="close" label="Close" onClick={onClose} />}
      </header>
      {children}
    </dialog>
  );
}

export interface ConfirmProps {
  readonly title: string;
  /** What happens, and what is lost. */
  readonly children: ComponentChildren;
  readonly confirm: string;
  readonly kind?: 'primary' | 'danger';
  readonly needs: Role;
  /** Must be typed first, such as the connector's name. */
  readonly typed?: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before an action. Closes itself. */
export function ConfirmAction(props: ConfirmProps): JSX.Element {
  const { title, children, confirm, kind = 'primary', needs, typed, onConfirm, onClose } = props;
  const [text, setText] = useState('');
  const objection =
    typed === undefined || text === typed || text === printable(typed) ? null : `Type ${printable(typed)} first`;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (objection !== null) return;
    onClose();
    onConfirm();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <div class="dialog-body">
          {children}
          {typed !== undefined && (
            <Field
              label={
                <>
                  Type{' '}
                  <strong>
                    <Text>{typed}</Text>
                  </strong>{' '}
                  to confirm
                </>
              }
            >
              {(field) => <TextInput {...field} value={text} onChange={setText} isCode autofocus />}
            </Field>
          )}
        </div>
        <footer class="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <ActionButton type="submit" kind={kind} needs={needs} objection={objection} isFirst={typed === undefined}>
            {confirm}
          </ActionButton>
        </footer>
      </form>
    </Dialog>
  );
}
