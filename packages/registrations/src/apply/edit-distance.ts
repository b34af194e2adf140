/**
 * The number of characters to insert, remove, replace or swap with their neighbour, so that one text
 * becomes the other. It takes time by the product of both lengths: limit them before.
 */
export function editDistance(one: string, other: string): number {
  const width = other.length + 1
  // Rows of the table one after the other. A row needs only the two before it.
  const rows = new Uint32Array(3 * width)
  for (let column = 0; column < width; column += 1) rows[column] = column
  for (let row = 1; row <= one.length; row += 1) {
    const current = (row % 3) * width
    const last = ((row - 1) % 3) * width
    const beforeLast = ((row + 1) % 3) * width
    rows[current] = row
    for (let column = 1; column < width; column += 1) {
      const isSame = one.charCodeAt(row - 1) === other.charCodeAt(column - 1)
      let least = at(rows, last + column - 1) + (isSame ? 0 : 1)
      least = Math.min(least, at(rows, last + column) + 1, at(rows, current + column - 1) + 1)
      const isSwapped =
        row > 1 &&
        column > 1 &&
        one.charCodeAt(row - 1) === other.charCodeAt(column - 2) &&
        one.charCodeAt(row - 2) === other.charCodeAt(column - 1)
      if (isSwapped) least = Math.min(least, at(rows, beforeLast + column - 2) + 1)
      rows[current + column] = least
    }
  }
  return at(rows, (one.length % 3) * width + other.length)
}

const at = (rows: Uint32Array, index: number) => rows[index] ?? 0
