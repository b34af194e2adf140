import {
  type Application,
  graphAppId,
  ownerTenantId,
  privilegedApiAppIds,
  type ServicePrincipal,
} from '@greeting/directory'
import { sponsored } from '../graph/agents/sample-agents.ts'
import { contoso, fabrikam } from '../sample-graph.ts'
import { agentAsks, newAgent } from './agent-steps.ts'
import {
  type Asked,
  application,
  oneOf,
  principal,
  type Scene,
  type Step,
} from './authority-scene.ts'
import { certifiedBy, proofOf } from './certificate-of.ts'
import { ownIssuer } from './held-authority.ts'
import { policySteps } from './policy-steps.ts'
import { declaredRoles, sharedCertificate } from './sample-callers.ts'

const variantOf = (variants: readonly object[], { variant }: Step): object =>
  oneOf(variants, variant) ?? {}

const onApplication =
  (suffix: string, body?: (scene: Scene, one: Application) => unknown) =>
  (scene: Scene): Asked | undefined => {
    const one = application(scene)
    return one && { path: `/applications/${one.id}${suffix}`, body: body?.(scene, one) }
  }

const onPrincipal =
  (suffix: string, body?: (scene: Scene, one: ServicePrincipal) => unknown) =>
  (scene: Scene): Asked | undefined => {
    const one = principal(scene)
    return one && { path: `/servicePrincipals/${one.id}${suffix}`, body: body?.(scene, one) }
  }

/** The last owner of an object, or any ID: then the object is not found. */
const lastOwner = ({ ownerIds }: Application | ServicePrincipal) => ownerIds.at(-1) ?? contoso.id

const newOwner = ({ directory, step, tenantId }: Scene) => {
  const owner = oneOf([...directory.servicePrincipalsOf(tenantId)], step.role)
  return { '@odata.id': `https://graph.microsoft.com/v1.0/directoryObjects/${owner?.id}` }
}

const delegatedConsent = ({ directory, step, tenantId }: Scene) => {
  const all = [...directory.servicePrincipalsOf(tenantId)]
  return {
    clientId: oneOf(all, step.object)?.id,
    resourceId: oneOf(all, step.role)?.id,
    consentType: 'AllPrincipals',
    scope: 'User.Read',
  }
}

const onDelegatedConsent =
  (body?: object) =>
  ({ directory, step, tenantId }: Scene): Asked | undefined => {
    const all = [...directory.servicePrincipalsOf(tenantId)]
    const one = oneOf(
      all.flatMap(({ delegatedConsents }) => delegatedConsents),
      step.role,
    )
    return one && { path: `/oauth2PermissionGrants/${one.id}`, body }
  }

const onDeletedItem =
  (suffix: string) =>
  (scene: Scene): Asked | undefined => {
    const one = scene.step.variant % 2 === 0 ? application(scene) : principal(scene)
    return one && { path: `/directory/deletedItems/${one.id}${suffix}` }
  }

/** A credential for a token of the person's own issuer, or of another client of the tenant. */
const trust = ({ directory, person: { name }, step, tenantId }: Scene) => ({
  ...(step.variant % 3 === 0
    ? {
        issuer: ownIssuer(tenantId),
        subject: oneOf([...directory.servicePrincipalsOf(tenantId)], step.role)?.id,
      }
    : { issuer: 'https://issuer.example', subject: name }),
  name: `trust-${step.variant}-${name.replaceAll(' ', '-')}`,
  audiences: ['api://AzureADTokenExchange'],
})

const onCredential =
  (body?: (scene: Scene) => unknown) =>
  (scene: Scene): Asked | undefined => {
    const one = application(scene)
    const credential = oneOf(one?.federatedIdentityCredentials ?? [], scene.step.role)
    const path = `/applications/${one?.id}/federatedIdentityCredentials/${credential?.id}`
    return credential && { path, body: body?.(scene) }
  }

/** The roles of a management API, each with the value of the next role. */
const turned = ({ appRoles }: Application) =>
  appRoles.map((role, index) => ({
    ...role,
    isEnabled: true,
    value: appRoles[(index + 1) % appRoles.length]?.value,
  }))

const apiChanges = (one: Application) => [
  { appRoles: one.appRoles.map((role) => ({ ...role, isEnabled: false })) },
  { appRoles: turned(one) },
  { appRoles: [] },
]

/** A list of certificates with that of the person, and those that are there. */
const withCertificate = ({ person }: Scene, one?: Application | ServicePrincipal) => ({
  keyCredentials: [
    ...(one?.keyCredentials ?? [])
      .filter(({ sha256Thumbprint }) => sha256Thumbprint !== person.certificate.sha256Thumbprint)
      .map(({ keyId }) => ({ keyId })),
    { key: Buffer.from(person.certificate.certificate).toString('base64') },
  ],
})

/** A proof with the certificate of the person if the object has it, else with the shared one. */
function ownProof({ person }: Scene, { id, keyCredentials }: Application | ServicePrincipal) {
  const { sha256Thumbprint } = person.certificate
  const isOwn = keyCredentials.some((one) => one.sha256Thumbprint === sha256Thumbprint)
  const certified = certifiedBy(isOwn ? person.certificate : sharedCertificate)
  return proofOf(certified, id, new Date('2026-02-01T12:00:00Z'))
}

const newKey = (scene: Scene, one: Application | ServicePrincipal) => ({
  keyCredential: {
    type: 'AsymmetricX509Cert',
    usage: 'Verify',
    key: Buffer.from(scene.person.certificate.certificate).toString('base64'),
  },
  proof: ownProof(scene, one),
})

const oldKey = (scene: Scene, one: Application | ServicePrincipal) => ({
  keyId: oneOf(one.keyCredentials, scene.step.role)?.keyId ?? contoso.id,
  proof: ownProof(scene, one),
})

const applicationChanges = (scene: Scene, one: Application) =>
  variantOf(
    one.appRoles.length > 0
      ? apiChanges(one)
      : [
          { displayName: 'Other' },
          { isFallbackPublicClient: true },
          { isFallbackPublicClient: false },
          { passwordAuthenticationAllowed: false },
          { passwordAuthenticationAllowed: true },
          { signInAudience: 'AzureADMultipleOrgs' },
          { signInAudience: 'AzureADMyOrg' },
          { keyCredentials: [] },
          withCertificate(scene, one),
          withCertificate(scene, one),
        ],
    scene.step,
  )

/** Creates an object by `PATCH` when no object has the key. */
const upsert = { prefer: 'create-if-missing' }

const consent =
  (own: 'principalId' | 'resourceId', segment: string) =>
  (scene: Scene): Asked | undefined => {
    const { directory, step, tenantId } = scene
    const appId = oneOf(privilegedApiAppIds, step.api) ?? graphAppId
    const resourceId = directory.servicePrincipalByAppId(tenantId, appId)?.id
    const principalId = principal(scene)?.id
    const appRoleId = oneOf(declaredRoles(directory, appId), step.role)?.id
    const body = { principalId, resourceId, appRoleId }
    return { path: `/servicePrincipals/${body[own]}/${segment}`, body }
  }

const withdrawal =
  (segment: string) =>
  (scene: Scene): Asked | undefined => {
    const client = principal(scene)
    const all = client === undefined ? [] : scene.directory.assignmentsOf(client.id)
    const one = oneOf(all, scene.step.role)
    const own = segment === 'appRoleAssignments' ? one?.principalId : one?.resourceId
    return one && { path: `/servicePrincipals/${own}/${segment}/${one.id}` }
  }

const aTenant = ({ directory, step }: Scene) =>
  oneOf([...directory.tenants()], step.object)?.id ?? contoso.id

/** Builds the request of each operation that changes something. */
export const asks: Readonly<Record<string, (scene: Scene) => Asked | undefined>> = {
  ...agentAsks,
  'POST /applications': (scene) => ({
    path: '/applications',
    body: {
      displayName: 'New',
      ...variantOf(
        [
          {},
          { signInAudience: 'AzureADMultipleOrgs' },
          { passwordCredentials: [{ displayName: 'first' }] },
          withCertificate(scene),
          { '@odata.type': '#microsoft.graph.agentIdentityBlueprint', ...sponsored },
        ],
        scene.step,
      ),
    },
  }),
  'POST /applicationTemplates/{id}/instantiate': () => ({
    path: '/applicationTemplates/8adf8e6e-67b2-4cf2-a259-e3dc5476c621/instantiate',
    body: { displayName: 'New' },
  }),
  'PATCH /applications/{id}': (scene) =>
    scene.step.variant === 39
      ? {
          path: `/applications(uniqueName='name-${scene.step.object}')`,
          body: { displayName: 'New', passwordCredentials: [{ displayName: 'first' }] },
          headers: upsert,
        }
      : onApplication('', applicationChanges)(scene),
  'DELETE /applications/{id}': onApplication(''),
  'DELETE /directoryObjects/{id}': (scene) => {
    const one = application(scene)
    return one && { path: `/directoryObjects/${one.id}` }
  },
  'POST /applications/{id}/addPassword': onApplication('/addPassword', () => ({})),
  'POST /applications/{id}/removePassword': onApplication('/removePassword', ({ step }, one) => ({
    keyId: oneOf(one.passwordCredentials, step.role)?.keyId,
  })),
  'POST /applications/{id}/addKey': onApplication('/addKey', newKey),
  'POST /applications/{id}/removeKey': onApplication('/removeKey', oldKey),
  'POST /servicePrincipals/{id}/addKey': onPrincipal('/addKey', newKey),
  'POST /servicePrincipals/{id}/removeKey': onPrincipal('/removeKey', oldKey),
  'POST /applications/{id}/federatedIdentityCredentials': onApplication(
    '/federatedIdentityCredentials',
    trust,
  ),
  'PATCH /applications/{id}/federatedIdentityCredentials/{credential}': onCredential(
    ({ person }) => ({ subject: person.name }),
  ),
  'DELETE /applications/{id}/federatedIdentityCredentials/{credential}': onCredential(),
  'POST /applications/{id}/extensionProperties': onApplication(
    '/extensionProperties',
    ({ step }) => ({
      name: `orders${step.variant}`,
      dataType: 'String',
      targetObjects: ['User'],
    }),
  ),
  'DELETE /applications/{id}/extensionProperties/{extension}': (scene) => {
    const one = application(scene)
    const extension = oneOf(one?.extensionProperties ?? [], scene.step.role)
    return extension && { path: `/applications/${one?.id}/extensionProperties/${extension.id}` }
  },
  'POST /directory/deletedItems/{id}/restore': onDeletedItem('/restore'),
  'DELETE /directory/deletedItems/{id}': onDeletedItem(''),
  'POST /servicePrincipals': (scene) => ({
    path: '/servicePrincipals',
    body:
      scene.step.variant % 4 === 3
        ? newAgent(scene)
        : {
            appId: scene.step.onFocus ? scene.principalAppId : application(scene)?.appId,
            ...variantOf([{}, withCertificate(scene)], scene.step),
          },
  }),
  'PATCH /servicePrincipals/{id}': (scene) =>
    scene.step.variant % 8 === 7
      ? {
          path: `/servicePrincipals(appId='${scene.principalAppId}')`,
          body: withCertificate(scene),
          headers: upsert,
        }
      : onPrincipal('', (_, one) =>
          variantOf(
            [
              { accountEnabled: false },
              { accountEnabled: true },
              { keyCredentials: [] },
              withCertificate(scene, one),
            ],
            scene.step,
          ),
        )(scene),
  'DELETE /servicePrincipals/{id}': onPrincipal(''),
  'POST /servicePrincipals/{id}/addPassword': onPrincipal('/addPassword', () => ({})),
  'POST /servicePrincipals/{id}/removePassword': onPrincipal(
    '/removePassword',
    ({ step }, one) => ({
      keyId: oneOf(one.passwordCredentials, step.role)?.keyId,
    }),
  ),
  ...policySteps,
  'POST /applications/{id}/owners/$ref': onApplication('/owners/$ref', newOwner),
  'DELETE /applications/{id}/owners/{owner}/$ref': (scene) => {
    const one = application(scene)
    return one && { path: `/applications/${one.id}/owners/${lastOwner(one)}/$ref` }
  },
  'POST /servicePrincipals/{id}/owners/$ref': onPrincipal('/owners/$ref', newOwner),
  'DELETE /servicePrincipals/{id}/owners/{owner}/$ref': (scene) => {
    const one = principal(scene)
    return one && { path: `/servicePrincipals/${one.id}/owners/${lastOwner(one)}/$ref` }
  },
  'POST /oauth2PermissionGrants': (scene) => ({
    path: '/oauth2PermissionGrants',
    body: delegatedConsent(scene),
  }),
  'PATCH /oauth2PermissionGrants/{grant}': onDelegatedConsent({ scope: 'User.ReadBasic.All' }),
  'DELETE /oauth2PermissionGrants/{grant}': onDelegatedConsent(),
  'POST /servicePrincipals/{id}/appRoleAssignedTo': consent('resourceId', 'appRoleAssignedTo'),
  'DELETE /servicePrincipals/{id}/appRoleAssignedTo/{assignment}': withdrawal('appRoleAssignedTo'),
  'POST /servicePrincipals/{id}/appRoleAssignments': consent('principalId', 'appRoleAssignments'),
  'DELETE /servicePrincipals/{id}/appRoleAssignments/{assignment}':
    withdrawal('appRoleAssignments'),
  'POST /keys/rotate': () => ({ path: '/keys/rotate' }),
  'POST /keys/{kid}/revoke': () => ({ path: '/keys/key/revoke' }),
  'POST /keys/reencrypt': () => ({
    path: '/keys/reencrypt',
    body: { keyEncryptionKey: Buffer.alloc(32).toString('base64') },
  }),
  'POST /tenants': ({ step }) => ({
    path: '/tenants',
    body: { displayName: 'New', ...variantOf([{}, { id: ownerTenantId }], step) },
  }),
  'PATCH /tenants/{id}': (scene) => ({
    path: `/tenants/${aTenant(scene)}`,
    body: variantOf(
      [{ isEnabled: true }, { isEnabled: false }, { domains: [fabrikam.id] }],
      scene.step,
    ),
  }),
  'POST /tenants/{id}/administrator': (scene) => ({
    path: `/tenants/${aTenant(scene)}/administrator`,
  }),
}
