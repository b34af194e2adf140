import { randomUUID } from 'node:crypto'
import { addKey, assign, oneAssignment, removeKey } from './authority-moves.ts'
import type { Target } from './judge-answer.ts'
import {
  type Answer,
  learnApplication,
  learnPrincipal,
  type MoveContext,
  type Objects,
  objectsFor,
  type SeenPart,
  type Special,
  saw,
  seenPart,
  targetOf,
  text,
} from './move.ts'
import { authorityOf } from './observed-directory.ts'

const applicationBodies = ({ random, certificate }: MoveContext): object =>
  random.oneOf<object>([
    {},
    { notes: 'changed' },
    { signInAudience: 'AzureADMultipleOrgs' },
    { signInAudience: 'AzureADMyOrg' },
    { isFallbackPublicClient: random.isLikely(0.5) },
    { keyCredentials: [{ type: 'AsymmetricX509Cert', usage: 'Verify', key: certificate.base64 }] },
    { keyCredentials: [] },
    { appRoles: [] },
  ])

const changeApplication: Special = (context, { application }) => {
  const body = applicationBodies(context) as { signInAudience?: string; keyCredentials?: object[] }
  const addsCredential = (body.keyCredentials?.length ?? 0) > 0
  return {
    body,
    target: { application, addsCredential },
    onSuccess: () => {
      const one = context.directory.applications.get(application)
      if (one && addsCredential) context.learn(one.appId, context.certificate)
      if (one && body.signInAudience) one.isMultiTenant = body.signInAudience.endsWith('Orgs')
    },
  }
}

const upsertApplication: Special = (context) => {
  const uniqueName = `unique-${context.random.below(1e9)}`
  return {
    path: `/applications(uniqueName='${uniqueName}')`,
    body: { displayName: uniqueName },
    headers: { prefer: 'create-if-missing' },
    target: {},
    onSuccess: (answer) => learnApplication(context, answer, false),
  }
}

const addPassword =
  (kind: keyof Objects): Special =>
  (context, objects) => ({
    body: { passwordCredential: { displayName: 'attack' } },
    onSuccess: (answer) => {
      const { directory, learn } = context
      saw(context, 'secret', objects[kind], answer.keyId)
      const principal = directory.principals.get(objects.principal)
      if (kind === 'application')
        learn(directory.applications.get(objects.application)?.appId ?? '', text(answer.secretText))
      else learn(principal?.appId ?? '', text(answer.secretText), principal?.tenantId)
    },
  })

/** A request for a part of an object, below `/applications/{id}/` or `/servicePrincipals/{id}/`. */
const part =
  (kind: SeenPart['kind'], pathOf: (one: SeenPart) => string, body?: object): Special =>
  (context) => {
    const one = seenPart(context, kind)
    if (one === undefined) return { body }
    const target = targetOf(context, one)
    const folder = target.application ? 'applications' : 'servicePrincipals'
    const path = kind === 'grant' ? pathOf(one) : `/${folder}/${one.of}${pathOf(one)}`
    return { path, body, target }
  }

const federatedCredential = (body?: object) =>
  part('federated', ({ id }) => `/federatedIdentityCredentials/${id}`, body)
const extension = part('extension', ({ id }) => `/extensionProperties/${id}`)
const ownerPart = part('owner', ({ id }) => `/owners/${id}/$ref`)
const grantPart = (body?: object) =>
  part('grant', ({ id }) => `/oauth2PermissionGrants/${id}`, body)

const removePassword: Special = (context) => {
  const one = seenPart(context, 'secret')
  if (one === undefined) return { body: { keyId: randomUUID() } }
  const draft = part('secret', () => '/removePassword')(context, objectsFor(context))
  return { ...draft, body: { keyId: one.id } }
}

const addOwner =
  (kind: keyof Objects): Special =>
  (context, objects) => {
    const owner = objectsFor(context).principal
    return {
      body: { '@odata.id': `https://graph.microsoft.com/v1.0/directoryObjects/${owner}` },
      onSuccess: () => saw(context, 'owner', objects[kind], owner),
    }
  }

const deletedItem =
  (change: 'restore' | 'purge' | 'none'): Special =>
  ({ random, directory, caller }, objects) => {
    const isNear = (tenantId: string) => tenantId === caller.tenantId || random.isLikely(0.2)
    const candidates = [
      ...[...directory.applications.values()]
        .filter((one) => one.isDeleted && isNear(one.homeTenantId))
        .map(({ id }) => ({ application: id })),
      ...[...directory.principals.values()]
        .filter((one) => one.isDeleted && isNear(one.tenantId))
        .map(({ id }) => ({ principal: id, isRestored: true })),
    ]
    const target: Target =
      candidates.length > 0
        ? random.oneOf<Target>(candidates)
        : { application: objects.application }
    const id = target.application ?? target.principal ?? ''
    const application = directory.applications.get(target.application ?? '')
    const principal = directory.principals.get(target.principal ?? '')
    return {
      path: `/directory/deletedItems/${id}${change === 'restore' ? '/restore' : ''}`,
      target,
      onSuccess: () => {
        if (change === 'restore') {
          if (application) application.isDeleted = false
          if (principal) principal.isDeleted = false
          return
        }
        if (change === 'none') return
        if (principal) directory.purgePrincipal(principal.id)
        if (application) {
          directory.applications.delete(application.id)
          for (const one of directory.principalsOf(application.appId))
            directory.purgePrincipal(one.id)
        }
      },
    }
  }

const createPrincipal: Special = (context) => {
  const { random, caller, directory } = context
  const application = random.oneOf([...directory.applications.values()])
  const isOffered = application.isMultiTenant || application.homeTenantId === caller.tenantId
  return {
    body: { appId: application.appId },
    target: isOffered ? {} : { application: application.id },
    onSuccess: (answer) => learnPrincipal(context, answer),
  }
}

const changePrincipal: Special = ({ random, certificate, directory, learn }, { principal }) => {
  const body = random.oneOf<{ accountEnabled?: boolean; keyCredentials?: object[] }>([
    { accountEnabled: false },
    { accountEnabled: true },
    { keyCredentials: [{ type: 'AsymmetricX509Cert', usage: 'Verify', key: certificate.base64 }] },
    { keyCredentials: [] },
  ])
  const addsCredential = (body.keyCredentials?.length ?? 0) > 0
  const one = directory.principals.get(principal)
  const keepsManagementApi = !addsCredential && (body.accountEnabled ?? true) === one?.isEnabled
  return {
    body,
    target: { principal, addsCredential, keepsManagementApi },
    onSuccess: () => {
      if (one && addsCredential) learn(one.appId, certificate, one.tenantId)
      if (one && body.accountEnabled !== undefined) one.isEnabled = body.accountEnabled
    },
  }
}

const grant: Special = (context, { principal }) => {
  const resourceId = objectsFor(context).principal
  return {
    body: { clientId: principal, consentType: 'AllPrincipals', resourceId, scope: 'a' },
    target: { principal },
    onSuccess: (answer) => saw(context, 'grant', principal, answer.id),
  }
}

const deleteApplication: Special = ({ directory }, { application }) => ({
  onSuccess: () => {
    const one = directory.applications.get(application)
    if (one === undefined) return
    one.isDeleted = true
    for (const principal of directory.principalsOf(one.appId))
      if (principal.tenantId === one.homeTenantId) principal.isDeleted = true
  },
})

/** The parts of an operation's requests, besides the path. */
export const specialMoves: Readonly<Record<string, Special>> = {
  'graph POST /directoryObjects/getByIds': ({ directory }) => ({
    body: { ids: [...directory.principals.keys()].slice(0, 50) },
    target: {},
  }),
  'graph POST /applications': (context) => {
    const body = { displayName: 'New', ...applicationBodies(context) } as {
      signInAudience?: string
    }
    const withSecret = context.random.isLikely(0.3) ? { passwordCredentials: [{}] } : {}
    return {
      body: { ...body, ...withSecret },
      onSuccess: (answer) =>
        learnApplication(context, answer, body.signInAudience?.endsWith('Orgs') ?? false),
    }
  },
  'graph PATCH /applications/{id}': (context, objects) =>
    context.random.isLikely(0.2)
      ? upsertApplication(context, objects)
      : changeApplication(context, objects),
  'graph DELETE /applications/{id}': deleteApplication,
  'graph DELETE /directoryObjects/{id}': deleteApplication,
  'graph POST /applications/{id}/addPassword': addPassword('application'),
  'graph POST /servicePrincipals/{id}/addPassword': addPassword('principal'),
  'graph POST /applications/{id}/addKey': addKey('application'),
  'graph POST /servicePrincipals/{id}/addKey': addKey('principal'),
  'graph POST /applications/{id}/removeKey': removeKey('application'),
  'graph POST /servicePrincipals/{id}/removeKey': removeKey('principal'),
  'graph POST /applications/{id}/removePassword': removePassword,
  'graph POST /servicePrincipals/{id}/removePassword': removePassword,
  'graph POST /applications/{id}/federatedIdentityCredentials': (context, { application }) => {
    const { random, caller, directory, origin } = context
    const own = directory.principalsOf(caller.appId).find((one) => one.tenantId === caller.tenantId)
    const other = directory.principals.get(objectsFor(context).principal)
    const trusted = random.isLikely(0.6) ? own : other
    return {
      body: {
        name: `attack-${random.below(1e9)}`,
        issuer: `${origin}/${caller.tenantId}/v2.0`,
        subject: trusted?.id,
        audiences: ['api://AzureADTokenExchange'],
      },
      onSuccess: (answer) => {
        saw(context, 'federated', application, answer.id)
        const { appId = '' } = directory.applications.get(application) ?? {}
        context.trusts(appId, trusted?.appId ?? '')
      },
    }
  },
  'graph PATCH /applications/{id}/federatedIdentityCredentials/{credential}': (
    context,
    objects,
  ) => {
    const { random } = context
    const issuer = 'https://issuer.example'
    const body = {
      issuer,
      subject: `${random.below(1e9)}`,
      audiences: ['api://AzureADTokenExchange'],
    }
    if (random.isLikely(0.5)) return federatedCredential(body)(context, objects)
    return { body, headers: { prefer: 'create-if-missing' } }
  },
  'graph GET /applications/{id}/federatedIdentityCredentials/{credential}': federatedCredential(),
  'graph DELETE /applications/{id}/federatedIdentityCredentials/{credential}':
    federatedCredential(),
  'graph POST /applications/{id}/extensionProperties': (context, { application }) => ({
    body: { name: `job${context.random.below(1e9)}`, dataType: 'String', targetObjects: ['User'] },
    onSuccess: (answer) => saw(context, 'extension', application, answer.id),
  }),
  'graph GET /applications/{id}/extensionProperties/{extension}': extension,
  'graph DELETE /applications/{id}/extensionProperties/{extension}': extension,
  'graph POST /directory/deletedItems/{id}/restore': deletedItem('restore'),
  'graph DELETE /directory/deletedItems/{id}': deletedItem('purge'),
  'graph GET /directory/deletedItems/{id}': deletedItem('none'),
  'graph POST /servicePrincipals': createPrincipal,
  'graph PATCH /servicePrincipals/{id}': changePrincipal,
  'graph DELETE /servicePrincipals/{id}': ({ directory }, { principal }) => ({
    onSuccess: () => {
      const one = directory.principals.get(principal)
      if (one) one.isDeleted = true
    },
  }),
  'graph POST /applications/{id}/owners/$ref': addOwner('application'),
  'graph POST /servicePrincipals/{id}/owners/$ref': addOwner('principal'),
  'graph DELETE /applications/{id}/owners/{owner}/$ref': ownerPart,
  'graph DELETE /servicePrincipals/{id}/owners/{owner}/$ref': ownerPart,
  'graph GET /applications/$count': () => ({ headers: { consistencylevel: 'eventual' } }),
  'graph GET /servicePrincipals/$count': () => ({ headers: { consistencylevel: 'eventual' } }),
  'graph POST /servicePrincipals/{id}/appRoleAssignedTo': assign('resource'),
  'graph POST /servicePrincipals/{id}/appRoleAssignments': assign('client'),
  ...Object.fromEntries(
    Object.entries({
      appRoleAssignedTo: 'resource',
      appRoleAssignments: 'client',
    } as const).flatMap(([segment, side]) =>
      ['GET', 'DELETE'].map((method) => [
        `graph ${method} /servicePrincipals/{id}/${segment}/{assignment}`,
        oneAssignment(side, method === 'DELETE'),
      ]),
    ),
  ),
  'graph POST /oauth2PermissionGrants': grant,
  'graph GET /oauth2PermissionGrants': (_context, { principal }) => ({
    path: `/oauth2PermissionGrants?$filter=clientId eq '${principal}'`,
    target: {},
  }),
  'graph GET /oauth2PermissionGrants/{grant}': grantPart(),
  'graph PATCH /oauth2PermissionGrants/{grant}': grantPart({ scope: 'b' }),
  'graph DELETE /oauth2PermissionGrants/{grant}': grantPart(),
  'graph POST /applicationTemplates/{id}/instantiate': (context) => ({
    path: '/applicationTemplates/8adf8e6e-67b2-4cf2-a259-e3dc5476c621/instantiate',
    body: { displayName: 'Of a template' },
    target: {},
    onSuccess: ({ application, servicePrincipal }) => {
      learnApplication(context, application as Answer, false)
      learnPrincipal(context, servicePrincipal as Answer)
    },
  }),
  'server POST /keys/reencrypt': () => ({ body: { keyEncryptionKey: 'A'.repeat(43).concat('=') } }),
  'server GET /credentials': () => ({
    path: '/credentials?from=2026-01-01T00:00:00Z&to=2036-01-01T00:00:00Z',
  }),
  'server POST /tenants': ({ random }) => {
    const choosesTenantId = random.isLikely(0.5)
    return {
      body: { displayName: 'New', ...(choosesTenantId && { id: randomUUID() }) },
      target: { choosesTenantId },
    }
  },
  'server PATCH /tenants/{id}': ({ random, caller, tenantIds }) => {
    const tenantId = random.oneOf(tenantIds)
    const disablesTenant = tenantId === caller.tenantId && random.isLikely(0.5)
    return {
      path: `/tenants/${tenantId}`,
      body: disablesTenant ? { isEnabled: false } : { displayName: 'Renamed' },
      target: { disablesTenant, tenantId },
    }
  },
  'server POST /tenants/{id}/administrator': (context) => {
    const tenantId = context.random.oneOf(context.tenantIds)
    return {
      path: `/tenants/${tenantId}/administrator`,
      target: { tenantId },
      onSuccess: async ({ clientId, clientSecret }) => {
        await context.observe(tenantId, text(clientId))
        context.learn(text(clientId), text(clientSecret))
        for (const { name } of context.roles.graph)
          context.given(text(clientId), authorityOf(tenantId, 'graph', name))
      },
    }
  },
}
