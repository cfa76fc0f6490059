/** Names of packages and types, as a tree: looking one up costs no more than its scopes and parts. */
import { schemaError } from '../faults';
import type { EnumType, MessageType } from './proto-model';

export class NameScope {
  type: EnumType | MessageType | null = null;
  private readonly inner = new Map<string, NameScope>();

  constructor(private readonly outer: NameScope | null = null) {}

  /** @param path a name or several, joined with dots; empty: this scope */
  within(path: string): NameScope {
    return path === '' ? this : path.split('.').reduce<NameScope>((scope, name) => scope.child(name), this);
  }

  declare(name: string, type: EnumType | MessageType): NameScope {
    const scope = this.child(name);
    if (scope.type !== null) throw schemaError(`The schema declares ${type.fullName} twice.`);
    scope.type = type;
    return scope;
  }

  /** From this scope outwards; names with a leading dot from the outermost. */
  find(name: string): EnumType | MessageType | null {
    const fromOutermost = name.startsWith('.');
    return this.findParts((fromOutermost ? name.slice(1) : name).split('.'), fromOutermost);
  }

  private findParts(parts: readonly string[], fromOutermost: boolean): EnumType | MessageType | null {
    if (!fromOutermost || this.outer === null) {
      const found = parts.reduce<NameScope | undefined>((scope, part) => scope?.inner.get(part), this);
      if (found !== undefined && found.type !== null) return found.type;
    }
    return this.outer === null ? null : this.outer.findParts(parts, fromOutermost);
  }

  private child(name: string): NameScope {
    let child = this.inner.get(name);
    if (child === undefined) this.inner.set(name, (child = new NameScope(this)));
    return child;
  }
}
