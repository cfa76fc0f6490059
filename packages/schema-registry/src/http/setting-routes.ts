/** The routes of compatibility levels and modes. */
import type { Settings } from '../core/settings';
import { invalidSchema } from '../registry-error';
import { flag } from './request-fields';
import type { Route, RouteRequest } from './router';

/** Newer registries' settings of subjects, which this one does not implement. */
const UNSUPPORTED = ['alias', 'normalize', 'compatibilityGroup', 'defaultMetadata', 'overrideMetadata'];
const UNSUPPORTED_RULES = ['defaultRuleSet', 'overrideRuleSet'];

export function settingRoutes(settings: Settings): readonly Route[] {
  const subject = ({ params }: RouteRequest): string | null => params.subject ?? null;
  return ['', '/:subject'].flatMap((end): readonly Route[] => [
    {
      method: 'GET',
      path: `/config${end}`,
      run: (request) => ({ compatibilityLevel: settings.level(subject(request), flag(request, 'defaultToGlobal')) }),
    },
    {
      method: 'PUT',
      path: `/config${end}`,
      run: async (request) => {
        const { body } = request;
        const unsupported = [...UNSUPPORTED, ...UNSUPPORTED_RULES].find((name) => body[name] != null);
        if (unsupported !== undefined) throw invalidSchema(`${unsupported} is not supported by this registry`);
        return { compatibility: await settings.setLevel(subject(request), body.compatibility) };
      },
    },
    {
      method: 'DELETE',
      path: `/config${end}`,
      run: async (request) => ({ compatibilityLevel: await settings.removeLevel(subject(request)) }),
    },
    {
      method: 'GET',
      path: `/mode${end}`,
      run: (request) => ({ mode: settings.mode(subject(request), flag(request, 'defaultToGlobal')) }),
    },
    {
      method: 'PUT',
      path: `/mode${end}`,
      run: async (request) => ({
        mode: await settings.setMode(subject(request), request.body.mode, flag(request, 'force')),
      }),
    },
    ...(end === ''
      ? []
      : [
          {
            method: 'DELETE' as const,
            path: '/mode/:subject',
            run: async ({ params }: RouteRequest) => ({ mode: await settings.removeMode(params.subject ?? '') }),
          },
        ]),
  ]);
}
