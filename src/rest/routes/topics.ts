/** Active topics of a connector. An unknown connector has none. Source: connect-rest §1.17. */
import { accepted, ok, param, type Route } from '../requests/route';
import type { RestContext } from './context';

export function topicRoutes(context: RestContext): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/connectors/:name/topics',
      role: 'reader',
      doc: {
        id: 'getActiveTopics',
        summary: 'Active topics: topics that the tasks have used',
        answers: { 200: ['The topics', 'ActiveTopics'] },
      },
      run: (call) => {
        const name = param(call, 'name');
        return ok({ [name]: { topics: context.herder().topics.list(name) } });
      },
    },
    {
      method: 'PUT',
      path: '/connectors/:name/topics/reset',
      role: 'operator',
      doc: { id: 'resetActiveTopics', summary: 'Reset the active topics', answers: { 202: ['Accepted', null] } },
      run: (call) => {
        context.herder().topics.reset(param(call, 'name'));
        return accepted;
      },
    },
  ];
}
