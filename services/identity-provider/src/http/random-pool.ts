/**
 * Reads random bytes in blocks, because each read from the system's generator costs as much as a
 * hash. Not for secrets: unused bytes stay in memory.
 *
 * @param poolBytes size of a block; default 8192
 */
export function randomPool(
  randomBytes: (length: number) => Uint8Array,
  poolBytes = 8192,
): (length: number) => Uint8Array {
  let pool = new Uint8Array(0)
  return (length) => {
    if (pool.byteLength < length) pool = Uint8Array.from(randomBytes(Math.max(poolBytes, length)))
    const bytes = pool.subarray(0, length)
    pool = pool.subarray(length)
    return bytes
  }
}
