/** A config as JSON. Edits the same model as the form. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { TextError } from '../documents/json-text';
import { parseConfig, writeConfig, type Config } from '../documents/parse-document';
import { Field, TextArea } from '../parts/form';
import { sameConfig } from './config-diff';

export interface JsonViewProps {
  readonly config: Config;
  readonly isReadOnly: boolean;
  readonly onChange: (config: Config) => void;
  /** What is wrong with the text; null: nothing. */
  readonly onProblem: (problem: string | null) => void;
}

export function JsonView({ config, isReadOnly, onChange, onProblem }: JsonViewProps): JSX.Element {
  const [text, setText] = useState(() => writeConfig(config));
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    // Changed elsewhere, for instance discarded.
    if (problem === null && !sameConfig(parseConfig(text), config)) setText(writeConfig(config));
  }, [config]);
  useEffect(() => () => onProblem(null), []);
  const report = (reason: string | null): void => {
    setProblem(reason);
    onProblem(reason);
  };
  const change = (typed: string): void => {
    setText(typed);
    try {
      onChange(parseConfig(typed));
      report(null);
    } catch (error) {
      if (!(error instanceof TextError)) throw error;
      report(error.message);
    }
  };
  return (
    <Field
      label="Configuration as JSON"
      hint="A value [hidden] stands for a secret: it stays as it is while you leave it."
      errors={problem === null ? [] : [problem]}
    >
      {(ties) => (
        <TextArea
          {...ties}
          rows={Math.min(32, Math.max(12, text.split('\n').length + 1))}
          value={text}
          disabled={isReadOnly}
          onChange={change}
        />
      )}
    </Field>
  );
}
