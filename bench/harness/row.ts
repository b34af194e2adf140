import type { Contender, Lab, Running } from './contender.ts'
import type { Finding } from './result.ts'

/** A contender in a heat: what is up of it, and what its loads came to. */
export type Row = Finding & { readonly contender: Contender; running?: Running }

/** What is known of a contender that was not measured yet. */
export const finding = (): Finding => ({ p99s: [], samples: new Map(), faults: [] })

/** What is known to be faulty is not worth the time. */
export const worthwhile = ({ faults }: Row): boolean => faults.length === 0

/** A contender that fails to start, or breaks, loses its row and nobody else's. */
export async function start(row: Row, lab: Lab): Promise<void> {
  if (!worthwhile(row)) return
  const running = await orFault(row, row.contender.start(lab))
  if (running !== undefined) row.running = running
}

export async function prove(row: Row): Promise<void> {
  if (row.running === undefined) return
  row.faults.push(...((await orFault(row, row.running.prove())) ?? []))
}

export async function orFault<Result>(
  { faults }: { readonly faults: string[] },
  work: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    faults.push(error instanceof Error ? error.message : `${error}`)
    return undefined
  }
}
