import {
  createPassword,
  newApplication,
  newAppRoleAssignment,
  ownerTenantId,
  put,
} from '@greeting/directory'
import { policy } from '../../../../../test/fixtures/directory/sample.ts'
import { grantId } from '../../../src/management/graph/service-principals/permission-grant-operations.ts'
import type { Operation } from '../../../src/management/operations/operation.ts'
import { sponsored, sponsorId } from '../graph/agents/sample-agents.ts'
import { contoso, fabrikam } from '../sample-graph.ts'
import { certificateOf, certifiedKeyOf, proofOf } from './certificate-of.ts'
import { extension, newExtension, type Scene } from './privilege-fixture.ts'
import type { Target } from './privilege-row.ts'
import { authorityAsks, authorityBodies } from './trusted-authority-samples.ts'
import { castTo } from './typed-privileges.ts'

export const nameOf = ({ method, path }: Operation) => `${method} ${path}`

type Asked = { readonly path: string; readonly body?: unknown }
type Ask = (scene: Scene, target: Target) => Asked | Promise<Asked>

const applicationOf = ({ things }: Scene, target: Target) => things[target]?.application
const principalOf = ({ things }: Scene, target: Target) => things[target]?.principal
const ownerId = ({ receiver }: Scene) => receiver.principal.id
const trusted = {
  name: 'second',
  issuer: 'https://other.example',
  subject: 'job',
  audiences: ['api://AzureADTokenExchange'],
}

type Side = 'appRoleAssignedTo' | 'appRoleAssignments'
const ownerOf = { appRoleAssignedTo: 'resourceId', appRoleAssignments: 'principalId' } as const

const assignTo =
  (side: Side): Ask =>
  ({ receiver, roleIds, things }, target) => {
    const client = target === 'outsider' ? things.outsider : receiver
    const role = roleIds[target] ?? { resourceId: '', appRoleId: '' }
    const body = { ...role, principalId: client?.principal.id ?? '' }
    // The path names a service principal of the caller's tenant, the body one of another.
    const own = target === 'outsider' ? role.resourceId : body[ownerOf[side]]
    const isReversed = target === 'outsider' && side === 'appRoleAssignments'
    if (!isReversed) return { path: `/servicePrincipals/${own}/${side}`, body }
    const swapped = { ...body, principalId: receiver.principal.id, resourceId: body.principalId }
    return { path: `/servicePrincipals/${swapped.principalId}/${side}`, body: swapped }
  }

/** An existing assignment: of the tested role, or of the tested object. */
const onAssignment =
  (side: Side): Ask =>
  async (scene, target) => {
    const { commit, receiver, roleIds, runtime } = scene
    const { directory } = scene.log
    const role = roleIds[target]
    const api = directory.servicePrincipal(role?.resourceId ?? '')
    const made =
      role && api && newAppRoleAssignment(receiver.principal, api, role.appRoleId, runtime)
    if (made !== undefined) await commit(put('appRoleAssignment', made))
    const client = principalOf(scene, target === 'api' ? 'more' : target)
    const one = made ?? directory.assignmentsOf(client?.id ?? '')[0]
    return { path: `/servicePrincipals/${one?.[ownerOf[side]]}/${side}/${one?.id}` }
  }

/** A grant of the tested client. */
const onGrant =
  (body?: unknown): Ask =>
  async (scene, target) => {
    const client = principalOf(scene, target)
    const id = grantId(client?.id ?? '', scene.runtime)
    const consent = {
      id,
      consentType: 'AllPrincipals' as const,
      principalId: null,
      scope: 'Orders.Read',
      resourceId: scene.receiver.principal.id,
    }
    if (client !== undefined) {
      await scene.commit(put('servicePrincipal', { ...client, delegatedConsents: [consent] }))
    }
    return { path: `/oauth2PermissionGrants/${id}`, body }
  }

const policyId = policy(0x90).id
const policyKinds = {
  appManagementPolicies: 'appManagement',
  tokenLifetimePolicies: 'tokenLifetime',
  claimsMappingPolicies: 'claimsMapping',
} as const
const definition = ['{"TokenLifetimePolicy":{"Version":1,"AccessTokenLifetime":"08:00:00"}}']
const mapping = ['{"ClaimsMappingPolicy":{"Version":1}}']

/** On the one policy of the tenant, which is assigned to the object that the operation takes it from. */
const onPolicy =
  (template: string, set: keyof typeof policyKinds, body?: unknown): Ask =>
  async (scene, target) => {
    const [{ commit, log }, kind] = [scene, policyKinds[set]]
    const definitions = { appManagement: {}, tokenLifetime: definition, claimsMapping: mapping }
    const policies = [policy(0x90, { kind, definition: definitions[kind] })]
    await commit(put('tenant', { ...(log.directory.tenant(contoso.id) ?? contoso), policies }))
    const isOfPrincipal = template.startsWith('/servicePrincipals')
    const [one, other] = [applicationOf(scene, target), principalOf(scene, target)]
    if (template.endsWith('{policy}/$ref')) {
      const policyIds = [policyId]
      if (isOfPrincipal && other) await commit(put('servicePrincipal', { ...other, policyIds }))
      if (!isOfPrincipal && one) await commit(put('application', { ...one, policyIds }))
    }
    const id = (isOfPrincipal ? other : one)?.id ?? ''
    return { path: template.replace('{id}', id).replace('{policy}', policyId), body }
  }

const sponsor = { '@odata.id': `https://login.example/v1.0/groups/${contoso.id}` }

/** The bodies of the requests that require one. */
export const bodies: Readonly<Record<string, unknown>> = {
  'POST /$batch': { requests: [] },
  'POST /directoryObjects/getByIds': { ids: [] },
  'POST /directoryObjects/getAvailableExtensionProperties': {},
  'POST /applications': { displayName: 'New' },
  'PATCH /applications/{id}': { displayName: 'Other' },
  'POST /applications/{id}/addPassword': {},
  'POST /servicePrincipals/{id}/addPassword': {},
  'POST /applications/{id}/federatedIdentityCredentials': trusted,
  'PATCH /applications/{id}/federatedIdentityCredentials/{credential}': { subject: 'other' },
  'PATCH /servicePrincipals/{id}': { accountEnabled: false },
  'POST /applicationTemplates/{id}/instantiate': { displayName: 'New' },
  'POST /applications/{id}/sponsors/$ref': sponsor,
  'POST /servicePrincipals/{id}/sponsors/$ref': sponsor,
  'POST /applications/{id}/inheritablePermissions': { resourceAppId: fabrikam.id },
  'PATCH /applications/{id}/inheritablePermissions/{resource}': {
    inheritableRoles: { kind: 'none' },
  },
  'PATCH /policies/defaultAppManagementPolicy': { isEnabled: true },
  'POST /policies/appManagementPolicies': { displayName: 'New', restrictions: {} },
  'POST /policies/tokenLifetimePolicies': { displayName: 'New', definition },
  'POST /policies/claimsMappingPolicies': { displayName: 'New', definition: mapping },
  ...authorityBodies,
  'POST /applications/{id}/extensionProperties': newExtension,
  'POST /keys/reencrypt': { keyEncryptionKey: Buffer.alloc(32, 1).toString('base64') },
}

const idOf = (scene: Scene, target: Target, path: string) => {
  if (path.startsWith('/applicationTemplates')) return '8adf8e6e-67b2-4cf2-a259-e3dc5476c621'
  if (path.startsWith('/users')) return 'mei@contoso.example'
  if (path.startsWith('/organization')) return contoso.id
  if (path.startsWith('/domains')) return contoso.domains[0]
  if (path.startsWith('/tenants')) return scene.tenantIds[target]
  return (path.startsWith('/servicePrincipals') ? principalOf : applicationOf)(scene, target)?.id
}

/** The request for the object in the path of an operation. */
const askByPath =
  (operation: Operation): Ask =>
  (scene, target) => ({
    path: operation.path
      .replace(
        '{property}/{key}',
        `findTenantInformationByTenantId(tenantId='${scene.tenantIds[target] ?? contoso.id}')`,
      )
      .replace('{id}', `${idOf(scene, target, operation.path)}`)
      .replace('{credential}', 'first')
      .replace('{extension}', extension.id)
      .replace('{owner}', sponsorId)
      .replace('{resource}', contoso.id)
      .replace('{kid}', 'key')
      .replace('{navigation}', 'ownedObjects')
      .replace('{property}', 'displayName'),
    body: bodies[nameOf(operation)],
  })

const withoutCast = (name: string) => name.replace(/\/microsoft\.graph\.agent\w+/, '')

/** Builds the request of an operation without a cast, with the cast of another operation. */
export function askOf(operation: Operation): Ask {
  const { cast } = operation
  const known = asks[nameOf(operation)]
  if (known !== undefined || cast === undefined) return known ?? askByPath(operation)
  const base = withoutCast(nameOf(operation))
  const ask = asks[base]
  if (ask === undefined) {
    return (scene, target) => ({ ...askByPath(operation)(scene, target), body: bodies[base] })
  }
  return async (scene, target) => {
    const { path, body } = await ask(scene, target)
    return { path: castTo(path, cast), body }
  }
}

/** A request with the proof of a certificate that the object gets. */
const withProof =
  (set: 'applications' | 'servicePrincipals', action: 'addKey' | 'removeKey'): Ask =>
  async ({ commit, runtime, things }, target) => {
    const { application, principal } = things[target] ?? {}
    const [present, added] = [await certifiedKeyOf('Present'), await certificateOf('Added')]
    const keyCredentials = [present.credential]
    const kept = set === 'applications' ? application : principal
    if (set === 'applications' && application) {
      await commit(put('application', { ...application, keyCredentials }))
    } else if (principal) {
      await commit(put('servicePrincipal', { ...principal, keyCredentials }))
    }
    const key = Buffer.from(added.certificate).toString('base64')
    const proof = proofOf(present, `${kept?.id}`, runtime.now())
    const body =
      action === 'addKey'
        ? { keyCredential: { type: 'AsymmetricX509Cert', usage: 'Verify', key }, proof }
        : { keyId: present.credential.keyId, proof }
    return { path: `/${set}/${kept?.id}/${action}`, body }
  }

/** The requests that need more than the path. */
const asks: Readonly<Record<string, Ask>> = {
  'POST /applications/{id}/removePassword': (scene, target) => {
    const { id, passwordCredentials } = applicationOf(scene, target) ?? {}
    const keyId = passwordCredentials?.[0]?.keyId ?? contoso.id
    return { path: `/applications/${id}/removePassword`, body: { keyId } }
  },
  'POST /servicePrincipals/{id}/removePassword': async (scene, target) => {
    const principal = principalOf(scene, target)
    const secret = createPassword({}, scene.runtime).credential
    if (principal !== undefined) {
      const passwordCredentials = [secret]
      await scene.commit(put('servicePrincipal', { ...principal, passwordCredentials }))
    }
    return {
      path: `/servicePrincipals/${principal?.id}/removePassword`,
      body: { keyId: secret.keyId },
    }
  },
  'POST /applications/{id}/addKey': withProof('applications', 'addKey'),
  'POST /applications/{id}/removeKey': withProof('applications', 'removeKey'),
  'POST /servicePrincipals/{id}/addKey': withProof('servicePrincipals', 'addKey'),
  'POST /servicePrincipals/{id}/removeKey': withProof('servicePrincipals', 'removeKey'),
  'POST /servicePrincipals': async (scene, target) => {
    const { commit, runtime } = scene
    const fresh = newApplication({
      id: runtime.newGuid(),
      tenantId: contoso.id,
      appId: runtime.newGuid(),
      displayName: 'Fresh',
      createdDateTime: runtime.now(),
    })
    await commit(put('application', fresh))
    const { appId } = applicationOf(scene, target) ?? fresh
    return { path: '/servicePrincipals', body: { appId } }
  },
  'POST /applications/{id}/owners/$ref': (scene, target) => ({
    path: `/applications/${applicationOf(scene, target)?.id}/owners/$ref`,
    body: { '@odata.id': `https://login.example/v1.0/directoryObjects/${ownerId(scene)}` },
  }),
  'DELETE /applications/{id}/owners/{owner}/$ref': async (scene, target) => {
    const application = applicationOf(scene, target)
    const isOfOthers = target === 'api' || application === undefined
    if (!isOfOthers) {
      await scene.commit(put('application', { ...application, ownerIds: [ownerId(scene)] }))
    }
    return { path: `/applications/${application?.id}/owners/${ownerId(scene)}/$ref` }
  },
  'POST /servicePrincipals/{id}/owners/$ref': (scene, target) => ({
    path: `/servicePrincipals/${principalOf(scene, target)?.id}/owners/$ref`,
    body: { '@odata.id': `https://login.example/v1.0/directoryObjects/${ownerId(scene)}` },
  }),
  'DELETE /servicePrincipals/{id}/owners/{owner}/$ref': async (scene, target) => {
    const principal = principalOf(scene, target)
    if (target !== 'api' && principal !== undefined) {
      await scene.commit(put('servicePrincipal', { ...principal, ownerIds: [ownerId(scene)] }))
    }
    return { path: `/servicePrincipals/${principal?.id}/owners/${ownerId(scene)}/$ref` }
  },
  'POST /servicePrincipals/{id}/appRoleAssignedTo': assignTo('appRoleAssignedTo'),
  'GET /servicePrincipals/{id}/appRoleAssignedTo/{assignment}': onAssignment('appRoleAssignedTo'),
  'DELETE /servicePrincipals/{id}/appRoleAssignedTo/{assignment}':
    onAssignment('appRoleAssignedTo'),
  'POST /servicePrincipals/{id}/appRoleAssignments': assignTo('appRoleAssignments'),
  'GET /servicePrincipals/{id}/appRoleAssignments/{assignment}': onAssignment('appRoleAssignments'),
  'DELETE /servicePrincipals/{id}/appRoleAssignments/{assignment}':
    onAssignment('appRoleAssignments'),
  'POST /oauth2PermissionGrants': (scene, target) => ({
    path: '/oauth2PermissionGrants',
    body: {
      clientId: principalOf(scene, target)?.id,
      consentType: 'AllPrincipals',
      resourceId: scene.receiver.principal.id,
      scope: 'Orders.Read',
    },
  }),
  'GET /oauth2PermissionGrants/{grant}': onGrant(),
  'PATCH /oauth2PermissionGrants/{grant}': onGrant({ scope: 'Other' }),
  'DELETE /oauth2PermissionGrants/{grant}': onGrant(),
  'POST /applications/microsoft.graph.agentIdentityBlueprint': () => ({
    path: '/applications/microsoft.graph.agentIdentityBlueprint',
    body: { displayName: 'New', ...sponsored },
  }),
  'POST /servicePrincipals/microsoft.graph.agentIdentityBlueprintPrincipal': async (
    { commit, things, runtime },
    target,
  ) => {
    const blueprint = { sponsorIds: [sponsorId], inheritablePermissions: [] }
    const fresh = newApplication({
      id: runtime.newGuid(),
      tenantId: contoso.id,
      appId: runtime.newGuid(),
      displayName: 'Fresh',
      createdDateTime: runtime.now(),
      blueprint,
    })
    await commit(put('application', fresh))
    const { appId } = things[target]?.application ?? fresh
    return {
      path: '/servicePrincipals/microsoft.graph.agentIdentityBlueprintPrincipal',
      body: { appId },
    }
  },
  'POST /servicePrincipals/microsoft.graph.agentIdentity': ({ things }) => ({
    path: '/servicePrincipals/microsoft.graph.agentIdentity',
    body: {
      displayName: 'New',
      agentIdentityBlueprintId: things.agent?.application.appId,
      ...sponsored,
    },
  }),
  ...Object.fromEntries(
    (Object.keys(policyKinds) as (keyof typeof policyKinds)[]).flatMap((set) =>
      [
        `GET /policies/${set}/{policy}`,
        `PATCH /policies/${set}/{policy}`,
        `DELETE /policies/${set}/{policy}`,
        `GET /policies/${set}/{policy}/appliesTo`,
        ...['applications', 'servicePrincipals'].flatMap((objects) => [
          `POST /${objects}/{id}/${set}`,
          `DELETE /${objects}/{id}/${set}/{policy}/$ref`,
        ]),
      ].map((operation) => {
        const [method = '', path = ''] = operation.split(' ')
        const POST = { '@odata.id': `https://login.example/v1.0/policies/${set}/${policyId}` }
        return [operation, onPolicy(path, set, { PATCH: {}, POST }[method])]
      }),
    ),
  ),
  ...authorityAsks,
  'POST /tenants': (_, target) => ({
    path: '/tenants',
    body: { displayName: 'New', ...(target === 'chosenId' ? { id: ownerTenantId } : {}) },
  }),
  'GET /credentials': () => ({
    path: '/credentials?from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z',
  }),
  'PATCH /tenants/{id}': ({ tenantIds }, target) => ({
    path: `/tenants/${tenantIds[target]}`,
    body: target === 'ownTenant' ? { displayName: 'Other' } : { isEnabled: false },
  }),
}
