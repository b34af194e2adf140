import type { KeyObject } from 'node:crypto'
import type { Fetch } from '@greeting/http-service'

/** A request to create a token. */
export type MintRequest = {
  /** The application ID of the API. */
  readonly api: string
  /** The application ID of the client; default: the first with a role of the API, else a new one. */
  readonly client?: string
  /** The roles in the token; default: all of the API. */
  readonly roles?: readonly string[]
  /** Claims that replace or add to the claims of a real token. `undefined` removes one. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** Header members that replace or add to the members of a real token. `undefined` removes one. */
  readonly header?: Readonly<Record<string, unknown>>
  /**
   * The key that signs; default `published`. `unpublished` belongs to an attacker. A private key of the test
   * keeps the key ID of the published one, unless `header` has another.
   */
  readonly key?: 'published' | 'unpublished' | KeyObject
}

/** The error for a token request whose API or client does not exist. */
export class MintError extends TypeError {
  readonly code = 'mint_invalid'
  override readonly name = 'MintError'
}

type Json = Record<string, unknown>

/** The header and claims of a genuine token, which a test may change. */
export type TokenParts = { readonly header: Json; readonly claims: Json }

/** A signing key with its private part, which only a lab uses. */
export type ForgeKey = {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** A published key and its phase. */
export type LabKey = {
  readonly kid: string
  readonly phase: 'announced' | 'active' | 'retired'
}

/** The refusal of a token request that a fault returns. */
export type LabRefusal =
  | { readonly reason: 'throttled' }
  | { readonly reason: 'secret_wrong'; readonly clientId: string }
  | { readonly reason: 'client_unknown'; readonly clientId: string; readonly tenantName: string }

/**
 * The source of a lab's keys: whether the server accepts public test keys, and how it generates a
 * key with its certificate in DER.
 */
export type LabKeySource = {
  readonly testKeys: 'refused' | 'accepted'
  readonly generateCertifiedKey: (
    name: string,
    now: Date,
  ) => Promise<{ readonly certificate: Uint8Array; readonly privateKey: KeyObject }>
}

/** The identity provider as the lab sees it. The provider implements this type, and the lab does not import it. */
export type LabHost = LabKeySource & {
  /**
   * The header and the claims that the server itself would issue.
   *
   * @throws {MintError} mint_invalid when the API or the client does not exist
   */
  readonly genuine: (request: MintRequest) => Promise<TokenParts>
  /** The key that signs now. */
  readonly publishedKey: () => ForgeKey
  readonly keys: {
    /** The keys, in the order in which they sign. */
    readonly list: () => readonly LabKey[]
    /** Lets the announced key sign at once. */
    readonly rotate: () => Promise<void>
    readonly revoke: (kid: string) => Promise<void>
    /** Does what is due by the clock. */
    readonly tend: () => Promise<void>
  }
  /** The values of the enabled app roles of an API, and the version of its tokens. */
  readonly apiOf: (applicationId: string) => Promise<{
    readonly roles: readonly string[]
    readonly tokenVersion: '1.0' | '2.0'
  }>
  /**
   * Ends all secrets of a client now.
   *
   * @throws {MintError} mint_invalid when the client does not exist
   */
  readonly endSecrets: (applicationId: string) => Promise<void>
}

/** One listener of the server. */
export type LabListener = {
  readonly app: { readonly fetch: Fetch }
  /** The operations of the lab, for callers of the network. */
  readonly operations: { readonly fetch: Fetch }
  /** The answer to a refused token request. */
  readonly refuse: (refusal: LabRefusal, request: Request) => Response
}
