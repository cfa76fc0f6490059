/** Validation and encoding of users. */
import { BadUserError, parseUser } from '../../../../apps/users/src/user/parse-user';
import { emailProblem, encodeUser, nameProblem } from '../../../../apps/users/src/user/user';

test.each([
  ['a@b', null],
  ['a@b@c', null],
  ['jörg@例え.jp', null],
  [`${'a'.repeat(252)}@b`, null],
  [`${'a'.repeat(253)}@b`, 'longer than 254 bytes'],
  [`${'é'.repeat(127)}@b`, 'longer than 254 bytes'],
  ['a@', 'too short'],
  ['@bc', 'no @ between two parts'],
  ['bc@', 'no @ between two parts'],
  ['@b@', 'no @ between two parts'],
  ['a b@c', 'white space'],
  ['a\u00a0b@c', 'white space'],
  ['a\u0085@c', 'control character'],
  ['a\r\nb@c', 'control character'],
  ['a\ufffd@c', 'not valid Unicode'],
  ['a\ud800@c', 'not valid Unicode'],
])('the e-mail %j: %p', (email, problem) => {
  expect(emailProblem(email)).toBe(problem);
});

test.each([
  ['n', null],
  ['😀'.repeat(256), null],
  ['😀'.repeat(257), 'longer than 256 characters'],
  ['a\u0000', 'control character'],
  ['a\udc00', 'not valid Unicode'],
  [' padded ', null],
])('the name %.20j: %p', (name, problem) => {
  expect(nameProblem(name)).toBe(problem);
});

test('users-app 13: Go’s escapes, no others', () => {
  expect(encodeUser({ email: 'a@b', name: '<&>\u2028\u2029"\\/é\u007f' })).toBe(
    '{"email":"a@b","name":"\\u003c\\u0026\\u003e\\u2028\\u2029\\"\\\\/é\u007f"}\n',
  );
});

test.each([
  ['{"email":true,"name":"n"}', 'email must be a string'],
  ['{"email":5,"name":"n"}', 'email must be a string'],
  ['{"email":["a@b"],"name":"n"}', 'email must be a string'],
  ['{"email":"a@b","name":{"first":"n"}}', 'name must be a string'],
  ['{"email":null,"name":"n"}', 'email is required'],
  ['{"email":" ","name":"n"}', 'email is required'],
  ['{"email":"a@b"}', 'name is required'],
])('users-app 7: %s is rejected: %s', (body, message) => {
  expect(() => parseUser(Buffer.from(body))).toThrow(new BadUserError(message));
});

test('names inherited from JavaScript’s prototypes are not members of a body', () => {
  expect(() => parseUser(Buffer.from('{"email":"a@b","__proto__":{"name":"n"}}'))).toThrow('name is required');
  expect(parseUser(Buffer.from('{"name":"n","email":"a@b","constructor":1}'))).toEqual({ email: 'a@b', name: 'n' });
});
