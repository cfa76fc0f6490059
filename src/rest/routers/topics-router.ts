/** Active topics of a connector. An unknown connector has none. Source: connect-rest §1.17. */
import type { RestContext } from './context';
import { accepted, ok, param, type Resource } from '../requests/route';

export function topicsResources(context: RestContext): readonly Resource[] {
  return [
    {
      path: '/connectors/:name/topics',
      methods: {
        GET: (call) => {
          const name = param(call, 'name');
          return ok({ [name]: { topics: context.herder().activeTopics(name) } });
        },
      },
    },
    {
      path: '/connectors/:name/topics/reset',
      methods: {
        PUT: (call) => {
          context.herder().resetActiveTopics(param(call, 'name'));
          return accepted;
        },
      },
    },
  ];
}
