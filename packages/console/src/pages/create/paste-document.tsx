/** A connector from pasted text, which then fills the form. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { TextError } from '../../documents/json-text';
import { parseDocument, type ConnectorDocument } from '../../documents/parse-document';
import { Button } from '../../parts/button';
import { Field, TextArea } from '../../parts/form';

const EXAMPLE = '{\n  "name": "orders",\n  "config": {\n    "connector.class": "…"\n  }\n}';

export function PasteDocument({ onPaste }: { readonly onPaste: (document: ConnectorDocument) => void }): JSX.Element {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (event: Event): void => {
    event.preventDefault();
    try {
      onPaste(parseDocument(text));
    } catch (error) {
      if (!(error instanceof TextError)) throw error;
      setProblem(error.message);
    }
  };
  const change = (typed: string): void => {
    setText(typed);
    setProblem(null);
  };
  return (
    <form class="paste" onSubmit={submit}>
      <Field
        label="Document of a connector"
        hint='JSON with "name" and "config", a bare configuration as JSON, or lines key=value.'
        errors={problem === null ? [] : [problem]}
      >
        {(ties) => <TextArea {...ties} rows={16} placeholder={EXAMPLE} value={text} onChange={change} />}
      </Field>
      <div>
        <Button type="submit" kind="primary" objection={text.trim() === '' ? 'Paste a document first' : null}>
          Continue
        </Button>
      </div>
    </form>
  );
}
