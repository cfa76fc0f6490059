/** What can be done about a reason: a button for each. */
import type { JSX } from 'preact';
import type { HealthAction } from '../../worker-api';
import { ActionButton } from '../../parts/button';
import { labelOf } from './remedies';

export interface ReasonActionsProps {
  readonly actions: readonly HealthAction[];
  /** Asks first, and says what it means. */
  readonly onAsk: (action: HealthAction) => void;
}

export function ReasonActions({ actions, onAsk }: ReasonActionsProps): JSX.Element {
  return (
    <div class="reason-actions" role="group" aria-label="What can be done">
      {actions.map((action) => (
        <ActionButton
          key={action.kind}
          needs={action.kind === 'restart' ? 'operator' : 'admin'}
          icon={action.kind === 'restart' ? 'restart' : undefined}
          onClick={() => onAsk(action)}
        >
          {labelOf(action)}
        </ActionButton>
      ))}
    </div>
  );
}
