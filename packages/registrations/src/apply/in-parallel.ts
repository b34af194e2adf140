/**
 * Does the work for all items, at most `maxAtOnce` at a time, and resolves with the results in the
 * order of the items. After a failure no more work begins, and the work in progress is finished.
 *
 * @throws the first failure, when all work that began has ended
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  maxAtOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const failures: unknown[] = []
  let next = 0
  const run = async () => {
    while (next < items.length && failures.length === 0) {
      const index = next
      next += 1
      try {
        results[index] = await work(items[index] as Item)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(maxAtOnce, items.length) }, run))
  if (failures.length > 0) throw failures[0]
  return results
}
