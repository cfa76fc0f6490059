/** Buttons of actions. One that is not possible now remains readable, and says why. */
import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Role } from '../worker-api';
import { Icon, type IconName } from './icon';
import { useObjection } from './session';
import { announce } from './toast';

export interface ButtonProps {
  readonly children?: ComponentChildren;
  /** Accessible name, if the children are not it. */
  readonly label?: string;
  readonly onClick?: () => void;
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly icon?: IconName;
  readonly type?: 'button' | 'submit';
  /** Why it is not possible now; null: it is. */
  readonly objection?: string | null;
  readonly isBusy?: boolean;
  readonly isPressed?: boolean;
  /** In a dialog: gets the focus when it opens. */
  readonly isFirst?: boolean;
}

export function Button(props: ButtonProps): JSX.Element {
  const { children, label, onClick, kind = 'plain', icon, type = 'button' } = props;
  const { objection = null, isBusy = false, isPressed, isFirst } = props;
  const reasonId = useId();
  const isDisabled = objection !== null || isBusy;
  // Not `disabled`, which takes it out of the order of the keyboard, with its reason.
  const click = (event: Event): void => {
    if (isDisabled) event.preventDefault();
    if (objection !== null) announce(`${objection}.`, 'error');
    else if (!isBusy) onClick?.();
  };
  return (
    <button
      type={type}
      autofocus={isFirst}
      class={`button button-${kind}`}
      aria-label={label}
      title={objection ?? (children === undefined ? label : undefined)}
      aria-disabled={isDisabled || undefined}
      aria-busy={isBusy || undefined}
      aria-pressed={isPressed}
      aria-describedby={objection === null ? undefined : reasonId}
      onClick={click}
    >
      {icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
      {objection !== null && (
        <span id={reasonId} class="unseen" aria-hidden="true">
          {objection}
        </span>
      )}
    </button>
  );
}

/** A button of an action that needs a role and an answering worker. */
export function ActionButton({ needs, objection, ...props }: ButtonProps & { readonly needs: Role }): JSX.Element {
  const general = useObjection(needs);
  return <Button {...props} objection={general ?? objection} />;
}
