/** The elements of fields, to which lists of errors lead. */

/** Of the element around the field of a key. */
export function fieldId(key: string): string {
  return `key ${key}`.replace(/\s/g, '-');
}

export function focusField(key: string): void {
  const place = document.getElementById(fieldId(key));
  place?.scrollIntoView({ block: 'center' });
  place?.querySelector<HTMLElement>('input, select, textarea, button')?.focus({ preventScroll: true });
}
