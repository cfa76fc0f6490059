/** Access to struct members with any name, including names that JavaScript objects inherit, such as `constructor`. */

const PROTOTYPE = Object.prototype;

/** Whether every plain object inherits a property of this name. */
export function isInherited(name: string): boolean {
  return name in PROTOTYPE;
}

/** Undefined if the struct has no such member, where `struct.constructor` would return an inherited property. */
export function readMember(struct: Readonly<Record<string, unknown>>, name: string): unknown {
  const value = struct[name];
  if (typeof value !== 'function' && value !== PROTOTYPE) return value;
  return Object.hasOwn(struct, name) ? value : undefined;
}

/** Sets a member of any name. A plain assignment to `__proto__` would replace the object's prototype. */
export function setMember(struct: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(struct, name, { value, enumerable: true, configurable: true, writable: true });
  else struct[name] = value;
}
