/**
 * Readers of structs: one generated function each, so that all structs of a schema have the same shape. Names reach the
 * code only as JSON string literals.
 */
import { setMember } from '@millrace/sdk';
import type { ByteInput } from './byte-input';
import type { ReadValue } from './logical-readers';

export interface Member {
  readonly name: string;
  readonly read: ReadValue;
}

/** Larger structs are built member by member. */
const MOST_MEMBERS = 500;
/** Of a union. */
const MOST_BRANCHES = 24;

export function structReader(members: readonly Member[]): ReadValue {
  if (members.length > MOST_MEMBERS) return largeStructReader(members);
  const constants = Object.fromEntries(members.map(({ read }, i) => [`r${i}`, read]));
  const literal = members.map(({ name }, i) => `${property(name)}: r${i}(s)`).join(', ');
  return generate(constants, `return {${literal}};`);
}

function largeStructReader(members: readonly Member[]): ReadValue {
  return (input) => {
    const struct: Record<string, unknown> = {};
    for (const { name, read } of members) setMember(struct, name, read(input));
    return struct;
  };
}

/** @param branches null: the branch of null */
export function unionReader(branches: readonly (Member | null)[]): ReadValue {
  const { length } = branches;
  const members = branches.filter((branch) => branch !== null);
  if (length > MOST_BRANCHES) {
    return (input) => {
      const chosen = branches[input.branch(length)] ?? null;
      if (chosen === null) return null;
      input.countUnused(members.length);
      const struct: Record<string, unknown> = {};
      for (const member of members) setMember(struct, member.name, member === chosen ? member.read(input) : null);
      return struct;
    };
  }
  const constants = Object.fromEntries(branches.map((branch, i) => [`r${i}`, branch?.read]));
  const cases = branches.map((chosen, i) => {
    const literal = members.map((member) => `${property(member.name)}: ${member === chosen ? `r${i}(s)` : 'null'}`);
    return chosen === null ? `case ${i}: return null;` : `case ${i}: return {${literal.join(', ')}};`;
  });
  const source = `const i = s.branch(${length}); s.countUnused(${members.length}); switch (i) { ${cases.join('\n')} }`;
  return generate(constants, source);
}

/** A computed one where a literal `__proto__` would be the prototype. */
function property(name: string): string {
  return name === '__proto__' ? '["__proto__"]' : JSON.stringify(name);
}

function generate(constants: Readonly<Record<string, unknown>>, body: string): (input: ByteInput) => unknown {
  const source = `"use strict"; return function (s) { ${body} }`;
  return (new Function(...Object.keys(constants), source) as (...args: unknown[]) => ReadValue)(
    ...Object.values(constants),
  );
}
