import type { Directory, DirectoryChange, Runtime, Tenant } from '@greeting/directory'
import type { CredentialUses } from '@greeting/directory/audit'
import type {
  ChangePage,
  ChangeQuery,
  FollowedKind,
  ListedKind,
  ListPage,
  ListQuery,
} from '@greeting/directory/live'
import type { Assertion } from '../../issuance/assertion.ts'
import type { ManagementCaller, RequiredRoles } from '../privileges/caller.ts'
import type { AgentAccess, AgentType } from '../privileges/graph-roles.ts'
import type { SkipTokens } from './skip-tokens.ts'

/** The parts of a response. Without a body, the status is 204. */
export type Answer = AnswerWithBody | AnswerWithContent | (WithEtag & { readonly status: 204 })

export type AnswerWithBody = WithEtag & {
  readonly status: 200 | 201
  readonly body: object
  readonly location?: string
}

/** An answer that is serialized already. */
type AnswerWithContent = {
  readonly status: 200
  readonly content: string | Buffer<ArrayBuffer>
  readonly contentType: string
}

type WithEtag = {
  /** The entity tag of the object in the answer. */
  readonly etag?: string | undefined
}

/** The server's rules for proofs of possession, which equal those for client assertions. */
type PossessionRules = {
  /** How far the clocks of client and server may differ, in seconds. */
  readonly clockToleranceSeconds: number
  /**
   * Records the use of a proof, and returns whether it is the first one. Without it, a proof may be used
   * until it expires.
   */
  readonly recordUse?: ((objectId: string, proof: Assertion) => Promise<boolean>) | undefined
}

/** A request of an admitted caller. */
export type RequestCall = {
  readonly caller: ManagementCaller & {
    readonly tenant: Tenant
    /** Whether its roles are good for its own agent identities only. */
    readonly ownAgentsOnly: boolean
  }
  /** The type to which the path casts: objects of other types do not exist there. */
  readonly cast: AgentType | undefined
  /** The segments of the path that match placeholders of the template. */
  readonly parameters: Readonly<Record<string, string>>
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
  /** The header `If-Match`. */
  readonly ifMatch: string | undefined
  /** Whether the request permits an answer that is not up to date: `ConsistencyLevel: eventual`. */
  readonly isEventual: boolean
  /** Whether a `PATCH` may create its object: `Prefer: create-if-missing`. */
  readonly mayCreate: boolean
  readonly correlationId: string
  readonly runtime: Runtime
  /** The public URL of this API, without a slash at its end. */
  readonly rootUrl: string
  readonly skipTokens: SkipTokens
  readonly credentialUses: CredentialUses
  /** The rules for proofs of possession; by default no clock may differ. */
  readonly possessionRules?: PossessionRules | undefined
  /** How long a deleted item can be restored, in days. */
  readonly retentionDays: number
  /** The latest time that is known to be right, for a clock that is behind; default the clock. */
  readonly latestAgreed?: (() => Date) | undefined
}

/** A request that reads the directory. */
export type Call = RequestCall & {
  /** The directory as the caller sees it: new objects may be missing for a while. */
  readonly directory: Directory
}

/** A request for one page of a list, which is read from the store. */
export type ListCall = RequestCall & {
  readonly list: <Kind extends ListedKind>(query: ListQuery<Kind>) => Promise<ListPage<Kind>>
  /** One page of changes, new objects included; undefined when the client must start again. */
  readonly listChanges: <Kind extends FollowedKind>(
    query: ChangeQuery<Kind>,
  ) => Promise<ChangePage<Kind> | undefined>
  /** Calls a function with the directory as the caller sees it. */
  readonly read: <Result>(decide: (directory: Directory) => Result) => Promise<Awaited<Result>>
  /** Hides new objects for a while, as in the directory of other requests. */
  readonly see: (directory: Directory) => Directory
  /** Objects that were created after this time are hidden; undefined when all are visible. */
  readonly createdUntil: Date | undefined
}

/** A request that may change the directory. */
export type ChangingCall = Call & {
  /** The complete directory, for checks of uniqueness and of references. */
  readonly committed: Directory
  /** The mark of the commit of the change. */
  readonly nextMark: string
  /** The thumbprint of the certificate that `verify` found; undefined without a proof. */
  readonly provenBy: string | undefined
}

/** One request of a batch. */
type PartRequest = {
  readonly method: string
  /** From the root of the API, with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON; undefined without a body. */
  readonly body: string | undefined
}

/** A request that contains other requests. */
export type BatchCall = RequestCall & {
  /** Sends a request as the caller of the batch, whose token and roles are checked again. */
  readonly send: (part: PartRequest) => Promise<Response>
}

/** A decided change: the records to write, the changed object, and the response. */
export type Change = {
  readonly changes: readonly DirectoryChange[]
  readonly target: string
  readonly answer: Answer
  /** Whether the operation is repeated for more changes, each time in a commit of its own. */
  readonly isPartial?: boolean
  /** The name of the change in the audit log, when it is not that of the operation. */
  readonly action?: string
  /** A consequence that the operator must know. It is logged when the change is stored. */
  readonly warning?: Warning | undefined
}

/** A line for the operator's log. */
export type Warning = { readonly fields: object; readonly message: string }

type OperationRow = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** From the root of the API. `{id}` matches one segment. */
  readonly path: string
  readonly requires: RequiredRoles
  /** The names that `{property}` in the path stands for. */
  readonly properties?: readonly string[]
  /** Other ends that the path may have, such as `/$count`. The parameter `end` is that of a request. */
  readonly ends?: readonly string[]
  /** The type to which the path casts. */
  readonly cast?: AgentType
  /** What the paths with a cast require. Without it, the operation has no such paths. */
  readonly access?: AgentAccess
  /** A sentence for the reference page. */
  readonly summary: string
  /** Whether a body is required; by default only for POST and PATCH. */
  readonly takesBody?: boolean
}

/** An operation that reads and changes nothing. Its lookups come before its first `await`. */
export type ReadOperation = OperationRow & {
  readonly read: (call: Call) => Answer | Promise<Answer>
}

/** An operation that reads one page of a list. */
export type ListOperation = OperationRow & {
  readonly list: (call: ListCall) => Promise<Answer>
}

/** An operation that changes the directory, in one transaction with its audit record. */
export type ChangeOperation = OperationRow & {
  /** The name of the change in the audit log. */
  readonly action: string
  /** Verifies the proof of the request, which waits for the thread pool and the store. */
  readonly verify?: (call: ListCall) => Promise<string>
  /** A pure decision. It may be called several times, each time with a later directory. */
  readonly change: (call: ChangingCall) => Change
}

export type DirectoryOperation = ReadOperation | ListOperation | ChangeOperation

/** An operation that calls another part of the server, which writes the audit record. */
export type PerformOperation = OperationRow & {
  readonly action: string
  readonly perform: (call: RequestCall) => Promise<Answer>
}

/** An operation that runs the requests of a batch, each as a separate operation. */
export type BatchOperation = OperationRow & {
  readonly batch: (call: BatchCall) => Promise<Answer>
}

/** A row of a management API: method and path, the required roles, and the function that executes it. */
export type Operation = DirectoryOperation | PerformOperation | BatchOperation

type NamedByLine = 'method' | 'path' | 'requires'
type RestOf<Row> = Row extends Operation ? Omit<Row, NamedByLine> : never

/**
 * Creates an operation.
 *
 * @param line its method and its path, such as `GET /users/{id}`
 */
export function operation<Rest extends RestOf<Operation>>(
  line: `${OperationRow['method']} ${string}`,
  requires: RequiredRoles,
  rest: Rest,
): NoInfer<Rest> & Pick<OperationRow, NamedByLine> {
  const [method, path] = line.split(' ', 2) as [OperationRow['method'], string]
  const takesBody = method === 'POST' || method === 'PATCH'
  return { method, path, requires, ...(takesBody && { takesBody }), ...rest }
}
