import { z } from 'zod'
import type { Change, ChangeKind, ChangeOf } from '../planning/change.ts'
import { type AppRole, application, servicePrincipal } from '../planning/directory-state.ts'
import { applicationIdPlaceholder } from '../registrations-file.ts'
import type { ApplyContext } from './apply-context.ts'
import { parseAnswer } from './graph.ts'
import { GraphRefusalError } from './graph-refusal-error.ts'

type Operations = {
  readonly [Kind in ChangeKind]: (change: ChangeOf<Kind>, run: ApplyContext) => Promise<void>
}

const writesApplications = 'Application.ReadWrite.All'
const writesAssignments = 'AppRoleAssignment.ReadWrite.All'

const operations: Operations = {
  async createApplication({ application: displayName, requestedAccessTokenVersion }, run) {
    const line = { method: 'POST', path: '/applications' } as const
    const included = run.initialChanges(displayName)
    const permissions = included.find((one) => one.kind === 'setPermissions')
    const secrets = included.filter((one) => one.kind === 'createSecret')
    const body = {
      displayName,
      signInAudience: 'AzureADMyOrg',
      ...(requestedAccessTokenVersion && { api: { requestedAccessTokenVersion } }),
      ...(permissions && { requiredResourceAccess: requiredResourceAccess(permissions, run) }),
      ...(secrets.length > 0 && {
        passwordCredentials: secrets.map((one) => passwordCredential(one, run)),
      }),
    }
    const answer = await run.send({ ...line, body, role: writesApplications })
    const { id, appId } = parseAnswer(line, application, answer.body)
    await run.registerNew(displayName, { objectId: id, appId, servicePrincipalId: undefined })
    if (secrets.length > 0)
      await keepPasswords(secrets, parseAnswer(line, newPasswords, answer.body), run)
    for (const change of included) run.done.add(change)
  },

  async updateApplication({ application: name, changes }, run) {
    const { objectId, appId, servicePrincipalId } = run.handle(name)
    const members = changes.map(({ property, to }) =>
      property === 'requestedAccessTokenVersion'
        ? ['api', { [property]: to }]
        : [property, withApplicationId(to, appId)],
    )
    await run.patch('/applications', objectId, Object.fromEntries(members))
    // The service principal gets the new name too.
    if (servicePrincipalId !== undefined) run.touched(servicePrincipalId)
  },

  async createServicePrincipal({ application: name, appRoleAssignmentRequired }, run) {
    const handle = run.handle(name)
    const id = await createdOrPresent(run, handle.appId, appRoleAssignmentRequired)
    run.register(name, { ...handle, servicePrincipalId: id })
  },

  async updateServicePrincipal({ application: name, changes }, run) {
    const body = Object.fromEntries(changes.map(({ property, to }) => [property, to]))
    await run.patch('/servicePrincipals', run.servicePrincipalId(name), body)
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

  async deleteApplication({ objectId }, run) {
    await run
      .send({
        method: 'DELETE',
        path: `/applications/${objectId}`,
        role: writesApplications,
        repeatable: true,
        expectsLag: false,
      })
      .catch(ignoreRefusal(isGone))
  },
}

/** Makes one change; it resolves when the directory has acknowledged it. */
export const applyChange = (change: Change, run: ApplyContext): Promise<void> =>
  (operations[change.kind] as (change: Change, run: ApplyContext) => Promise<void>)(change, run)

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

type NewSecretChange = ChangeOf<'createSecret' | 'rotateSecret'>

const newPassword = z.object({
  keyId: z.string(),
  endDateTime: z.iso.datetime({ offset: true }),
  secretText: z.string().min(1),
})
const newPasswords = z.object({
  passwordCredentials: z.array(newPassword.extend({ displayName: z.string() })),
})

const dayMs = 86_400_000

const passwordCredential = ({ secret, lifetimeDays }: NewSecretChange, run: ApplyContext) => ({
  displayName: secret,
  endDateTime: new Date(+run.now() + lifetimeDays * dayMs).toISOString(),
})

async function addPassword(change: NewSecretChange, run: ApplyContext): Promise<void> {
  const { objectId } = run.handle(change.application)
  const line = { method: 'POST', path: `/applications/${objectId}/addPassword` } as const
  const body = { passwordCredential: passwordCredential(change, run) }
  const answer = await run.send({ ...line, body, role: writesApplications })
  run.touched(objectId)
  await keepPassword(change, parseAnswer(line, newPassword, answer.body), run)
}

/** Keeps the secrets of a new application, in their order. Each that cannot be kept is removed again. */
async function keepPasswords(
  changes: readonly NewSecretChange[],
  { passwordCredentials }: z.output<typeof newPasswords>,
  run: ApplyContext,
): Promise<void> {
  const failures: unknown[] = []
  for (const change of changes) {
    const made = passwordCredentials.find(({ displayName }) => displayName === change.secret)
    if (made !== undefined)
      await keepPassword(change, made, run).catch((error) => failures.push(error))
    else
      failures.push(new Error(`The answer to POST /applications has no secret "${change.secret}".`))
  }
  if (failures.length > 0) throw failures[0]
}

async function keepPassword(
  { application: client, apis, secret }: NewSecretChange,
  { keyId, secretText, endDateTime }: z.output<typeof newPassword>,
  run: ApplyContext,
): Promise<void> {
  const { objectId, appId } = run.handle(client)
  try {
    await run.secrets.keep({
      client,
      clientId: appId,
      apiApplicationIds: apis.map((api) => run.handle(api).appId),
      secret,
      keyId,
      endDateTime: new Date(endDateTime),
      secretText,
    })
  } catch (error) {
    // Remove the secret again: its text is lost, so it could only be misused.
    await removePassword(run, objectId, keyId).catch(() => undefined)
    throw error
  }
}

async function removePassword(run: ApplyContext, objectId: string, keyId: string): Promise<void> {
  const path = `/applications/${objectId}/removePassword`
  const body = { keyId }
  await run.send({ method: 'POST', path, body, role: writesApplications, repeatable: true })
  run.touched(objectId)
}

/**
 * The service principal of an application. It may exist already, from another process or after a
 * lost response.
 */
async function createdOrPresent(
  run: ApplyContext,
  appId: string,
  appRoleAssignmentRequired: boolean | undefined,
): Promise<string> {
  const line = { method: 'POST', path: '/servicePrincipals' } as const
  const body = { appId, ...(appRoleAssignmentRequired && { appRoleAssignmentRequired }) }
  const asked = { ...line, body, role: writesApplications, repeatable: true } as const
  const answer = await run.send(asked).catch(ignoreRefusal(({ status }) => status === 409))
  if (answer !== undefined) return parseAnswer(line, servicePrincipal, answer.body).id
  const present = { method: 'GET', path: `/servicePrincipals(appId='${appId}')` } as const
  const { body: found } = await run.send({ ...present, repeatable: true })
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

const withApplicationId = (value: unknown, appId: string): unknown =>
  Array.isArray(value)
    ? value.map((one) => String(one).replaceAll(applicationIdPlaceholder, appId))
    : value

const isGone = ({ status }: GraphRefusalError) => status === 404

/** Ignores a refusal that means that the change exists already. */
function ignoreRefusal(isDone: (refusal: GraphRefusalError) => boolean) {
  return (error: unknown): undefined => {
    if (error instanceof GraphRefusalError && isDone(error)) return undefined
    throw error
  }
}
