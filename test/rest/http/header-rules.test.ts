import request, { type Response } from 'supertest';
import { parseCorsMethods, parseOrigins } from '../../../src/config/cors';
import { parseHeaderRules } from '../../../src/config/response-headers';
import { silentLogger } from '../../../src/logging/logger';
import { createApp } from '../../../src/rest/app';
import { BodyBudget } from '../../../src/rest/http/body-budget';
import { corsHeaders, responseHeaders } from '../../../src/rest/http/header-rules';
import { ok } from '../../../src/rest/requests/route';

const at = { path: '/connectors', role: 'reader', run: () => ok([]) } as const;
const routes = [
  { ...at, method: 'GET' },
  { ...at, method: 'POST' },
] as const;
const options = {
  logger: silentLogger,
  requestLimitMs: 1000,
  bodies: new BodyBudget({ maxBytes: 1024, inFlightBytes: 1024 }),
};

describe('CORS', () => {
  const app = (origins: string, methods = ''): ReturnType<typeof createApp> => {
    const allows = parseOrigins(origins);
    const settings = allows && { allows, methods: parseCorsMethods(methods) };
    return createApp(routes, options, settings ? [corsHeaders(settings)] : []);
  };
  const shown = ({ headers }: Response): unknown[] => [headers['vary'], headers['access-control-allow-origin']];

  test('connect-rest 152: preflight with set, default and all methods', async () => {
    const preflight = async (methods: string): Promise<Response> =>
      await request(app('*', methods))
        .options('/connectors')
        .set('Origin', 'null')
        .set('Access-Control-Request-Method', 'DELETE');
    const answer = await preflight('GET, PUT');
    expect([answer.status, ...shown(answer), answer.headers['allow']]).toEqual([
      200,
      'Origin',
      'null',
      'HEAD,POST,GET,OPTIONS',
    ]);
    expect(answer.headers).toMatchObject({
      'access-control-allow-methods': 'GET,PUT',
      'access-control-allow-headers': 'Content-Type',
      'access-control-max-age': '60',
    });
    expect((await preflight('')).headers['access-control-allow-methods']).toBe('GET,POST,HEAD');
    // As in Java; browsers take it as all methods.
    expect((await preflight('*')).headers['access-control-allow-methods']).toBe('*');
  });

  test.each([
    ['http://a.example', 'HTTP://A.example', true],
    ['http://a.example', 'http://aXexample', false],
    ['http://a.example', 'http://a.example:80', false],
    [' http://b , https://a ', 'https://a', true],
    ['http://[a-z]+\\.b', 'http://XYZ.b', true],
    ['http://[a-z]+\\.b', 'http://x.b.c', false],
    ['https?://localhost:\\d+', 'http://localhost:3000', true],
    ['*', 'http://any', true],
  ])('origins %j and %s: %s', (setting, origin, allowed) => {
    expect(parseOrigins(setting)?.(origin)).toBe(allowed);
  });

  test('disabled, and invalid patterns and methods', () => {
    expect(parseOrigins(' , ')).toBeNull();
    expect(() => parseOrigins('http://a,[')).toThrow(/^'\[' is neither an origin nor a regular expression \(/);
    expect(() => parseCorsMethods('GET,get it')).toThrow(/^'get it' is not an HTTP method; /);
  });
});

describe('response.http.headers.config', () => {
  test('set replaces, add appends', async () => {
    const rules = parseHeaderRules('set X: a,set X: b,add X: c,');
    const { headers } = await request(createApp(routes, options, [responseHeaders(rules)])).get('/connectors');
    expect(headers['x']).toBe('b, c');
  });

  test.each([
    ['put X: y', "Invalid header config action: 'put'. Expected one of [set, add, setDate, addDate]"],
    ['set X', "Invalid format of header name and header value pair 'X'. Expected: '[header name]:[header value]'"],
    ['set X:', "Invalid format of header name and header value pair 'X:'. Expected: '[header name]:[header value]'"],
    [
      'set X: http://x',
      "Invalid format of header name and header value pair 'X: http://x'. Expected: '[header name]:[header value]'",
    ],
    ['set : y', "Invalid header name ''. The '[header name]' cannot contain whitespace"],
    ['set a b: y', "Invalid header name 'a b'. The '[header name]' cannot contain whitespace"],
    ['set', "Invalid format of header config 'set'. Expected: '[action] [header name]:[header value]'"],
    [',', "Invalid format of header config ''. Expected: '[action] [header name]:[header value]'"],
    ['set X: "a,b"', "Invalid format of header config 'b\"'. Expected: '[action] [header name]:[header value]'"],
    ['set X(: y', "Invalid header name 'X('. HTTP does not allow some of its characters"],
    ['set X: €', 'Invalid value of header X. HTTP allows Latin-1 characters only'],
    ['setDate X: soon', "Invalid value 'soon' of header X. setDate requires milliseconds from now"],
  ])('%j is rejected', (setting, message) => {
    expect(() => parseHeaderRules(setting)).toThrow(new Error(message));
  });

  test('blank means not set', () => {
    expect(parseHeaderRules('  ')).toEqual([]);
  });
});
