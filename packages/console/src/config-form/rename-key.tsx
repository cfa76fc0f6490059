/** Renames a key to the one that was probably meant, with its value. */
import type { JSX } from 'preact';
import { Button } from '../parts/button';
import { printable } from '../parts/printable';
import type { KeyWarning } from '../worker-api';
import { focusField } from './focus-field';
import { HIDDEN } from './form-model';

export interface RenameKeyProps {
  readonly name: string;
  readonly value: string | undefined;
  readonly warnings: readonly KeyWarning[];
  readonly onChange: (key: string, value: string | undefined) => void;
}

/** Nothing for a hidden value, which only its own key keeps. */
export function RenameKey({ name, value, warnings, onChange }: RenameKeyProps): JSX.Element | null {
  const meant = warnings.find((warning) => warning.meant !== null)?.meant ?? null;
  if (meant === null || value === undefined || value.includes(HIDDEN)) return null;
  const rename = (): void => {
    onChange(name, undefined);
    onChange(meant, value);
    // Once it is rendered.
    requestAnimationFrame(() => focusField(meant));
  };
  return (
    <Button kind="quiet" label={`Rename ${printable(name)} to ${printable(meant)}`} onClick={rename}>
      Rename
    </Button>
  );
}
