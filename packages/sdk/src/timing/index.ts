/** Timers, sleeps, deadlines, backoff and wake-ups: the waits of the runtime and of plugins. */
export * from './backoff';
export * from './clock';
export * from './deadline';
export * from './sleep';
export * from './timers';
export * from './wakeup';
