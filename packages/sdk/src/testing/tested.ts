/** Stands for the connector's class in messages of the test kit, which does not know it. */
export const TESTED = 'the connector';
