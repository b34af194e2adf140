const maxKeysPerQuery = 512

/**
 * Runs a query for many keys, in parts, and joins the rows.
 *
 * The number of keys of a part is a power of two, so the database prepares few different statements.
 */
export async function inParts<Row>(
  keys: Iterable<string>,
  query: (keys: readonly string[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const all = [...new Set(keys)]
  const rows: Row[] = []
  for (let start = 0; start < all.length; start += maxKeysPerQuery) {
    for (const row of await query(padded(all.slice(start, start + maxKeysPerQuery)))) rows.push(row)
  }
  return rows
}

/** Repeats the last key until the number of keys is a power of two. */
export function padded(keys: readonly string[]): string[] {
  const length = 2 ** Math.ceil(Math.log2(keys.length))
  const last = keys.at(-1) ?? ''
  return [...keys, ...Array.from({ length: length - keys.length }, () => last)]
}
