/** One key of a config with its documentation, default and errors. */
import type { JSX } from 'preact';
import { Button } from '../parts/button';
import { Field as FieldPart } from '../parts/form';
import { memo } from '../parts/memo';
import { printable } from '../parts/printable';
import { Documentation } from './documentation';
import { FieldControl } from './field-control';
import { fieldId } from './focus-field';
import type { Field } from './form-model';
import { RenameKey } from './rename-key';

export interface ConfigFieldProps {
  readonly field: Field;
  /** Of the config that the worker has; undefined: not set there. */
  readonly stored: string | undefined;
  /** The worker has another value, or none. */
  readonly isChanged: boolean;
  readonly isReadOnly: boolean;
  /** The same function at each rendering. */
  readonly onChange: (key: string, value: string | undefined) => void;
}

export const ConfigField = memo(function ConfigField(props: ConfigFieldProps): JSX.Element {
  const { field, stored, isChanged, isReadOnly, onChange } = props;
  const { key, definition, value, errors, warnings, isRequired, alternatives } = field;
  const unset = definition.default_value === null ? 'Unset' : 'Use default';
  return (
    <div id={fieldId(key)} class={`config-field${isChanged ? ' config-field-changed' : ''}`}>
      <FieldPart
        label={<FieldLabel field={field} />}
        hint={<Hint field={field} />}
        errors={errors}
        warnings={warnings.map(({ message }) => message)}
        isRequired={isRequired && alternatives.length > 0 ? `required, or ${alternatives.join(', ')}` : isRequired}
      >
        {(ties) => (
          <FieldControl
            field={field}
            stored={stored}
            isReadOnly={isReadOnly}
            ties={ties}
            onChange={(changed) => onChange(key, changed)}
          />
        )}
      </FieldPart>
      {!isReadOnly && (value !== undefined || isChanged) && (
        <div class="config-field-actions">
          {isChanged && (
            <Button kind="quiet" label={`Undo the change of ${printable(key)}`} onClick={() => onChange(key, stored)}>
              Undo
            </Button>
          )}
          <RenameKey name={key} {...{ value, warnings, onChange }} />
          {value !== undefined && !isRequired && (
            <Button kind="quiet" label={`${unset} ${printable(key)}`} onClick={() => onChange(key, undefined)}>
              {unset}
            </Button>
          )}
        </div>
      )}
    </div>
  );
});

function FieldLabel({ field: { key, definition } }: { readonly field: Field }): JSX.Element {
  const title = definition.display_name;
  return (
    <span class="field-label">
      {title !== key && <bdi class="field-title">{printable(title)} </bdi>}
      <bdi class="code field-key">{printable(key)}</bdi>
      {definition.hints?.without_effect && <span class="tag">no effect</span>}
    </span>
  );
}

function Hint({ field }: { readonly field: Field }): JSX.Element {
  const { definition, dependsOn, recommended } = field;
  const offered = definition.type === 'LIST' ? recommended : [];
  const isLimited = definition.hints?.valid_values !== undefined;
  const facts = [
    definition.type.toLowerCase(),
    ...(definition.default_value === null || definition.default_value === ''
      ? []
      : [`default ${definition.default_value}`]),
    ...(dependsOn.length > 0 ? [`depends on ${dependsOn.join(', ')}`] : []),
    ...(offered.length === 0
      ? []
      : [isLimited ? `of ${offered.join(', ')}` : `for example ${offered.slice(0, 5).join(', ')}`]),
  ];
  return (
    <>
      {definition.documentation !== '' && <Documentation>{definition.documentation}</Documentation>}
      <bdi class="field-facts">{printable(facts.join(' · '))}</bdi>
    </>
  );
}
