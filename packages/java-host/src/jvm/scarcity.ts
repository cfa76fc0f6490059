const CODES = new Set(['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE']);

/** Whether the machine has no more processes, memory or files for now, which says nothing of what is there. */
export function isScarcity(error: unknown): boolean {
  return CODES.has(String((error as NodeJS.ErrnoException).code));
}
