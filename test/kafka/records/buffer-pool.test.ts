import { BufferPool } from '../../../packages/kafka-client/src/records/buffer-pool';

const KIB = 1024;

test('a released buffer is used again for the same size', () => {
  const pool = new BufferPool(64 * KIB);
  const buffer = pool.acquire(5000);
  expect(buffer.length).toBe(8 * KIB);
  pool.release(buffer);
  expect(pool.idleBytes).toBe(8 * KIB);
  expect(pool.acquire(8 * KIB)).toBe(buffer);
  expect(pool.idleBytes).toBe(0);
});

test('a pool full of one size gives it up for the size that is released now', () => {
  const pool = new BufferPool(64 * KIB);
  const large = [pool.acquire(32 * KIB), pool.acquire(32 * KIB)];
  for (const buffer of large) pool.release(buffer);
  const small = pool.acquire(8 * KIB);
  pool.release(small);
  expect(pool.idleBytes).toBe(40 * KIB);
  expect(pool.acquire(8 * KIB)).toBe(small);
  expect(large).toContain(pool.acquire(32 * KIB));
});

test('idle memory never exceeds the limit', () => {
  const pool = new BufferPool(64 * KIB);
  const sizes = [1, 8, 64, 2, 32, 128, 16, 4, 64, 8];
  for (const buffer of sizes.map((size) => pool.acquire(size * KIB))) {
    pool.release(buffer);
    expect(pool.idleBytes).toBeLessThanOrEqual(64 * KIB);
  }
  const idle = pool.idleBytes;
  pool.release(pool.acquire(128 * KIB));
  expect(pool.idleBytes).toBe(idle);
});
