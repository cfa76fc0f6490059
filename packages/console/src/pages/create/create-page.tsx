/** A new connector: a plugin and a form, or a pasted document; what is sent; the worker's answer. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ConnectorDocument } from '../../documents/parse-document';
import { Button } from '../../parts/button';
import { PageBody } from '../../parts/frame';
import { Notice } from '../../parts/placeholders';
import { replaceQuery } from '../../parts/router';
import { formatRoute, type Query } from '../../parts/routes';
import { roleObjection } from '../../parts/roles';
import { useSession } from '../../parts/session';
import { Tabs } from '../../parts/tabs';
import { ChoosePlugin } from './choose-plugin';
import { NewConnector } from './new-connector';
import { PasteDocument } from './paste-document';

export function CreatePage({ query }: { readonly query: Query }): JSX.Element {
  const { role } = useSession();
  const objection = roleObjection(role, 'admin');
  const { class: className = '', version = '' } = query;
  const [pasted, setPasted] = useState<ConnectorDocument | null>(null);
  const begin = (document: ConnectorDocument): void => {
    setPasted(document);
    replaceQuery({ class: document.config['connector.class'] ?? '' });
  };
  const restart = (): void => {
    setPasted(null);
    replaceQuery({});
  };
  return (
    <>
      <a class="back" href={formatRoute({ page: 'overview' })}>
        All connectors
      </a>
      <PageBody
        title="Create a connector"
        actions={className !== '' && <Button onClick={restart}>Choose another plugin</Button>}
      >
        {objection && (
          <Notice kind="unknown" title="Read only">
            {`${objection}. A configuration can still be checked here.`}
          </Notice>
        )}
        {className === '' ? (
          <Start onChoose={(chosen, of) => replaceQuery({ class: chosen, version: of })} onPaste={begin} />
        ) : (
          <NewConnector key={`${className} ${version}`} className={className} version={version} document={pasted} />
        )}
      </PageBody>
    </>
  );
}

interface StartProps {
  readonly onChoose: (className: string, version: string) => void;
  readonly onPaste: (document: ConnectorDocument) => void;
}

const WAYS = [
  { key: 'form', label: 'Choose a plugin' },
  { key: 'paste', label: 'Paste a document' },
] as const;

function Start({ onChoose, onPaste }: StartProps): JSX.Element {
  const [way, setWay] = useState<'form' | 'paste'>('form');
  return (
    <Tabs label="How to begin" tabs={WAYS} selected={way} onSelect={setWay}>
      {way === 'form' ? <ChoosePlugin onChoose={onChoose} /> : <PasteDocument onPaste={onPaste} />}
    </Tabs>
  );
}
