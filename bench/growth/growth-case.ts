import type { Figure, Goal } from './figure.ts'
import type { LatencyTable } from './latency.ts'
import type { StoreKind, Stores } from './stores.ts'

/** What a case receives. */
export type GrowthContext = {
  readonly stores: Stores
  readonly storeKind: StoreKind
  /** The numbers of applications, ascending. */
  readonly sizes: readonly number[]
  /** The length of one load, in seconds. */
  readonly seconds: number
  /** Whether the run only checks that everything works. */
  readonly isTiny: boolean
  /** A folder for the files of the case, removed at exit. */
  readonly folder: string
  /** Receives each step before it begins. */
  readonly progress: (step: string) => void
}

export type Measured = {
  readonly figures: readonly Figure[]
  readonly latencies?: LatencyTable
}

/** One row of the growth bench. */
export type GrowthCase = {
  readonly id: string
  readonly title: string
  readonly goals: readonly Goal[]
  /** Whether the figures depend on the database. A run on PostgreSQL leaves the other cases out. */
  readonly usesStore: boolean
  /** Whether it runs only when `--only` names it, because it takes long. */
  readonly isOnRequest?: boolean
  run(context: GrowthContext): Promise<Measured>
}
