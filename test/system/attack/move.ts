import type { DocumentedOperation, ManagementApi, Role } from './documented-roles.ts'
import type { Caller, Target } from './judge-answer.ts'
import type { ClientCertificate, Credential } from './management-client.ts'
import type { ObservedDirectory } from './observed-directory.ts'
import type { RandomChoices } from './random-choices.ts'

/** A part of an object, or a grant of a client, by the IDs of both. */
export type SeenPart = {
  readonly kind: 'secret' | 'key' | 'federated' | 'extension' | 'owner' | 'grant'
  readonly of: string
  readonly id: string
}

/** The material from which a move is built. */
export type MoveContext = {
  readonly random: RandomChoices
  readonly caller: Caller
  readonly directory: ObservedDirectory
  readonly tenantIds: readonly string[]
  readonly roles: Readonly<Record<ManagementApi, readonly Role[]>>
  /** The certificate of the sender. */
  readonly certificate: ClientCertificate
  /** The certificates of all attackers. */
  readonly certificates: readonly ClientCertificate[]
  /** What answers have shown. */
  readonly seen: SeenPart[]
  /** Stores a credential that is accepted now. */
  readonly learn: (appId: string, credential: Credential, tenantId?: string) => void
  /** Reads the objects of a client that the server created. */
  readonly observe: (tenantId: string, appId: string) => Promise<void>
  readonly origin: string
  /** Notes that an application trusts the tokens of a client in the caller's tenant. */
  readonly trusts: (appId: string, clientAppId: string) => void
  /** Notes that a management role was given to the application in the tenant. */
  readonly given: (appId: string, authority: string) => void
}

export type Answer = Readonly<Record<string, unknown>> & { readonly id?: string }

/** One request, with the objects that it names and the meaning of its success. */
export type Move = {
  readonly operation: DocumentedOperation
  readonly method: string
  /** Without the prefix of the API. */
  readonly path: string
  readonly body?: object | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly target: Target
  readonly onSuccess: (answer: Answer) => void | Promise<void>
}

type Draft = Partial<Pick<Move, 'path' | 'body' | 'headers' | 'target' | 'onSuccess'>>
export type Objects = { readonly application: string; readonly principal: string }
export type Special = (context: MoveContext, objects: Objects) => Draft

/** A member of a response, as text. */
export const text = (value: unknown) => (typeof value === 'string' ? value : '')

/** Chooses objects, and prefers the caller's tenant, because requests for other objects are nearly always refused. */
export function objectsFor({ random, caller, directory }: MoveContext): Objects {
  const isNear = random.isLikely(0.8)
  const applications = [...directory.applications.values()]
  const principals = [...directory.principals.values()]
  const nearApplications = applications.filter((one) => one.homeTenantId === caller.tenantId)
  const nearPrincipals = principals.filter((one) => one.tenantId === caller.tenantId)
  const from = <One>(near: readonly One[], all: readonly One[]) =>
    random.oneOf(isNear && near.length > 0 ? near : all)
  return {
    application: from(nearApplications, applications).id,
    principal: from(nearPrincipals, principals).id,
  }
}

/** Chooses a part that a response has shown, most often one in the caller's tenant; undefined if there is none. */
export function seenPart(context: MoveContext, kind: SeenPart['kind']): SeenPart | undefined {
  const { random, seen, directory, caller } = context
  const all = seen.filter((one) => one.kind === kind)
  const isNear = ({ of }: SeenPart) =>
    directory.applications.get(of)?.homeTenantId === caller.tenantId ||
    directory.principals.get(of)?.tenantId === caller.tenantId
  const near = all.filter(isNear)
  const list = near.length > 0 && random.isLikely(0.8) ? near : all
  return list.length === 0 ? undefined : random.oneOf(list)
}

export const targetOf = ({ directory }: MoveContext, { of }: SeenPart): Target =>
  directory.applications.has(of) ? { application: of } : { principal: of }

/** Records that a response has shown a part. */
export const saw = ({ seen }: MoveContext, kind: SeenPart['kind'], of: string, id: unknown) => {
  seen.push({ kind, of, id: text(id) })
}

export function learnApplication(
  context: MoveContext,
  answer: Answer,
  isMultiTenant: boolean,
): void {
  const { id, appId } = { id: text(answer.id), appId: text(answer.appId) }
  const homeTenantId = context.caller.tenantId
  if (context.directory.applications.has(id)) return
  context.directory.applications.set(id, {
    id,
    appId,
    homeTenantId,
    isMultiTenant,
    isDeleted: false,
  })
  for (const one of (answer.passwordCredentials ?? []) as readonly Answer[])
    if (one.secretText) context.learn(appId, text(one.secretText))
}

export function learnPrincipal({ caller, directory }: MoveContext, answer: Answer): void {
  const [id, appId] = [text(answer.id), text(answer.appId)]
  if (directory.principals.has(id)) return
  const { tenantId } = caller
  directory.principals.set(id, { id, appId, tenantId, isEnabled: true, isDeleted: false })
}
