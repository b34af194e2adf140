import type { KeyObject } from 'node:crypto'

/** A signing key with its private part, as only a lab uses it. */
export type ForgeKey = {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}
