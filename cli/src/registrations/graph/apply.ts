import type { Plan } from '../planning/plan.ts'
import type { Step } from '../planning/step.ts'
import { ApplyRun, type ApplyRunOptions } from './apply-run.ts'
import type { GraphClient } from './graph-client.ts'
import { perform } from './perform.ts'
import type { SecretName, SecretSink } from './secret-sink.ts'

export type ApplyOptions = {
  readonly graph: GraphClient
  readonly secrets: SecretSink
  /** Told of each step when it is done. */
  readonly onDone?: (step: Step) => void
  readonly now?: () => Date
  readonly signal?: AbortSignal
  readonly onRegistered?: ApplyRunOptions['onRegistered']
}

/** What a run has come to. */
export type Applied = {
  readonly done: readonly Step[]
  /** The first refusal, at which the run stopped. */
  readonly stopped?: { readonly step: Step; readonly error: unknown }
  /** What was not tried any more. */
  readonly left: readonly Step[]
  /** The ids of the applications, by the names that the file gives them. */
  readonly applicationIds: ReadonlyMap<string, string>
}

/**
 * Does the steps of a plan in their order, and stops at the first that is refused: whatever it
 * changed until then stays, and is told. Applied again, the file takes up where this run stopped.
 */
export async function applyPlan(plan: Plan, options: ApplyOptions): Promise<Applied> {
  const { graph, secrets, onDone, now = () => new Date(), signal, onRegistered } = options
  const { steps, located } = plan
  const run = new ApplyRun({ graph, located, secrets, now, onRegistered })
  await secrets.prepare(steps.flatMap(newSecretOf))
  for (const [index, step] of steps.entries()) {
    try {
      signal?.throwIfAborted()
      await perform(step, run)
    } catch (error) {
      return {
        done: steps.slice(0, index),
        stopped: { step, error },
        left: steps.slice(index + 1),
        applicationIds: run.applicationIds(),
      }
    }
    onDone?.(step)
  }
  return { done: steps, left: [], applicationIds: run.applicationIds() }
}

const newSecretOf = (step: Step): SecretName[] =>
  step.kind === 'createSecret' || step.kind === 'rotateSecret'
    ? [{ client: step.application, secret: step.secret }]
    : []
