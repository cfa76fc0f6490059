/** Members of structs whatever their names: some names are something else to JavaScript. */

const PROTOTYPE = Object.prototype;

/** Whether plain objects have something by that name although nobody put it there. */
export function isInherited(name: string): boolean {
  return name in PROTOTYPE;
}

/** Undefined when there is none: what `struct.constructor` or `struct.__proto__` gives then is no member. */
export function readMember(struct: Readonly<Record<string, unknown>>, name: string): unknown {
  const value = struct[name];
  if (typeof value !== 'function' && value !== PROTOTYPE) return value;
  return Object.hasOwn(struct, name) ? value : undefined;
}

/** An assignment to `__proto__` would change what the object is instead. */
export function setMember(struct: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(struct, name, { value, enumerable: true, configurable: true, writable: true });
  else struct[name] = value;
}
