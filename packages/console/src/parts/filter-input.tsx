/** The filter of a page: `/` goes there, Escape empties it. */
import type { JSX } from 'preact';
import { TextInput } from './form';
import { Icon } from './icon';
import { FILTER_ID } from './shortcuts';

export interface FilterInputProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function FilterInput({ label, placeholder, value, onChange }: FilterInputProps): JSX.Element {
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    if (value === '') (event.target as HTMLElement).blur();
    else onChange('');
  };
  return (
    <div class="filter" role="search" onKeyDown={press}>
      <Icon name="search" />
      <TextInput
        id={FILTER_ID}
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={value}
        onChange={onChange}
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
  );
}
