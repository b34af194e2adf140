import { comparedBody, valuesOf } from '../compared-properties.ts'
import { type AppRole, application, servicePrincipal } from '../directory/directory-state.ts'
import type { Change, ChangeKind, ChangeOf, PropertyChange } from '../planning/steps/change.ts'
import { applicationIdPlaceholder } from '../registrations-file.ts'
import type { ApplyContext } from './apply-context.ts'
import { type GraphRefusalError, ignoreRefusal, parseAnswer, writesApplications } from './graph.ts'
import {
  addPassword,
  keepPasswords,
  type NewSecretChange,
  newPasswords,
  passwordCredential,
  removePassword,
} from './new-secrets.ts'

const blueprints = '/applications/microsoft.graph.agentIdentityBlueprint'
const agents = '/servicePrincipals/microsoft.graph.agentIdentity'

/** Sponsors by reference, in the form of Graph. */
const sponsorsBody = (sponsors: readonly string[]) => ({
  'sponsors@odata.bind': sponsors.map((id) => `https://graph.microsoft.com/v1.0/users/${id}`),
})

/**
 * Creates an application with its permissions and its secrets in one request. Its unique name is secret:
 * only this run, or a killed one, can have created an application with it, so it may be repeated.
 */
async function createApplication(
  { application: displayName, sponsors, ...given }: ChangeOf<'createApplication'>,
  run: ApplyContext,
): Promise<void> {
  const line = { method: 'POST', path: sponsors ? blueprints : '/applications' } as const
  const included = run.initialChanges(displayName)
  const permissions = included.find((one) => one.kind === 'setPermissions')
  const secrets = included.filter((one) => one.kind === 'createSecret')
  const uniqueName = run.uniqueName(displayName)
  const body = {
    displayName,
    uniqueName,
    signInAudience: 'AzureADMyOrg',
    ...(sponsors && sponsorsBody(sponsors)),
    ...comparedBody(valuesOf('application', given)),
    ...(permissions && { requiredResourceAccess: requiredResourceAccess(permissions, run) }),
    ...(secrets.length > 0 && {
      passwordCredentials: secrets.map((one) => passwordCredential(one, run)),
    }),
  }
  const answer = await run
    .send({ ...line, body, role: writesApplications, repeatable: true })
    .catch(ignoreRefusal(isPresent))
  if (answer === undefined) await takeOver(uniqueName, displayName, secrets, run)
  else {
    const { id, appId } = parseAnswer(line, application, answer.body)
    run.register(displayName, { objectId: id, appId, servicePrincipalId: undefined })
    if (secrets.length > 0)
      await keepPasswords(secrets, parseAnswer(line, newPasswords, answer.body), run)
  }
  await run.recordNew(displayName)
  for (const change of included) run.done.add(change)
}

const isPresent = ({ reason }: GraphRefusalError) =>
  /same value for property uniqueName/.test(reason)

/** Continues with an application whose answer was lost. So were the texts of its secrets: it gets new ones. */
async function takeOver(
  uniqueName: string,
  displayName: string,
  secrets: readonly NewSecretChange[],
  run: ApplyContext,
): Promise<void> {
  const present = { method: 'GET', path: `/applications(uniqueName='${uniqueName}')` } as const
  const { body } = await run.send({ ...present, repeatable: true, expectsLag: true })
  const { id, appId, passwordCredentials } = parseAnswer(present, application, body)
  run.register(displayName, { objectId: id, appId, servicePrincipalId: undefined })
  for (const { keyId } of passwordCredentials) await removePassword(run, id, keyId)
  for (const secret of secrets) await addPassword(secret, run)
}

/** The permissions of a client, in the form of Graph. */
function requiredResourceAccess(
  { permissions, delegated }: ChangeOf<'setPermissions'>,
  run: ApplyContext,
) {
  const access = new Map<string, { readonly id: string; readonly type: string }[]>()
  const add = (resourceAppId: string, ids: readonly string[], type: string) =>
    access.set(resourceAppId, [
      ...(access.get(resourceAppId) ?? []),
      ...ids.map((id) => ({ id, type })),
    ])
  for (const { api, roles } of permissions)
    add(
      run.handle(api).appId,
      roles.map(({ id }) => id),
      'Role',
    )
  for (const { resourceAppId, ids } of delegated) add(resourceAppId, ids, 'Scope')
  return [...access].map(([resourceAppId, resourceAccess]) => ({
    resourceAppId,
    resourceAccess,
  }))
}

/** Deletes an object that another process may have deleted. */
async function remove(path: string, run: ApplyContext): Promise<void> {
  const request = { method: 'DELETE', path, role: writesApplications, repeatable: true } as const
  await run.send({ ...request, expectsLag: false }).catch(ignoreRefusal(isGone))
}

const isGone = ({ status }: GraphRefusalError) => status === 404

type Operations = {
  readonly [Kind in ChangeKind]: (change: ChangeOf<Kind>, run: ApplyContext) => Promise<void>
}

const writesAssignments = 'AppRoleAssignment.ReadWrite.All'

const operations: Operations = {
  createApplication,

  async updateApplication({ application: name, changes }, run) {
    const { objectId, appId, servicePrincipalId } = run.handle(name)
    await run.patch('/applications', objectId, changedBody(changes, appId))
    // The service principal gets the new name too.
    if (servicePrincipalId !== undefined) run.touched(servicePrincipalId)
  },

  async createServicePrincipal({ application: name, ...given }, run) {
    const handle = run.handle(name)
    const { appId } = handle
    const id = await createdOrPresent(run, {
      appId,
      ...comparedBody(valuesOf('servicePrincipal', given)),
    })
    run.register(name, { ...handle, servicePrincipalId: id })
  },

  async updateServicePrincipal({ application: name, changes }, run) {
    const { appId } = run.handle(name)
    await run.patch('/servicePrincipals', run.servicePrincipalId(name), changedBody(changes, appId))
  },

  async disableAppRoles({ application: name, roles }, run) {
    await run.patch('/applications', run.handle(name).objectId, { appRoles: roles.map(roleBody) })
  },

  async setAppRoles({ application: name, roles }, run) {
    await run.patch('/applications', run.handle(name).objectId, { appRoles: roles.map(roleBody) })
  },

  async setPermissions(change, run) {
    const { objectId } = run.handle(change.application)
    const body = { requiredResourceAccess: requiredResourceAccess(change, run) }
    await run.patch('/applications', objectId, body)
  },

  async grantConsent({ application: name, api, role }, run) {
    const principalId = run.servicePrincipalId(name)
    const resourceId = run.servicePrincipalId(api)
    await run
      .send({
        method: 'POST',
        path: `/servicePrincipals/${resourceId}/appRoleAssignedTo`,
        body: { principalId, resourceId, appRoleId: role.id },
        role: writesAssignments,
        repeatable: true,
      })
      .catch(ignoreRefusal(({ reason }) => /Permission being assigned already exists/.test(reason)))
  },

  async revokeConsent({ servicePrincipalId, assignmentId }, run) {
    await run
      .send({
        method: 'DELETE',
        path: `/servicePrincipals/${servicePrincipalId}/appRoleAssignments/${assignmentId}`,
        role: writesAssignments,
        repeatable: true,
        expectsLag: false,
      })
      .catch(ignoreRefusal(isGone))
  },

  createSecret: addPassword,
  rotateSecret: addPassword,

  async removeSecret({ application: name, keyId }, run) {
    await removePassword(run, run.handle(name).objectId, keyId).catch(
      ignoreRefusal(({ reason }) => /No password credential found/i.test(reason)),
    )
  },

  async setCertificates({ application: name, added, keptKeyIds }, run) {
    const { objectId } = run.handle(name)
    const certificate = { type: 'AsymmetricX509Cert', usage: 'Verify' }
    const keyCredentials = [
      ...keptKeyIds.map((keyId) => ({ ...certificate, keyId })),
      ...added.map(({ displayName, der }) => ({ ...certificate, displayName, key: der })),
    ]
    await run.patch('/applications', objectId, { keyCredentials })
  },

  async setFederatedCredentials({ application: name, added, removed }, run) {
    const path = `/applications/${run.handle(name).objectId}/federatedIdentityCredentials`
    for (const { id } of removed) await remove(`${path}/${id}`, run)
    for (const { displayName, audience, ...trusted } of added) {
      const body = { ...trusted, name: displayName, audiences: [audience] }
      await run.send({ method: 'POST', path, body, role: writesApplications })
    }
  },

  async setInheritance({ application: name, api, isNew, resourceAppId: known, roles }, run) {
    const resourceAppId = known ?? run.handle(api).appId
    const path = `${blueprints}/${run.handle(name).objectId}/inheritablePermissions`
    const type = roles === 'none' ? 'noRoles' : 'allAllowedRoles'
    const inheritableRoles = { '@odata.type': `#microsoft.graph.${type}`, kind: roles }
    const inheritableScopes = { '@odata.type': '#microsoft.graph.noScopes', kind: 'none' }
    const request = isNew
      ? ({
          path,
          method: 'POST',
          body: { resourceAppId, inheritableScopes, inheritableRoles },
        } as const)
      : ({ path: `${path}/${resourceAppId}`, method: 'PATCH', body: { inheritableRoles } } as const)
    await run
      .send({ ...request, role: writesApplications, repeatable: true })
      .catch(ignoreRefusal(({ status }) => status === 409))
  },

  async createAgent({ application: displayName, blueprint, sponsors }, run) {
    const line = { method: 'POST', path: agents } as const
    const agentIdentityBlueprintId = run.handle(blueprint).appId
    const body = { displayName, agentIdentityBlueprintId, ...sponsorsBody(sponsors) }
    const answer = await run.send({ ...line, body, role: writesApplications })
    const { id } = parseAnswer(line, servicePrincipal, answer.body)
    run.register(displayName, { objectId: '', appId: id, servicePrincipalId: id })
  },

  async deleteAgent({ objectId }, run) {
    await remove(`/servicePrincipals/${objectId}`, run)
  },

  async deleteApplication({ objectId }, run) {
    await remove(`/applications/${objectId}`, run)
  },
}

/** Makes one change; it resolves when the directory has acknowledged it. */
export const applyChange = (change: Change, run: ApplyContext): Promise<void> =>
  (operations[change.kind] as (change: Change, run: ApplyContext) => Promise<void>)(change, run)

/**
 * The service principal of an application. It may exist already, from another process or after a
 * lost response.
 */
async function createdOrPresent(
  run: ApplyContext,
  body: { readonly appId: string },
): Promise<string> {
  const line = { method: 'POST', path: '/servicePrincipals' } as const
  const asked = { ...line, body, role: writesApplications, repeatable: true } as const
  const answer = await run.send(asked).catch(ignoreRefusal(({ status }) => status === 409))
  if (answer !== undefined) return parseAnswer(line, servicePrincipal, answer.body).id
  const present = { method: 'GET', path: `/servicePrincipals(appId='${body.appId}')` } as const
  const { body: found } = await run.send({ ...present, repeatable: true, expectsLag: true })
  return parseAnswer(present, servicePrincipal, found).id
}

// `origin` is read-only: the directory refuses a PATCH that contains it.
const roleBody = ({
  id,
  value,
  displayName,
  description,
  isEnabled,
  allowedMemberTypes,
}: AppRole) => ({
  id,
  value,
  displayName,
  description,
  isEnabled,
  allowedMemberTypes,
})

/** Changed properties in the form of a body. */
const changedBody = (changes: readonly PropertyChange[], appId: string) =>
  comparedBody(
    Object.fromEntries(changes.map(({ property, to }) => [property, withApplicationId(to, appId)])),
  )

const withApplicationId = (value: unknown, appId: string): unknown =>
  Array.isArray(value)
    ? value.map((one) => String(one).replaceAll(applicationIdPlaceholder, appId))
    : value
