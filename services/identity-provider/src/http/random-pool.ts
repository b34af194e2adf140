/**
 * Draws random bytes many at a time, because each draw from the system's generator costs as much as
 * a hash. Only for what is no secret: the bytes lie in memory for a while.
 *
 * @param poolBytes How many are drawn at once; default 8192.
 */
export function randomPool(
  randomBytes: (length: number) => Uint8Array,
  poolBytes = 8192,
): (length: number) => Uint8Array {
  let pool = new Uint8Array(0)
  return (length) => {
    if (pool.byteLength < length) pool = Uint8Array.from(randomBytes(Math.max(poolBytes, length)))
    const drawn = pool.subarray(0, length)
    pool = pool.subarray(length)
    return drawn
  }
}
