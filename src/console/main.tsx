/** Entry point of the console. */
import { render } from 'preact';
import type { Session } from '../rest/console/api';
import { request } from './api/request';

const root = document.getElementById('console');
if (root)
  request<Session>('api/session').then(
    ({ worker }) => render(<h1>{worker}</h1>, root),
    (error: Error) => render(<p>{error.message}</p>, root),
  );
