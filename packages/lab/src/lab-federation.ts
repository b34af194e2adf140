import { createPublicKey } from 'node:crypto'
import { signed } from './forge/forge.ts'
import type { ForgeKey, LabKeySource } from './lab-host.ts'
import { reservedTestKey, thumbprintOf } from './test-keys.ts'

/** Requests the documents of another issuer. */
type FetchKeys = (url: string, init?: RequestInit) => Promise<Response>

/** A request for a token of the lab's own issuer. */
export type FederatedTokenRequest = {
  /** The claim `sub`: the subject of a federated identity credential. */
  readonly subject: string
  /** The claim `aud`; default `api://AzureADTokenExchange`. */
  readonly audience?: string
  /** Claims that replace or add to the others. `undefined` removes one. */
  readonly claims?: Readonly<Record<string, unknown>>
}

/** The top level domain is reserved (RFC 2606 section 2), so no request leaves the server. */
const host = 'issuer.greeting.test'
const lifetimeSeconds = 3600

/** An issuer other than the server, such as a cluster, whose tokens federated identity credentials trust. */
export class LabFederation {
  /** The issuer of a federated identity credential. */
  readonly issuer = `https://${host}`
  /** The host that the server must allow. */
  readonly host = host
  readonly #now: () => Date
  readonly #source: () => LabKeySource
  #key: Promise<ForgeKey> | undefined

  /** @param source of its key; read at the first use */
  constructor(now: () => Date, source: () => LabKeySource) {
    this.#now = now
    this.#source = source
  }

  /** Makes a token of the issuer. A client sends it as its client assertion (RFC 7523 section 2.2). */
  async token({
    subject,
    audience = 'api://AzureADTokenExchange',
    claims,
  }: FederatedTokenRequest): Promise<string> {
    const { kid, privateKey } = await this.#signingKey()
    const iat = Math.floor(this.#now().getTime() / 1000)
    const times = { iat, nbf: iat, exp: iat + lifetimeSeconds }
    const own = { iss: this.issuer, sub: subject, aud: audience, ...times }
    const header = { typ: 'JWT', alg: 'RS256', kid }
    return signed(header, { ...own, jti: crypto.randomUUID(), ...claims }, privateKey)
  }

  /** Answers requests to the issuer itself, and passes on all others. */
  through(fetch: FetchKeys): FetchKeys {
    return async (url, init) => {
      if (new URL(url).host !== host) return fetch(url, init)
      if (!url.endsWith('/keys'))
        return Response.json({ issuer: this.issuer, jwks_uri: `${this.issuer}/keys` })
      const { kid, publicKey } = await this.#signingKey()
      const jwk = publicKey.export({ format: 'jwk' })
      return Response.json({ keys: [{ ...jwk, kid, use: 'sig', alg: 'RS256' }] })
    }
  }

  #signingKey(): Promise<ForgeKey> {
    this.#key ??= this.#makeKey()
    return this.#key
  }

  async #makeKey(): Promise<ForgeKey> {
    const { testKeys, generateCertifiedKey } = this.#source()
    if (testKeys === 'accepted') return reservedTestKey('issuer')
    const name = 'Greeting lab issuer'
    const { certificate, privateKey } = await generateCertifiedKey(name, this.#now())
    return { kid: thumbprintOf(certificate), privateKey, publicKey: createPublicKey(privateKey) }
  }
}
