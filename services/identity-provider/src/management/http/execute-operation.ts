import type { Directory } from '../../directory/directory.ts'
import { EventuallyConsistentDirectory } from '../../directory/eventually-consistent-directory.ts'
import type { Runtime } from '../../directory/runtime.ts'
import type { AuditRecord } from '../../storage/audit-record.ts'
import type { CredentialUses } from '../../storage/credential-uses.ts'
import type { DirectoryStore } from '../../storage/directory-store.ts'
import type { SkipTokens } from '../odata/skip-tokens.ts'
import { requireOwnRoles } from '../privilege-escalation.ts'
import { requireUnprotected } from '../protected-objects.ts'
import { type Authenticate, currentRoles, type ManagementCaller, requireRoles } from './caller.ts'
import { GraphError, type RequestIds, refuse } from './graph-error.ts'
import { readJson } from './json-body.ts'
import type { Answer, Call, Operation } from './operation.ts'

/** What operations are done with. */
export type OperationContext = {
  readonly authenticate: Authenticate
  /** The API whose roles count. */
  readonly apiAppId: string
  readonly store: DirectoryStore
  readonly credentialUses: CredentialUses
  readonly skipTokens: SkipTokens
  readonly runtime: Runtime
  /** The public URL of the API, without a slash at its end. */
  readonly rootUrl: string
  /** How long new objects are not seen, in seconds. */
  readonly visibilityDelaySeconds: number
  /** Keeps the record of what was refused to a known caller. */
  readonly recordRefusal: (record: AuditRecord) => void
  /** Tells the operator of a failure of the server itself: one without a name, or of its store. */
  readonly report: (error: unknown, exchange: RequestIds) => void
}

/**
 * Does one operation for one request: 1. who calls, 2. may they, 3. what do they ask, 4. may they
 * change what it changes, 5. do it.
 *
 * @throws {GraphError} graph_refusal when it is refused.
 */
export async function executeOperation(
  operation: Operation,
  parameters: Readonly<Record<string, string>>,
  operator: OperationContext,
  request: Request,
  environment: unknown,
  exchange: RequestIds,
): Promise<Answer> {
  const { runtime, store } = operator
  const caller = await operator.authenticate(request, environment)
  try {
    const directory = await store.read()
    const admitted = admit(directory, caller, operation, operator)
    const { pathname, searchParams } = new URL(request.url)
    const call: Call = {
      ...operator,
      caller: admitted,
      directory: visibleDirectory(operator, directory),
      parameters,
      path: pathname,
      query: searchParams,
      body: operation.takesBody ? await readJson(request) : undefined,
      ifMatch: request.headers.get('if-match') ?? undefined,
      correlationId: exchange.clientRequestId,
    }
    if ('read' in operation) return await operation.read(call)
    if ('perform' in operation) return await operation.perform(call)
    return await store.update((committed) => {
      // What was admitted a moment ago is judged again by the directory that is changed.
      const caller = admit(committed, call.caller, operation, operator)
      const changing = {
        ...call,
        caller,
        committed,
        directory: visibleDirectory(operator, committed),
        nextRevision: committed.revision + 1,
      }
      const { changes, target, answer } = operation.change(changing)
      // By what is written, not by the operation: no operation can leave the judgement out.
      requireUnprotected(committed, changes)
      requireOwnRoles(changing, changes)
      const record = auditRecord(operation.action, caller, exchange)
      return {
        changes,
        audit: [{ ...record, at: runtime.now(), target, outcome: 'done', reason: null }],
        result: answer,
      }
    })
  } catch (error) {
    if (error instanceof GraphError && 'action' in operation)
      operator.recordRefusal({
        ...auditRecord(operation.action, caller, exchange),
        at: runtime.now(),
        target: null,
        outcome: 'refused',
        reason: error.refusal,
      })
    throw error
  }
}

function admit(
  directory: Directory,
  caller: ManagementCaller,
  { requires }: Operation,
  { apiAppId }: OperationContext,
): Call['caller'] {
  const roles = currentRoles(directory, caller, apiAppId)
  requireRoles(roles, requires)
  const tenant = directory.tenant(caller.tenantId)
  if (tenant === undefined) throw refuse('caller_unknown')
  return { ...caller, roles, tenant }
}

function visibleDirectory(
  { runtime, visibilityDelaySeconds }: OperationContext,
  directory: Directory,
): Directory {
  if (visibilityDelaySeconds === 0) return directory
  return new EventuallyConsistentDirectory(
    directory,
    new Date(runtime.now().getTime() - visibilityDelaySeconds * 1000),
  )
}

const auditRecord = (
  action: string,
  { tenantId, applicationId }: ManagementCaller,
  exchange: RequestIds,
) => ({
  tenantId,
  actor: applicationId,
  action,
  correlationId: exchange.clientRequestId,
})
