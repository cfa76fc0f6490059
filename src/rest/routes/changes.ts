/** `GET /changes`, an endpoint that Java does not have: what changed lately. Secrets are hidden from every caller. */
import type { RecordedChange, RecordedFailure } from '../../cluster/entities';
import { reasonOf } from '../health/failure';
import { withPlace } from '../health/reasons';
import { ok, wholeNumber, type Route } from '../requests/route';
import type { Change, Changes } from '@millrace/console';
import type { RestContext } from './context';

/** The change as every caller may see it. */
export type ShowChange = (change: RecordedChange) => Promise<Change>;

/** The worker keeps fewer. */
const MAX_CHANGES = 10_000;

export function showChange({ secrets }: Pick<RestContext, 'secrets'>): ShowChange {
  return async ({ at, kind, subject, task, cause, config, failure }) => {
    const { by, user } = cause;
    const detail = failure ? await reasonText(failure, secrets) : cause.detail;
    const shown = { at, kind, subject, task, cause: { by, user, detail } };
    if (config === null) return { ...shown, keys: [] };
    const [before, after] = await Promise.all(
      [config.before, config.after].map((values) => secrets.shownToAll(values, values['connector.class'])),
    );
    return {
      ...shown,
      keys: config.keys.map((key) => ({ key, before: before?.[key] ?? null, after: after?.[key] ?? null })),
    };
  };
}

const reasons = new WeakMap<RecordedFailure, string | null>();

/** The failure's sentence, place and code. Null: it has none that can be shown. */
async function reasonText(failure: RecordedFailure, secrets: RestContext['secrets']): Promise<string | null> {
  const known = reasons.get(failure);
  if (known !== undefined) return known;
  const { trace, config } = failure;
  // Without the config, a text could have its secrets.
  const hide = config && (await secrets.inTextsFromAll(config));
  const { sentence, place, code } = reasonOf(hide ? hide(trace) : trace);
  const text = hide && trace !== '' ? `${withPlace(sentence, place)}${code === null ? '' : ` [${code}]`}` : code;
  reasons.set(failure, text);
  return text;
}

/** The newest first. `connector` null: of all. */
export async function shownChanges(
  context: Pick<RestContext, 'herder' | 'secrets'>,
  connector: string | null,
  limit = MAX_CHANGES,
): Promise<Changes> {
  const changes = context.herder().history.list(connector ?? undefined);
  const since = changes.at(-1)?.at ?? null;
  return { since, changes: await Promise.all(changes.slice(0, limit).map(showChange(context))) };
}

export function changeRoutes(context: RestContext): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/changes',
      role: 'reader',
      doc: {
        id: 'listChanges',
        summary: 'What changed lately in the group, and why',
        query: [
          { name: 'connector', description: 'Only changes of this connector.' },
          { name: 'limit', description: 'At most this many, the newest. (Default: all that the worker has kept)' },
        ],
        answers: { 200: ['The changes, newest first', 'Changes'] },
      },
      run: async (call) =>
        ok(
          await shownChanges(
            context,
            call.query.get('connector'),
            wholeNumber(call, 'limit', 1, MAX_CHANGES) ?? undefined,
          ),
        ),
    },
  ];
}
