/** The plugin that a config chooses: its version and place; of several, a choice. */
import type { JSX } from 'preact';
import { Field, Select } from '../parts/form';
import { choicesOf, placeText, VERSION_KEY, type Plugin } from '../parts/plugin-versions';
import { Text } from '../parts/text';

export interface ChosenPluginProps {
  readonly className: string;
  /** Its installed versions. Empty: unknown. */
  readonly installed: readonly Plugin[];
  /** Value of `connector.plugin.version`; undefined: not set. */
  readonly version: string | undefined;
  readonly isReadOnly: boolean;
  readonly onChange: (key: string, value: string | undefined) => void;
}

export function ChosenPlugin({ className, installed, version, isReadOnly, onChange }: ChosenPluginProps): JSX.Element {
  const { value, choices } = choicesOf(installed, version);
  const [only] = installed;
  return (
    <div class="chosen-plugin">
      <p class="muted">
        Plugin <Text>{className}</Text>
        {choices.length === 1 && only && (
          <>
            {' · '}
            <Text>{placeText(only)}</Text>
          </>
        )}
      </p>
      {choices.length > 1 && (
        <Field label="Version that runs" hint={`Sets ${VERSION_KEY}.`}>
          {(ties) => (
            <Select
              {...ties}
              value={value}
              disabled={isReadOnly}
              options={choices}
              onChange={(chosen) => onChange(VERSION_KEY, chosen === '' ? undefined : chosen)}
            />
          )}
        </Field>
      )}
    </div>
  );
}
