import type { DirectoryStore } from '@greeting/directory/live'
import { graphOperations } from '../../src/management/graph/graph-operations.ts'
import { agentType, blueprintType, sponsored, sponsorId } from './graph/agents/sample-agents.ts'
import { role } from './graph/applications/sample-api.ts'
import { certificateOf, certifiedKeyOf, proofOf } from './privileges/certificate-of.ts'
import { newExtension } from './privileges/privilege-fixture.ts'
import { authorities, authorityBodies, lists } from './privileges/trusted-authority-samples.ts'
import { allGraphRoles, type Reply, sampleGraph } from './sample-graph.ts'

export const canary = 'canary-0123456789'
const policies = '/policies/appManagementPolicies'
const tokenPolicies = {
  tokenLifetimePolicies: ['{"TokenLifetimePolicy":{"Version":1}}'],
  claimsMappingPolicies: ['{"ClaimsMappingPolicy":{"Version":1}}'],
}
const inheritable = `/applications/{id}/${blueprintType}/inheritablePermissions`

const present = await certifiedKeyOf('Present')
const keyOf = (credential: typeof present.credential) => ({
  type: 'AsymmetricX509Cert',
  usage: 'Verify',
  key: Buffer.from(credential.certificate).toString('base64'),
  keyId: credential.keyId,
})
const added = await certificateOf('Added')

const canaryIn = (collection: string) =>
  collection === lists ? { displayName: canary } : { issuer: canary }

/** A management API over a store, with an object of every kind and a client with all roles. */
export async function sampleWrites(store: DirectoryStore) {
  const sample = await sampleGraph({ store })
  const admin = await sample.clientWith(allGraphRoles)
  const { body: api } = await admin.post('/applications', {
    displayName: 'API',
    appRoles: [role()],
  })
  const { body: gone } = await admin.post('/applications', { displayName: 'Gone' })
  await admin.delete(`/applications/${gone.id}`)
  const { body: secret } = await admin.post(`/applications/${api.id}/addPassword`, {})
  const { body: principal } = await admin.post('/servicePrincipals', { appId: api.appId })
  const principalSecret = await admin.post(`/servicePrincipals/${principal.id}/addPassword`, {})
  const keys = { keyCredentials: [keyOf(present.credential)] }
  await admin.patch(`/applications/${api.id}`, keys)
  await admin.patch(`/servicePrincipals/${principal.id}`, keys)
  const owner = { '@odata.id': `https://login.example/directoryObjects/${admin.principalId}` }
  await admin.post(`/applications/${api.id}/owners/$ref`, owner)
  await admin.post(`/servicePrincipals/${principal.id}/owners/$ref`, owner)
  const { body: other } = await admin.post('/applications', { displayName: 'Owned' })
  const { body: owned } = await admin.post('/servicePrincipals', { appId: other.appId })
  const consent = { resourceId: principal.id, appRoleId: role().id }
  const assignedTo = `/servicePrincipals/${principal.id}/appRoleAssignedTo`
  const { body: assigned } = await admin.post(assignedTo, { ...consent, principalId: principal.id })
  const { body: bare } = await admin.post('/applications', { displayName: 'Bare' })
  const grant = await admin.post('/oauth2PermissionGrants', {
    clientId: principal.id,
    consentType: 'AllPrincipals',
    scope: 'Orders.Read',
    resourceId: principal.id,
  })
  const defined = await admin.post(`/applications/${api.id}/extensionProperties`, newExtension)
  const trusted = await admin.post(`/applications/${api.id}/federatedIdentityCredentials`, github)
  const { body: blueprint } = await admin.post(`/applications/${blueprintType}`, {
    displayName: 'Blueprint',
    ...sponsored,
  })
  await admin.post('/servicePrincipals', { appId: blueprint.appId })
  const { body: agent } = await admin.post(`/servicePrincipals/${agentType}`, {
    displayName: 'Agent',
    agentIdentityBlueprintId: blueprint.appId,
    ...sponsored,
  })
  const { body: policy } = await admin.post(policies, { displayName: 'Policy', restrictions: {} })
  const reference = { '@odata.id': `https://login.example/v1.0${policies}/${policy.id}` }
  await admin.post(`/applications/${api.id}/appManagementPolicies/$ref`, reference)
  await admin.post(`/servicePrincipals/${principal.id}/appManagementPolicies/$ref`, reference)
  const tokenPolicyIds = new Map<string, string>()
  for (const [set, definition] of Object.entries(tokenPolicies)) {
    const created = await admin.post(`/policies/${set}`, { displayName: 'Policy', definition })
    tokenPolicyIds.set(set, created.body.id)
    const ofSet = { '@odata.id': `/policies/${set}/${created.body.id}` }
    await admin.post(`/applications/${api.id}/${set}/$ref`, ofSet)
    await admin.post(`/servicePrincipals/${principal.id}/${set}/$ref`, ofSet)
  }
  const { body: list } = await admin.post(lists, authorityBodies[`POST ${lists}`] ?? {})
  const { body: all } = await admin.get(authorities.replace('{policy}', list.id))
  const [authority] = all.value
  await admin.post(inheritable.replace('{id}', blueprint.id), { resourceAppId: gone.appId })
  return {
    ...sample,
    admin,
    agent,
    blueprint,
    api,
    assigned,
    bare,
    consent,
    extensionId: defined.body.id,
    gone,
    grant: grant.body,
    owned,
    policy,
    principal,
    principalSecret: principalSecret.body,
    secret,
    listIds: { policy: list.id, authority: authority?.id ?? '' },
    tokenPolicyIds,
    trusted: trusted.body,
  }
}

/** Makes each change once, and each assignment from both sides. Paths with a cast share the changes of other paths. */
export const changesOnce = graphOperations.filter(
  (one) =>
    'change' in one &&
    (one.path.endsWith('/appRoleAssignedTo') ||
      graphOperations.findLast((other) => 'change' in other && other.change === one.change) ===
        one),
)

const github = {
  name: 'main-branch',
  issuer: 'https://token.actions.githubusercontent.com',
  subject: 'repo:contoso/job:ref:refs/heads/main',
  audiences: ['api://AzureADTokenExchange'],
}

type Sample = Awaited<ReturnType<typeof sampleWrites>>
/** One request of every kind of change. */
export const writes: Readonly<Record<string, (sample: Sample) => Promise<Reply>>> = {
  'DELETE /directoryObjects/{id}': ({ admin, api }) => admin.delete(`/directoryObjects/${api.id}`),
  ...Object.fromEntries(
    [`/applications/{id}/${blueprintType}`, `/servicePrincipals/{id}/${agentType}`].flatMap(
      (template) => {
        const pathOf = ({ agent, blueprint }: Sample) =>
          template.replace('{id}', template.startsWith('/a') ? blueprint.id : agent.id)
        return [
          [
            `POST ${template}/sponsors/$ref`,
            (sample: Sample) =>
              sample.admin.post(`${pathOf(sample)}/sponsors/$ref`, {
                '@odata.id': `https://login.example/v1.0/groups/${sample.api.id}`,
              }),
          ],
          [
            `DELETE ${template}/sponsors/{owner}/$ref`,
            (sample: Sample) => sample.admin.delete(`${pathOf(sample)}/sponsors/${sponsorId}/$ref`),
          ],
        ]
      },
    ),
  ),
  [`POST ${inheritable}`]: ({ admin, api, blueprint }) =>
    admin.post(inheritable.replace('{id}', blueprint.id), { resourceAppId: api.appId }),
  [`PATCH ${inheritable}/{resource}`]: ({ admin, blueprint, gone }) =>
    admin.patch(`${inheritable.replace('{id}', blueprint.id)}/${gone.appId}`, {}),
  [`DELETE ${inheritable}/{resource}`]: ({ admin, blueprint, gone }) =>
    admin.delete(`${inheritable.replace('{id}', blueprint.id)}/${gone.appId}`),
  'POST /applications': ({ admin }) => admin.post('/applications', { displayName: canary }),
  'PATCH /applications/{id}': ({ admin, api }) =>
    admin.patch(`/applications/${api.id}`, { displayName: canary }),
  'DELETE /applications/{id}': ({ admin, api }) => admin.delete(`/applications/${api.id}`),
  'POST /applications/{id}/addPassword': ({ admin, api }) =>
    admin.post(`/applications/${api.id}/addPassword`, {}),
  'POST /applications/{id}/removePassword': ({ admin, api, secret }) =>
    admin.post(`/applications/${api.id}/removePassword`, { keyId: secret.keyId }),
  'POST /servicePrincipals/{id}/addPassword': ({ admin, principal }) =>
    admin.post(`/servicePrincipals/${principal.id}/addPassword`, {}),
  'POST /servicePrincipals/{id}/removePassword': ({ admin, principal, principalSecret }) =>
    admin.post(`/servicePrincipals/${principal.id}/removePassword`, {
      keyId: principalSecret.keyId,
    }),
  ...Object.fromEntries(
    (['applications', 'servicePrincipals'] as const).flatMap((set) =>
      Object.entries({
        addKey: { keyCredential: keyOf(added) },
        removeKey: { keyId: present.credential.keyId },
      }).map(([action, body]) => [
        `POST /${set}/{id}/${action}`,
        ({ admin, api, clock, principal }: Sample) => {
          const { id } = set === 'applications' ? api : principal
          const proof = proofOf(present, id, clock.now)
          return admin.post(`/${set}/${id}/${action}`, { ...body, proof })
        },
      ]),
    ),
  ),
  'POST /applications/{id}/federatedIdentityCredentials': ({ admin, bare }) =>
    admin.post(`/applications/${bare.id}/federatedIdentityCredentials`, github),
  'PATCH /applications/{id}/federatedIdentityCredentials/{credential}': ({ admin, api, trusted }) =>
    admin.patch(`/applications/${api.id}/federatedIdentityCredentials/${trusted.id}`, {
      subject: 'other',
    }),
  'POST /applications/{id}/extensionProperties': ({ admin, bare }) =>
    admin.post(`/applications/${bare.id}/extensionProperties`, { ...newExtension, name: 'canary' }),
  'DELETE /applications/{id}/extensionProperties/{extension}': ({ admin, api, extensionId }) =>
    admin.delete(`/applications/${api.id}/extensionProperties/${extensionId}`),
  'DELETE /applications/{id}/federatedIdentityCredentials/{credential}': ({
    admin,
    api,
    trusted,
  }) => admin.delete(`/applications/${api.id}/federatedIdentityCredentials/${trusted.id}`),
  'POST /directory/deletedItems/{id}/restore': ({ admin, gone }) =>
    admin.post(`/directory/deletedItems/${gone.id}/restore`),
  'DELETE /directory/deletedItems/{id}': ({ admin, gone }) =>
    admin.delete(`/directory/deletedItems/${gone.id}`),
  'POST /servicePrincipals': ({ admin, bare }) =>
    admin.post('/servicePrincipals', { appId: bare.appId }),
  'PATCH /servicePrincipals/{id}': ({ admin, principal }) =>
    admin.patch(`/servicePrincipals/${principal.id}`, { accountEnabled: false }),
  'DELETE /servicePrincipals/{id}': ({ admin, principal }) =>
    admin.delete(`/servicePrincipals/${principal.id}`),
  ...Object.fromEntries(
    ['applications', 'servicePrincipals'].flatMap((set) => [
      [
        `POST /${set}/{id}/owners/$ref`,
        ({ admin, bare, owned }: Sample) => {
          const { id } = set === 'applications' ? bare : owned
          const owner = `https://login.example/v1.0/directoryObjects/${admin.principalId}`
          return admin.post(`/${set}/${id}/owners/$ref`, { '@odata.id': owner })
        },
      ],
      [
        `DELETE /${set}/{id}/owners/{owner}/$ref`,
        ({ admin, api, principal }: Sample) => {
          const { id } = set === 'applications' ? api : principal
          return admin.delete(`/${set}/${id}/owners/${admin.principalId}/$ref`)
        },
      ],
    ]),
  ),
  ...Object.fromEntries(
    ['appRoleAssignedTo', 'appRoleAssignments'].flatMap((segment) => [
      [
        `POST /servicePrincipals/{id}/${segment}`,
        ({ admin, consent }: Sample) => {
          const principalId = admin.principalId
          const own = segment === 'appRoleAssignedTo' ? consent.resourceId : principalId
          return admin.post(`/servicePrincipals/${own}/${segment}`, { ...consent, principalId })
        },
      ],
      [
        `DELETE /servicePrincipals/{id}/${segment}/{assignment}`,
        ({ admin, assigned, principal }: Sample) =>
          admin.delete(`/servicePrincipals/${principal.id}/${segment}/${assigned.id}`),
      ],
    ]),
  ),
  'POST /oauth2PermissionGrants': ({ admin, owned }) =>
    admin.post('/oauth2PermissionGrants', {
      clientId: owned.id,
      consentType: 'AllPrincipals',
      resourceId: owned.id,
    }),
  'PATCH /oauth2PermissionGrants/{grant}': ({ admin, grant }) =>
    admin.patch(`/oauth2PermissionGrants/${grant.id}`, { scope: canary }),
  'DELETE /oauth2PermissionGrants/{grant}': ({ admin, grant }) =>
    admin.delete(`/oauth2PermissionGrants/${grant.id}`),
  'POST /applicationTemplates/{id}/instantiate': ({ admin }) =>
    admin.post('/applicationTemplates/8adf8e6e-67b2-4cf2-a259-e3dc5476c621/instantiate', {
      displayName: canary,
    }),
  'PATCH /policies/defaultAppManagementPolicy': ({ admin }) =>
    admin.patch('/policies/defaultAppManagementPolicy', { displayName: canary }),
  'POST /policies/appManagementPolicies': ({ admin }) =>
    admin.post(policies, { displayName: canary, restrictions: {} }),
  'PATCH /policies/appManagementPolicies/{policy}': ({ admin, policy }) =>
    admin.patch(`${policies}/${policy.id}`, { displayName: canary }),
  'DELETE /policies/appManagementPolicies/{policy}': ({ admin, policy }) =>
    admin.delete(`${policies}/${policy.id}`),
  ...Object.fromEntries(
    ['applications', 'servicePrincipals'].flatMap((set) => [
      [
        `POST /${set}/{id}/appManagementPolicies`,
        ({ admin, bare, owned, policy }: Sample) =>
          admin.post(
            `/${set}/${(set === 'applications' ? bare : owned).id}/appManagementPolicies/$ref`,
            { '@odata.id': `https://login.example/v1.0${policies}/${policy.id}` },
          ),
      ],
      [
        `DELETE /${set}/{id}/appManagementPolicies/{policy}/$ref`,
        ({ admin, api, policy, principal }: Sample) =>
          admin.delete(
            `/${set}/${(set === 'applications' ? api : principal).id}/appManagementPolicies/${policy.id}/$ref`,
          ),
      ],
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(tokenPolicies).flatMap(([set, definition]) => [
      [
        `POST /policies/${set}`,
        ({ admin }: Sample) => admin.post(`/policies/${set}`, { displayName: canary, definition }),
      ],
      [
        `PATCH /policies/${set}/{policy}`,
        ({ admin, tokenPolicyIds }: Sample) =>
          admin.patch(`/policies/${set}/${tokenPolicyIds.get(set)}`, { displayName: canary }),
      ],
      [
        `DELETE /policies/${set}/{policy}`,
        ({ admin, tokenPolicyIds }: Sample) =>
          admin.delete(`/policies/${set}/${tokenPolicyIds.get(set)}`),
      ],
      ...(set === 'claimsMappingPolicies'
        ? ['servicePrincipals']
        : ['applications', 'servicePrincipals']
      ).flatMap((objects) => [
        [
          `POST /${objects}/{id}/${set}`,
          ({ admin, bare, owned, tokenPolicyIds }: Sample) =>
            admin.post(
              `/${objects}/${(objects === 'applications' ? bare : owned).id}/${set}/$ref`,
              { '@odata.id': `/policies/${set}/${tokenPolicyIds.get(set)}` },
            ),
        ],
        [
          `DELETE /${objects}/{id}/${set}/{policy}/$ref`,
          ({ admin, api, principal, tokenPolicyIds }: Sample) =>
            admin.delete(
              `/${objects}/${(objects === 'applications' ? api : principal).id}/${set}/${tokenPolicyIds.get(set)}/$ref`,
            ),
        ],
      ]),
    ]),
  ),
  ...Object.fromEntries(
    [`${lists}/{policy}`, `${authorities}/{authority}`].flatMap((template) => {
      const pathOf = ({ listIds }: Sample) =>
        template.replace('{policy}', listIds.policy).replace('{authority}', listIds.authority)
      const collection = template.replace(/\/\{\w+\}$/, '')
      const body = { ...authorityBodies[`POST ${collection}`], ...canaryIn(collection) }
      return [
        [
          `POST ${collection}`,
          ({ admin, listIds }: Sample) =>
            admin.post(collection.replace('{policy}', listIds.policy), body),
        ],
        [`PATCH ${template}`, (one: Sample) => one.admin.patch(pathOf(one), canaryIn(collection))],
        [`DELETE ${template}`, (one: Sample) => one.admin.delete(pathOf(one))],
      ]
    }),
  ),
}
