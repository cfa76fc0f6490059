/** Log levels of this worker or of the whole group. Source: connect-rest §1.23. */
import { levelName } from '@millrace/texts/rest-names';
import type { LoggerState } from '../../logging/log-levels';
import type { RestContext } from './context';
import { CONFIG_MAP } from '../json/shape';
import { readDocument } from '../requests/request-body';
import { RestError } from '../http/rest-error';
import { noContent, ok, param, type Route } from '../requests/route';

function shown({ level, lastModified }: LoggerState): Record<string, unknown> {
  return { level, last_modified: lastModified };
}

export function loggerRoutes({ levels, herder }: RestContext): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/admin/loggers',
      role: 'reader',
      doc: {
        id: 'listLoggers',
        summary: 'Levels of all loggers that are not OFF and can be set',
        answers: { 200: ['The loggers', 'Loggers'] },
      },
      run: () => ok(Object.fromEntries(levels.list().map(([name, state]) => [name, shown(state)]))),
    },
    {
      method: 'GET',
      path: '/admin/loggers/:logger',
      role: 'reader',
      doc: { id: 'getLogger', summary: 'Level of a logger', answers: { 200: ['The logger', 'LoggerState'] } },
      run: (call) => {
        const name = param(call, 'logger');
        const state = levels.find(name);
        if (state === null) throw new RestError(404, `Logger ${name} not found.`);
        return ok(shown(state));
      },
    },
    {
      method: 'PUT',
      path: '/admin/loggers/:logger',
      // Levels decide what is left of an incident.
      role: 'admin',
      doc: {
        id: 'setLogger',
        summary: 'Set the level of a logger and of all loggers whose names start with its name',
        query: [{ name: 'scope', description: '`worker` (default), or `cluster`: all workers of the group.' }],
        body: 'LoggerLevel',
        answers: { 200: ['Names of the loggers that changed', 'LoggerNames'], 204: ['Sent to all workers', null] },
      },
      run: async (call) => {
        const name = param(call, 'logger');
        const document = (await readDocument(call, CONFIG_MAP)) as Record<string, string | null> | null;
        if (document === null) {
          throw new RestError(500, 'Cannot invoke "java.util.Map.get(Object)" because "levelMap" is null');
        }
        const text = document['level'] ?? null;
        if (text === null) throw new RestError(400, "Desired 'level' parameter was not specified in request.");
        const level = levelName(text);
        // As in Java, the status is 404.
        if (level === null) throw new RestError(404, `invalid log level '${text}'.`);
        if (call.query.get('scope')?.toLowerCase() !== 'cluster') return ok(levels.set(name, level));
        await herder().writes.setLoggerLevel(name, text, call.caller.user);
        return noContent;
      },
    },
  ];
}
