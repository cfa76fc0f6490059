/** Settings of a worker for the cases about CORS and headers. */
export const HEADER_SETTINGS: Readonly<Record<string, string>> = {
  'access.control.allow.origin': 'http://a.example,https://[a-z]+\\\\.b\\\\.example',
  'access.control.allow.methods': 'GET,PUT',
  'response.http.headers.config': 'set X-Foo: bar, "add X-Bar: a,b"',
};

/** The name under which the cases call a worker that they reach at another one. */
export const HOST_SETTINGS: Readonly<Record<string, string>> = { 'rest.allowed.hosts': 'foo.example' };
