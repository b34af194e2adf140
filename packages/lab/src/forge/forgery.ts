import type { ForgeryMaterial } from './forgery-material.ts'

/** One way to make a token that a correct API refuses. */
export type ForgeryRow = {
  /** Why it must be refused. One sentence. */
  readonly reason: string
  /** The section that says so. */
  readonly section: string
  readonly make: (material: ForgeryMaterial) => string
}

/** A hostile token. */
export type Forgery<Name extends string = string> = {
  readonly name: Name
  readonly reason: string
  readonly section: string
  readonly token: string
}
