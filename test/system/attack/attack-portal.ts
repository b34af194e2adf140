import type { DocumentedOperation } from './documented-roles.ts'
import { type Caller, type Target, undueReason } from './judge-answer.ts'
import type { ObservedDirectory } from './observed-directory.ts'
import { formsOf, PortalVisitor } from './portal-visitor.ts'
import type { RandomChoices } from './random-choices.ts'
import type { Attacker, Scene } from './set-scene.ts'

/** The operation of the reference that each form of a client's pages stands for. */
const operationOfForm: Readonly<Record<string, string>> = {
  rename: 'graph PATCH /applications/{id}',
  enabled: 'graph PATCH /servicePrincipals/{id}',
  properties: 'graph PATCH /servicePrincipals/{id}',
  delete: 'graph DELETE /applications/{id}',
  'credentials/secrets': 'graph POST /applications/{id}/addPassword',
  'credentials/remove-secret': 'graph POST /applications/{id}/removePassword',
  'credentials/certificates': 'graph PATCH /applications/{id}',
  'credentials/remove-certificate': 'graph PATCH /applications/{id}',
  'credentials/federated': 'graph POST /applications/{id}/federatedIdentityCredentials',
  'permissions/request': 'graph PATCH /applications/{id}',
  'permissions/withdraw': 'graph PATCH /applications/{id}',
  'permissions/consent': 'graph POST /servicePrincipals/{id}/appRoleAssignedTo',
  'permissions/revoke': 'graph DELETE /servicePrincipals/{id}/appRoleAssignments/{assignment}',
  'roles/add': 'graph PATCH /applications/{id}',
  expose: 'graph PATCH /applications/{id}',
  manifest: 'graph PATCH /applications/{id}',
}

const tabs = ['', '/credentials', '/permissions', '/roles', '/expose', '/manifest']

export type PortalMove = {
  readonly scene: Scene
  readonly random: RandomChoices
  readonly origin: string
  readonly operations: readonly DocumentedOperation[]
  /** The visitors that signed in, by the client ID. */
  readonly visitors: Map<string, PortalVisitor>
  /** Notes that a management role was given to an application. */
  readonly given: (appId: string, authority: string) => void
}

export type PortalResult = {
  readonly form: string
  readonly isDone: boolean
  readonly undue: readonly string[]
}

/** Opens a page of a random client as an attacker, and sends one of its forms, sometimes with changes. */
export async function attackPortal(
  attacker: Attacker,
  move: PortalMove,
): Promise<PortalResult | undefined> {
  const { scene, random, operations } = move
  const { directory } = scene
  const visitor = await visitorOf(attacker, move)
  if (visitor === undefined) return undefined
  const { visit, appId: callerAppId, tenantId } = visitor
  const near = [...directory.applications.values()].filter((one) => one.homeTenantId === tenantId)
  const shown = random.oneOf(near.length > 0 ? near : [...directory.applications.values()])
  const page = await visit.open(`/portal/applications/${shown.appId}${random.oneOf(tabs)}`)
  const forms = formsOf(page.text, random).filter(({ action }) => action.includes(shown.appId))
  if (forms.length === 0) return undefined
  const form = random.oneOf(forms)
  const named = random.isLikely(0.3) ? random.oneOf([...directory.applications.values()]) : shown
  const action = form.action.replace(shown.appId, named.appId)
  const isMixed = random.isLikely(0.1) && move.visitors.size > 1
  const sender = isMixed ? visit.withBaseOf(random.oneOf([...move.visitors.values()])) : visit
  const owned = directory.ownedBy(callerAppId, tenantId)
  const known = new Set(directory.assignments.keys())
  const roles = new Set([...owned].flatMap((one) => one.split(' ').slice(2)))
  const caller: Caller = { isGenuine: true, api: 'graph', tenantId, appId: callerAppId, roles }
  const tail = action.replace(/^.*\/applications\/[^/]+\//, '')
  const operation = operations.find(
    (one) => `${one.api} ${one.operation}` === operationOfForm[tail],
  )
  const target = targetOf(directory, tail, named.id, tenantId, form.fields)
  const reason = operation && undueReason(operation, caller, target, directory)
  const answer = await sender.submit({ ...form, action })
  const isDone = answer.status === 303 || / role="status" class="done"/.test(answer.text)
  const undue = isDone && reason !== undefined ? [reason] : []
  if (isDone && action !== form.action) undue.push('the token of the form is for another page')
  // A consent can give some roles before another one is refused.
  await scene.observe(named.homeTenantId, named.appId)
  for (const { id, authority, principalId } of directory.assignments.values()) {
    if (known.has(id) || authority === undefined) continue
    if (!owned.has(authority)) undue.push(`it gave ${authority}`)
    move.given(directory.principals.get(principalId)?.appId ?? '', authority)
  }
  return { form: tail, isDone, undue }
}

async function visitorOf({ keys }: Attacker, { scene, random, origin, visitors }: PortalMove) {
  const usable = keys.flatMap(({ appId, credential, tenantId }) => {
    const home = scene.directory.applicationByAppId(appId)?.homeTenantId
    const isAccepted = home !== undefined && (tenantId === undefined || tenantId === home)
    return isAccepted && typeof credential === 'string' ? [{ appId, credential, home }] : []
  })
  if (usable.length === 0) return undefined
  const { appId, credential, home } = random.oneOf(usable)
  const kept = visitors.get(appId)
  if (kept !== undefined) return { visit: kept, appId, tenantId: home }
  const visit = new PortalVisitor(origin)
  if (!(await visit.signIn(appId, credential))) return undefined
  visitors.set(appId, visit)
  return { visit, appId, tenantId: home }
}

function targetOf(
  directory: ObservedDirectory,
  tail: string,
  application: string,
  tenantId: string,
  fields: Readonly<Record<string, string>>,
): Target {
  const appId = directory.applications.get(application)?.appId ?? ''
  const principal = directory
    .principalsOf(appId)
    .find((one) => one.tenantId === tenantId && !one.isDeleted)?.id
  if (tail === 'enabled' || tail === 'properties') return { application, principal }
  if (tail === 'permissions/revoke') {
    const { authority } = directory.assignments.get(fields.assignment ?? '') ?? {}
    return { principal, authority }
  }
  // The assignments that appear afterwards are compared instead.
  if (tail === 'permissions/consent') return {}
  return { application, addsCredential: tail === 'credentials/certificates' }
}
