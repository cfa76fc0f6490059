/** Settings of the worker under test, in the syntax of properties files. */

/** For the cases about CORS and headers. */
export const HEADER_SETTINGS: Readonly<Record<string, string>> = {
  'access.control.allow.origin': 'http://a.example,https://[a-z]+\\\\.b\\\\.example',
  'access.control.allow.methods': 'GET,PUT',
  'response.http.headers.config': 'set X-Foo: bar, "add X-Bar: a,b"',
};

/** For all other cases. */
export const CASE_SETTINGS: Readonly<Record<string, string>> = {
  // The cases call a worker that they reach at another address by this name.
  'rest.allowed.hosts': 'foo.example',
  // Followers detect a rebalance with their next heartbeat.
  'heartbeat.interval.ms': '300',
};
