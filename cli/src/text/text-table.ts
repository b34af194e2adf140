/** Columns below a header row. Each column is as wide as its widest cell. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) =>
    all.reduce((widest, row) => Math.max(widest, (row[column] ?? '').length), 0),
  )
  return all
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}
