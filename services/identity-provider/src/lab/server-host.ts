import { createPublicKey } from 'node:crypto'
import { type Directory, put, type Runtime } from '@greeting/directory'
import type { KeyRingStore } from '@greeting/directory/keys'
import type { DirectoryStore } from '@greeting/directory/live'
import { type LabHost, MintError, type MintRequest } from '@greeting/lab'
import type { Authority } from '../dialect/authority.ts'
import { createOpaqueClaims } from '../dialect/token/opaque-claims.ts'
import { lifetimeOf, type TokenLifetime, tokenTimes } from '../dialect/token/token-times.ts'
import { tokenVersionOf } from '../dialect/token/token-versions.ts'
import { findClient } from '../issuance/client.ts'
import type { TokenDecision } from '../issuance/token-decision.ts'
import type { KeyEncryptionKey } from '../signing/key-encryption-key.ts'
import { keyEvents, system } from '../signing/key-event.ts'
import { nextKey } from '../signing/key-ring.ts'
import { openPrivateKey } from '../signing/signing-key.ts'
import { generateCertifiedKey } from '../signing/signing-key-generation.ts'
import type { SigningKeys } from '../signing/signing-keys.ts'

/** The parts of a server that its lab uses. */
export type LabParts = {
  readonly directory: DirectoryStore
  readonly keys: SigningKeys
  readonly keyRing: KeyRingStore
  readonly keyEncryptionKey: KeyEncryptionKey
  readonly lifetime: TokenLifetime
  /** Whether the server accepts the public keys of `@greeting/testing`. */
  readonly testKeys: 'refused' | 'accepted'
  /** The URLs of the first listener. */
  readonly authority: Authority
}

/** Gives the lab its view of this server. */
export function labHost(parts: LabParts, runtime: Runtime): LabHost {
  const { directory, keys, keyRing, keyEncryptionKey, lifetime, testKeys, authority } = parts
  const opened = new Map<string, ReturnType<LabHost['publishedKey']>>()
  const publishedKey = () => {
    const active = keys.states().find(({ phase }) => phase === 'active')?.key
    if (active === undefined) throw new TypeError('The server has no signing key')
    const known = opened.get(active.kid)
    if (known !== undefined) return known
    const privateKey = openPrivateKey(active, keyEncryptionKey)
    const key = { kid: active.kid, privateKey, publicKey: createPublicKey(privateKey) }
    opened.set(active.kid, key)
    return key
  }
  return {
    testKeys,
    generateCertifiedKey,
    publishedKey,
    genuine: async (request) => {
      const decision = await directory.read((current) => decisionFor(current, request, runtime))
      const times = tokenTimes(lifetimeOf(decision, lifetime), runtime.now(), 0)
      const opaque = createOpaqueClaims(runtime.randomBytes, decision)
      const { claims, keyMembers } = tokenVersionOf(decision)
      const { kid } = publishedKey()
      return {
        header: { typ: 'JWT', alg: 'RS256', ...keyMembers(kid) },
        claims: { ...claims(decision, { authority, times, opaque }) },
      }
    },
    keys: {
      list: () => keys.states().map(({ key, phase }) => ({ kid: key.kid, phase })),
      rotate: async () => {
        await keys.tend()
        const now = runtime.now()
        const { latest, ring } = await keyRing.read()
        const next = nextKey(ring, now)
        const rotated = ring.map((key) => (key === next ? { ...key, signsFrom: now } : key))
        const events = keyEvents(ring, rotated, { by: system, at: now, removal: 'remove' })
        await keyRing.commit(latest, crypto.randomUUID(), rotated, events)
        await keys.refresh()
        await keys.tend()
      },
      revoke: (kid) => keys.revoke(kid, system),
      tend: () => keys.tend(system),
    },
    apiOf: async (applicationId) =>
      directory.read((current) => {
        const api = current.applicationByAppId(applicationId)
        const roles = (api?.appRoles ?? []).flatMap(({ isEnabled, value }) =>
          isEnabled && value !== null ? [value] : [],
        )
        return { roles, tokenVersion: api?.requestedAccessTokenVersion === 2 ? '2.0' : '1.0' }
      }),
    endSecrets: async (applicationId) => {
      const endDateTime = runtime.now()
      await directory.update((current) => {
        const application = current.applicationByAppId(applicationId)
        if (application === undefined)
          throw new MintError(`No client has the application ID ${applicationId.slice(0, 64)}`)
        const passwordCredentials = application.passwordCredentials.map((one) => ({
          ...one,
          endDateTime,
        }))
        const changes = [put('application', { ...application, passwordCredentials })]
        return { changes, audit: [], result: undefined }
      })
    },
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
  if (application === undefined || principal === undefined || tenant === undefined)
    throw new MintError(`No API has the application ID ${api.slice(0, 64)}`)
  const declared = application.appRoles.flatMap(({ value }) => value ?? [])
  const assigned = application.appRoles
    .flatMap(({ id }) => directory.assignmentsOfRole(principal.id, id))
    .map(({ principalId }) => directory.servicePrincipal(principalId)?.appId)
  const chosenId = clientId ?? assigned.find((id) => id !== undefined)
  const client = chosenId === undefined ? undefined : findClient(directory, tenant, chosenId)
  if (clientId !== undefined && client?.principal === undefined)
    throw new MintError(`No client has the application ID ${clientId.slice(0, 64)}`)
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
