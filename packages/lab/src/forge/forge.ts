import { createPublicKey, KeyObject, sign } from 'node:crypto'
import { createOpaqueClaims } from '@greeting/identity-provider/parts/dialect/token/opaque-claims'
import { tokenTimes } from '@greeting/identity-provider/parts/dialect/token/token-times'
import { tokenVersionOf } from '@greeting/identity-provider/parts/dialect/token/token-versions'
import type { Directory } from '@greeting/identity-provider/parts/directory/directory'
import type { Runtime } from '@greeting/identity-provider/parts/directory/runtime'
import { findClient } from '@greeting/identity-provider/parts/issuance/client'
import type { TokenDecision } from '@greeting/identity-provider/parts/issuance/token-decision'
import { openPrivateKey } from '@greeting/identity-provider/parts/signing/signing-key'
import type { LabParts } from '@greeting/identity-provider/parts/startup/environment'
import type { ForgeKey } from './forge-key.ts'
import { attackerKey } from './reserved-test-key.ts'

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

/** Makes tokens with any content, signed by the keys of the server or of an attacker. */
export class Forge {
  readonly #parts: LabParts
  readonly #runtime: Runtime
  readonly #keys = new Map<string, ForgeKey>()

  constructor(parts: LabParts, runtime: Runtime) {
    this.#parts = parts
    this.#runtime = runtime
  }

  /**
   * Makes a token.
   *
   * @throws {MintError} mint_invalid when the API or the client does not exist
   */
  async mint(request: MintRequest): Promise<string> {
    const { header, claims } = await this.genuine(request)
    const key = request.key === 'unpublished' ? attackerKey() : await this.publishedKey()
    const privateKey = request.key instanceof KeyObject ? request.key : key.privateKey
    const named = { ...header, ...keyNames(header, key.kid), ...request.header }
    return signed(named, { ...claims, ...request.claims }, privateKey)
  }

  /** Signs changed claims of a token again, with a header for the key. */
  async signAgain(
    token: string,
    change: (claims: Json) => Json,
    which: 'published' | 'unpublished',
  ): Promise<string> {
    const [header = {}, claims = {}] = token.split('.').slice(0, 2).map(decode)
    const key = which === 'unpublished' ? attackerKey() : await this.publishedKey()
    return signed({ ...header, ...keyNames(header, key.kid) }, change(claims), key.privateKey)
  }

  /** The header and the claims that the server itself would issue. */
  async genuine(request: MintRequest): Promise<TokenParts> {
    const decision = await this.#parts.directory.read((directory) =>
      decisionFor(directory, request, this.#runtime),
    )
    const times = tokenTimes(this.#parts.lifetime, this.#runtime.now(), 0)
    const opaque = createOpaqueClaims(this.#runtime.randomBytes)
    const { claims, keyMembers } = tokenVersionOf(decision)
    const { kid } = await this.publishedKey()
    return {
      header: { typ: 'JWT', alg: 'RS256', ...keyMembers(kid) },
      claims: { ...claims(decision, { authority: this.#parts.authority, times, opaque }) },
    }
  }

  /** The key that signs now. */
  async publishedKey(): Promise<ForgeKey> {
    const { keys, keyEncryptionKey } = this.#parts
    const active = keys.states().find(({ phase }) => phase === 'active')?.key
    if (active === undefined) throw new TypeError('The server has no signing key')
    const known = this.#keys.get(active.kid)
    if (known !== undefined) return known
    const privateKey = openPrivateKey(active, keyEncryptionKey)
    const key = { kid: active.kid, privateKey, publicKey: createPublicKey(privateKey) }
    this.#keys.set(active.kid, key)
    return key
  }
}

/** The decision that the server would make for the API, the client and the roles. */
function decisionFor(
  directory: Directory,
  { api, client: clientId, roles }: MintRequest,
  runtime: Runtime,
): TokenDecision {
  const application = directory.applicationByAppId(api)
  const [principal] = directory.servicePrincipalsOfApplication(api)
  const tenant = principal && directory.tenant(principal.tenantId)
  if (application === undefined || principal === undefined || tenant === undefined) {
    throw new MintError(`No API has the application ID ${api.slice(0, 64)}`)
  }
  const declared = application.appRoles.flatMap(({ value }) => value ?? [])
  const assigned = application.appRoles
    .flatMap(({ id }) => directory.assignmentsOfRole(principal.id, id))
    .map(({ principalId }) => directory.servicePrincipal(principalId)?.appId)
  const chosenId = clientId ?? assigned.find((id) => id !== undefined)
  const client = chosenId === undefined ? undefined : findClient(directory, tenant, chosenId)
  if (clientId !== undefined && client?.principal === undefined) {
    throw new MintError(`No client has the application ID ${clientId.slice(0, 64)}`)
  }
  const unregistered = {
    application: { ...application, appId: runtime.newGuid() },
    principal: { ...principal, id: runtime.newGuid() },
  }
  return {
    tenant,
    client:
      client?.principal === undefined ? unregistered : { ...client, principal: client.principal },
    method: 'secret',
    credentialId: '',
    resource: { requestedAs: application.identifierUris[0] ?? api, application, principal },
    roles: roles ?? declared,
  }
}

const keyNames = (header: Json, kid: string): Json =>
  'x5t' in header ? { kid, x5t: kid } : { kid }

const decode = (part: string): Json => JSON.parse(Buffer.from(part, 'base64url').toString())

/** Encodes a part of a token. */
export const encoded = (part: object | string | Uint8Array): string =>
  Buffer.from(
    typeof part === 'string' || part instanceof Uint8Array ? part : JSON.stringify(part),
  ).toString('base64url')

/** Signs a header and claims with RS256, as JSON, as text or as bytes. */
export const signed = (
  header: object | string,
  claims: object | string | Uint8Array,
  privateKey: KeyObject,
): string => {
  const content = `${encoded(header)}.${encoded(claims)}`
  return `${content}.${sign('sha256', Buffer.from(content), privateKey).toString('base64url')}`
}
