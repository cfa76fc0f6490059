/** `GET /changes`, an endpoint that Java does not have: what changed lately. Secrets are hidden from every caller. */
import type { RecordedChange } from '../../cluster/entities';
import { ok, wholeNumber, type Route } from '../requests/route';
import type { Change, Changes } from '@millrace/console';
import type { RestContext } from './context';

/** The change as every caller may see it. */
export type ShowChange = (change: RecordedChange) => Promise<Change>;

/** The worker keeps fewer. */
const MAX_CHANGES = 10_000;

export function showChange({ secrets }: Pick<RestContext, 'secrets'>): ShowChange {
  return async ({ at, kind, subject, task, cause, config }) => {
    const { by, user, detail } = cause;
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
