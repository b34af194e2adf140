import type { Directory } from '../../directory/directory.ts'
import type { DirectoryChange } from '../../directory/directory-change.ts'
import type { Runtime } from '../../directory/runtime.ts'
import type { Tenant } from '../../directory/tenant.ts'
import type { CredentialUses } from '../../storage/credential-uses.ts'
import type { SkipTokens } from '../odata/skip-tokens.ts'
import type { ManagementCaller, RequiredRoles } from './caller.ts'

/** What a response consists of; without a body it is 204. */
export type Answer = AnswerWithBody | (WithEtag & { readonly status: 204 })

/** An answer that shows something. */
export type AnswerWithBody = WithEtag & {
  readonly status: 200 | 201
  readonly body: object
  readonly location?: string
}

type WithEtag = {
  /** The state of the object that the answer is about. */
  readonly etag?: string | undefined
}

/** What an operation learns of a request, after the caller was let in. */
export type Call = {
  readonly caller: ManagementCaller & { readonly tenant: Tenant }
  /** What the caller sees: new objects may be missing for a while. */
  readonly directory: Directory
  /** The segments of the path that the operation's template leaves open. */
  readonly parameters: Readonly<Record<string, string>>
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
  /** The header `If-Match`. */
  readonly ifMatch: string | undefined
  readonly correlationId: string
  readonly runtime: Runtime
  /** The public URL of this API, without a slash at its end. */
  readonly rootUrl: string
  readonly skipTokens: SkipTokens
  readonly credentialUses: CredentialUses
}

/** A call that may change the directory. */
export type ChangingCall = Call & {
  /** The directory with everything in it, for what must be unique and for what is referred to. */
  readonly committed: Directory
  /** The revision that the change will be. */
  readonly nextRevision: number
}

/** What a change writes, what it was done to, and what the caller reads. */
export type Change = {
  readonly changes: readonly DirectoryChange[]
  readonly target: string
  readonly answer: Answer
}

type OperationRow = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** From the root of the API; `{id}` takes one segment. */
  readonly path: string
  readonly requires: RequiredRoles
  /** What it does, for the documentation. */
  readonly does: string
  /** A body is read, and must be there. */
  readonly takesBody?: true
}

/** Tells something, and changes nothing. */
export type ReadOperation = OperationRow & {
  readonly read: (call: Call) => Answer | Promise<Answer>
}

/** Changes the directory in one transaction with its audit record. */
export type ChangeOperation = OperationRow & {
  /** The audit's name of the change. */
  readonly action: string
  /** May be asked several times, each time with a later directory; decides, and does nothing. */
  readonly change: (call: ChangingCall) => Change
}

/** Has something done by another room, which keeps its own record of it. */
export type PerformOperation = OperationRow & {
  readonly action: string
  readonly perform: (call: Call) => Promise<Answer>
}

/** A row of the management API: what may be asked, by whom, and what is done then. */
export type Operation = ReadOperation | ChangeOperation | PerformOperation
