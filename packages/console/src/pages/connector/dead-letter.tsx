/** One dead letter: the reason first; its record and headers folded. */
import type { JSX } from 'preact';
import type { DeadLetter, ReplayResult } from '../../worker-api';
import { Age } from '../../parts/age';
import { Badge } from '../../parts/badge';
import { Checkbox } from '../../parts/form';
import { formatNumberOf } from '../../parts/format';
import { Text } from '../../parts/text';
import { Fold } from '../../parts/trace';
import { HeaderList, Part } from './record-parts';

export type Replayed = ReplayResult['results'][number];

export interface LetterProps {
  readonly letter: DeadLetter;
  readonly isSelected: boolean;
  /** Undefined: not replayed here. */
  readonly result: Replayed | undefined;
  readonly onToggle: (isSelected: boolean) => void;
}

export function Letter({ letter, isSelected, result, onToggle }: LetterProps): JSX.Element {
  const { partition, offset, at, failure, origin, headers, key, value } = letter;
  const name = `partition ${partition}, offset ${offset}`;
  return (
    <li class="letter">
      {origin === null ? (
        <span />
      ) : (
        <Checkbox aria-label={`Select the dead letter of ${name}`} checked={isSelected} onChange={onToggle} />
      )}
      <div class="letter-text">
        <p class="letter-reason">
          <Text>{failure.message ?? 'The headers do not say why it failed.'}</Text>
        </p>
        <p class="sub">
          <Age at={at} />
          {failure.stage !== null && <Text>{stageText(failure.stage)}</Text>}
          {failure.task !== null && <span>task {failure.task}</span>}
          <span>{name}</span>
        </p>
        <p class="sub">
          {origin === null ? (
            'Its headers do not name its original topic: it cannot be replayed. "errors.deadletterqueue.context.headers.enable=true" adds them to later ones.'
          ) : (
            <Text>{`from ${origin.topic}, partition ${origin.partition}, offset ${origin.offset}`}</Text>
          )}
        </p>
        {result && <Outcome result={result} />}
        <Fold summary={`Record and ${formatNumberOf(headers.length, 'header')}`}>
          <div class="letter-record">
            <Part label={`key of ${name}`} title="Key" text={key} />
            <Part label={`value of ${name}`} title="Value" text={value} />
            {failure.errorClass !== null && (
              <Part label={`error class of ${name}`} title="Error" text={failure.errorClass} />
            )}
            {headers.length > 0 && (
              <HeaderList
                label={`Headers of ${name}`}
                headers={headers.map((header) => ({ name: header.key, text: header.value }))}
              />
            )}
          </div>
        </Fold>
      </div>
    </li>
  );
}

/** Whether the sink has delivered the record is unknown: it says only why it has not. */
function Outcome({ result: { error, failedAgain } }: { readonly result: Replayed }): JSX.Element {
  if (error === null && failedAgain === null) return <p role="status">Written to its topic again.</p>;
  return (
    <p role="status">
      <Badge tone="failed">{error === null ? 'Replayed, and failed again' : 'Not replayed'}</Badge>{' '}
      <Text>{error ?? failedAgain ?? ''}</Text>
    </p>
  );
}

/** `VALUE_CONVERTER` as `in value converter`. */
export function stageText(stage: string): string {
  return `in ${stage.toLowerCase().replace(/_/g, ' ')}`;
}
