/** One text in the guard's source, and what stands there instead. Every occurrence is replaced. */
export type Edit = readonly [find: string, replace: string]

/** A way to break the guard. */
export type Mutant = {
  /** The file below `src` that is changed. */
  readonly file: string
  /** What it no longer does, or does wrongly. */
  readonly breaks: string
  readonly edits: readonly Edit[]
}

/** Names the file once for many mutants of it. */
export function mutantsOf(
  file: string,
  rows: readonly (readonly [breaks: string, ...edits: Edit[]])[],
): readonly Mutant[] {
  return rows.map(([breaks, ...edits]) => ({ file, breaks, edits }))
}
