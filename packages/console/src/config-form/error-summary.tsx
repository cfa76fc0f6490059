/** All errors and warnings of a form in one place. Each leads to its field. */
import type { JSX } from 'preact';
import { Icon } from '../parts/icon';
import { formatNumberOf } from '../parts/format';
import { printable } from '../parts/printable';
import type { Form } from './form-model';

export interface ErrorSummaryProps {
  readonly problems: Form['problems'];
  readonly warnings: Form['warnings'];
  /** Shows and focuses the field. */
  readonly onGo: (key: string) => void;
}

const MOST = 12;

export function ErrorSummary({ problems, warnings, onGo }: ErrorSummaryProps): JSX.Element {
  const wrong = problems.map(({ key, errors, hasField }) => ({ key, text: errors[0] ?? '', hasField }));
  const doubtful = warnings.map(({ key, message }) => ({ key, text: message, hasField: true }));
  return (
    // Rendered always: a live region that appears together with its text is not read.
    <div role="status" class="error-summary-place">
      {wrong.length > 0 && (
        <Lines kind="failed" title={`${formatNumberOf(wrong.length, 'key')} to correct`} lines={wrong} onGo={onGo} />
      )}
      {doubtful.length > 0 && (
        <Lines
          kind="degraded"
          title={`${formatNumberOf(doubtful.length, 'key')} to check`}
          lines={doubtful}
          onGo={onGo}
        />
      )}
    </div>
  );
}

interface LinesProps {
  readonly kind: 'failed' | 'degraded';
  readonly title: string;
  readonly lines: readonly { readonly key: string; readonly text: string; readonly hasField: boolean }[];
  readonly onGo: (key: string) => void;
}

function Lines({ kind, title, lines, onGo }: LinesProps): JSX.Element {
  return (
    <div class={`notice notice-${kind}`}>
      <Icon name={kind} />
      <div class="notice-text">
        <strong>{title}</strong>
        <ul class="error-summary">
          {lines.slice(0, MOST).map(({ key, text, hasField }) => (
            <li key={`${key} ${text}`}>
              {hasField ? (
                <button type="button" class="link code" onClick={() => onGo(key)}>
                  {printable(key)}
                </button>
              ) : (
                <bdi class="code">{printable(key)}</bdi>
              )}{' '}
              <bdi>{printable(text)}</bdi>
            </li>
          ))}
          {lines.length > MOST && <li class="muted">and {lines.length - MOST} more</li>}
        </ul>
      </div>
    </div>
  );
}
