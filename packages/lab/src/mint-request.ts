import type { KeyObject } from 'node:crypto'

/** A token to make. */
export type MintRequest = {
  /** The application ID of the API. */
  readonly api: string
  /** The application ID of the client; default: the first with a role of the API, else a new one. */
  readonly client?: string
  /** The roles in the token; default: all of the API. */
  readonly roles?: readonly string[]
  /** Claims that replace or add to those of a real token. `undefined` removes one. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** Header members that replace or add to those of a real token. `undefined` removes one. */
  readonly header?: Readonly<Record<string, unknown>>
  /**
   * The key that signs; default `published`. `unpublished` belongs to an attacker. A private key of the test
   * keeps the key ID of the published one, unless `header` has another.
   */
  readonly key?: 'published' | 'unpublished' | KeyObject
}

/** The API or the client of a token to make does not exist. */
export class MintError extends TypeError {
  readonly code = 'mint_invalid'
  override readonly name = 'MintError'
}

type Json = Record<string, unknown>

/** The parts of a real token, for changes. */
export type TokenParts = { readonly header: Json; readonly claims: Json }
