// Folder: Executes one operation for one request, in phases that no operation can skip.

import { type Directory, graphAppId, roleOfBlueprints } from '@greeting/directory'
import type { AuditRecord } from '@greeting/directory/audit'
import {
  type DirectoryStore,
  eventuallyConsistent,
  QuotaExceededError,
  RepeatableRuntime,
  TooManyLookupsError,
} from '@greeting/directory/live'
import { readJson } from '../body/json-body.ts'
import {
  type Authenticate,
  currentRoles,
  hasRoles,
  type ManagementCaller,
} from '../privileges/caller.ts'
import { requireOwnRoles, requireUnprotected } from '../privileges/privilege-escalation.ts'
import { requirePolicies } from '../privileges/require-policies.ts'
import { GraphError, type RequestIds, refuse } from '../refusals/graph-error.ts'
import type { Answer, BatchCall, ListCall, Operation, RequestCall, Warning } from './operation.ts'
import { pathInApp, tenantInPath, withoutFinalSlash } from './operation-path.ts'

/** The dependencies of operations, besides the request. */
export type OperationContext = Pick<
  RequestCall,
  | 'credentialUses'
  | 'latestAgreed'
  | 'possessionRules'
  | 'retentionDays'
  | 'rootUrl'
  | 'runtime'
  | 'skipTokens'
> & {
  readonly authenticate: Authenticate
  /** The API that declares the roles of the operations. */
  readonly apiAppId: string
  readonly store: DirectoryStore
  /** The path at which the app is mounted. Requests may begin with it. */
  readonly mountPath: string
  /** How long new objects are not visible, in seconds. */
  readonly visibilityDelaySeconds: number
  /** Stores the audit record of a refused change. */
  readonly recordRefusal: (record: AuditRecord) => void
  /** Reports a failure of the server or of its store to the operator. */
  readonly report: (error: unknown, ids: RequestIds) => void
  /** Tells the operator of a consequence of a change; by default it does nothing. */
  readonly warn?: ((warning: Warning, ids: RequestIds) => void) | undefined
}

/** Sends a request of a batch to the API itself. */
type SendPart = (request: Request, environment: unknown) => Promise<Response>

/** The tenant of the caller, in a path. */
const ownTenant = 'myorganization'

/** The operations read only the path of a request. */
const partBase = 'http://batch.invalid'

export type OperationRequest = {
  readonly operation: Operation
  /** The segments of the path that match placeholders of the template. */
  readonly parameters: Readonly<Record<string, string>>
  readonly context: OperationContext & { readonly send: SendPart }
  readonly request: Request
  /** What the server knows of the connection. */
  readonly environment: unknown
  readonly ids: RequestIds
}

/**
 * Executes an operation for one request, in six phases that no operation can skip.
 *
 * @throws {GraphError} graph_refusal when it is refused.
 */
export async function executeOperation(requested: OperationRequest): Promise<Answer> {
  const { operation, context, ids } = requested
  const { runtime, store } = context
  // 1. Authenticate the caller.
  const caller = await context.authenticate(requested.request, requested.environment)
  try {
    // 2. Check its roles.
    const admitted = await store.read((directory) => admit(directory, caller, operation, context))
    // 3. Read the request.
    const call = await readCall(requested, admitted)
    if ('perform' in operation) return await operation.perform(call)
    if ('batch' in operation) return await operation.batch({ ...call, send: sendPart(requested) })
    if ('list' in operation) return await operation.list({ ...call, ...listing(context) })
    if ('read' in operation)
      return await store.read((directory) =>
        operation.read({ ...call, directory: visibleDirectory(context, directory) }),
      )
    const provenBy = await operation.verify?.({ ...call, ...listing(context) })
    const repeatable = new RepeatableRuntime(runtime)
    const update = () =>
      store.update((committed, mark) => {
        repeatable.repeat()
        // The directory may have changed since phase 2, so the roles are checked again.
        const caller = admit(committed, call.caller, operation, context)
        const changing = {
          ...call,
          runtime: repeatable,
          caller,
          committed,
          directory: visibleDirectory(context, committed),
          nextMark: mark,
          provenBy,
        }
        // 4. Decide the changes.
        const change = operation.change(changing)
        const { action = operation.action, answer, changes, isPartial, target, warning } = change
        // 5. Check the changes themselves, so that no operation can omit the check.
        requireUnprotected(changing, changes)
        requireOwnRoles(changing, changes)
        if (context.apiAppId === graphAppId) requirePolicies(changing, changes)
        // 6. Store the changes and their audit record in one transaction.
        const record = auditRecord(action, caller, ids)
        return {
          changes,
          audit: [{ ...record, at: runtime.now(), target, outcome: 'done', reason: null }],
          result: { answer, isPartial, warning },
        }
      }, caller.tenantId)
    let done = await update()
    while (done.isPartial) done = await update()
    const { answer, warning } = done
    if (warning !== undefined) context.warn?.(warning, ids)
    return answer
  } catch (cause) {
    const limit = limits.find(([kind]) => cause instanceof kind)
    const error = limit === undefined ? cause : refuse(limit[1])
    if (error instanceof GraphError) recordRefusal(requested, caller, error)
    throw error
  }
}

/** The limits of the directory, and their refusals. */
const limits = [
  [QuotaExceededError, 'quota_exceeded'],
  [TooManyLookupsError, 'request_too_large'],
] as const

async function readCall(
  { operation, parameters, context, request, ids }: OperationRequest,
  caller: RequestCall['caller'],
): Promise<RequestCall> {
  const { pathname, searchParams } = new URL(request.url)
  const path = withoutFinalSlash(pathInApp(pathname, context.mountPath))
  const tenant = tenantInPath(path) ?? ownTenant
  if (tenant !== ownTenant && tenant !== caller.tenantId) throw refuse('resource_unknown', tenant)
  const { headers } = request
  return {
    ...context,
    caller,
    parameters,
    path,
    query: searchParams,
    cast: operation.cast,
    body: operation.takesBody ? await readJson(request) : undefined,
    ifMatch: headers.get('if-match') ?? undefined,
    mayCreate: (headers.get('prefer') ?? '').toLowerCase().includes('create-if-missing'),
    isEventual: headers.get('consistencylevel')?.trim().toLowerCase() === 'eventual',
    correlationId: ids.clientRequestId,
  }
}

/** Sends the parts of a batch with the token of the batch. */
const sendPart =
  ({ context, request, environment }: OperationRequest): BatchCall['send'] =>
  ({ method, path, headers, body }) => {
    const authorization = request.headers.get('authorization') ?? ''
    const part = new Request(new URL(path, partBase), {
      method,
      headers: { ...headers, authorization },
      ...(body === undefined ? {} : { body }),
    })
    return context.send(part, environment)
  }

/** A refused change has an audit record too. */
function recordRefusal(
  { operation, context, ids }: OperationRequest,
  caller: ManagementCaller,
  { refusal }: GraphError,
): void {
  if (!('action' in operation)) return
  context.recordRefusal({
    ...auditRecord(operation.action, caller, ids),
    at: context.runtime.now(),
    target: null,
    outcome: 'refused',
    reason: refusal,
  })
}

function admit(
  directory: Directory,
  caller: ManagementCaller,
  { requires }: Operation,
  { apiAppId }: OperationContext,
): RequestCall['caller'] {
  const roles = currentRoles(directory, caller, apiAppId)
  if (!hasRoles(roles, requires)) throw refuse('role_missing')
  const tenant = directory.tenant(caller.tenantId)
  if (tenant === undefined) throw refuse('caller_unknown')
  const others = requires.map((group) => group.filter((role) => role !== roleOfBlueprints))
  return { ...caller, roles, tenant, ownAgentsOnly: !hasRoles(roles, others) }
}

/** New objects are hidden after this time; undefined when all are visible. */
const visibleUntil = ({ runtime, visibilityDelaySeconds }: OperationContext): Date | undefined =>
  visibilityDelaySeconds === 0
    ? undefined
    : new Date(runtime.now().getTime() - visibilityDelaySeconds * 1000)

function visibleDirectory(context: OperationContext, directory: Directory): Directory {
  const until = visibleUntil(context)
  return until === undefined ? directory : eventuallyConsistent(directory, until)
}

const listing = (context: OperationContext): Omit<ListCall, keyof RequestCall> => ({
  read: async <Result>(decide: (directory: Directory) => Result): Promise<Awaited<Result>> =>
    await context.store.read((directory) => decide(visibleDirectory(context, directory))),
  see: (directory) => visibleDirectory(context, directory),
  list: (query) => context.store.list(query),
  listChanges: (query) => context.store.listChanges(query),
  createdUntil: visibleUntil(context),
})

const auditRecord = (
  action: string,
  { tenantId, applicationId }: ManagementCaller,
  ids: RequestIds,
) => ({
  tenantId,
  actor: applicationId,
  action,
  correlationId: ids.clientRequestId,
})
