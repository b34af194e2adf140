import { z } from 'zod'

/** A collection in a body. Its size is judged first: entries of one that is too large are not looked at. */
export const bodyCollection = <Item extends z.ZodType>(
  item: Item,
  maxEntries: number,
  message = `must not hold more than ${maxEntries} entries`,
) => z.array(z.unknown()).max(maxEntries, message).pipe(z.array(item))
