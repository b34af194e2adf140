import type { GraphClient } from '../../administrator/graph-client.ts'
import type { Change } from '../planning/change.ts'
import type { Plan } from '../planning/plan.ts'
import { applyChange } from './apply-change.ts'
import { ApplyContext, type ApplyContextOptions } from './apply-context.ts'
import type { SecretName, SecretSink } from './secret-sink.ts'

export type ApplyOptions = {
  readonly graph: GraphClient
  readonly secrets: SecretSink
  /** Told of each step when it is done. */
  readonly onDone?: (change: Change) => void
  readonly now?: () => Date
  readonly signal?: AbortSignal
  readonly onRegistered?: ApplyContextOptions['onRegistered']
}

/** What a run has come to. */
export type Applied = {
  readonly done: readonly Change[]
  /** The first refusal, at which the run stopped. */
  readonly stopped?: { readonly change: Change; readonly error: unknown }
  /** What was not tried any more. */
  readonly left: readonly Change[]
  /** The ids of the applications, by the names that the file gives them. */
  readonly applicationIds: ReadonlyMap<string, string>
}

/**
 * Applies the changes of a plan in their order, and stops at the first refusal. Completed changes
 * stay and are reported. The next run of the same file continues there.
 */
export async function applyPlan(plan: Plan, options: ApplyOptions): Promise<Applied> {
  const { graph, secrets, onDone, now = () => new Date(), signal, onRegistered } = options
  const { changes, located } = plan
  const run = new ApplyContext({ graph, located, secrets, now, onRegistered })
  await secrets.prepare(changes.flatMap(newSecretOf))
  for (const [index, change] of changes.entries()) {
    try {
      signal?.throwIfAborted()
      await applyChange(change, run)
    } catch (error) {
      return {
        done: changes.slice(0, index),
        stopped: { change, error },
        left: changes.slice(index + 1),
        applicationIds: run.applicationIds(),
      }
    }
    onDone?.(change)
  }
  return { done: changes, left: [], applicationIds: run.applicationIds() }
}

const newSecretOf = (change: Change): SecretName[] =>
  change.kind === 'createSecret' || change.kind === 'rotateSecret'
    ? [{ client: change.application, secret: change.secret }]
    : []
